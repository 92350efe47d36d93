import { collectDefaultMetrics, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/**
 * A registry of its own (never the library's global one) with the process's default metrics: memory, CPU, handles,
 * garbage collection and event-loop lag. Every line carries the app's name.
 */
export function createMetrics({ app }: { app: string }): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ app });
  collectDefaultMetrics({ register: registry });
  return registry;
}
