import { Counter, createMetrics, Gauge, Histogram, type Registry } from '@tributary/runtime';

/** The worker's own metrics; queue lengths and due accounts are read when asked. */
export interface WorkerMetrics {
  registry: Registry;
  turns: Counter<'channel' | 'lane' | 'outcome'>;
  turnSeconds: Histogram<'channel' | 'lane'>;
  windows: Counter<'channel' | 'source' | 'outcome'>;
  rows: Counter<'channel' | 'source'>;
  days: Counter<'channel' | 'outcome'>;
  sealedDocuments: Counter<'channel'>;
  unsealed: Counter<'channel'>;
  upstreamChanges: Counter<'channel' | 'source' | 'kind'>;
  poisoned: Counter<'channel' | 'lane'>;
}

export interface MetricReaders {
  turnsByQueue(): Promise<Map<string, Record<string, number>>>;
  /** Seconds that the most overdue account waits for planning; 0 when none does. */
  planningLagSeconds(): Promise<number>;
}

export function createWorkerMetrics(readers: MetricReaders): WorkerMetrics {
  const registry = createMetrics({ app: 'worker' });
  const registers = [registry];
  const queued = new Gauge({
    name: 'tributary_queue_turns',
    help: 'Turns by queue and state',
    labelNames: ['queue', 'state'],
    registers,
    async collect() {
      for (const [queue, counts] of await readers.turnsByQueue()) {
        for (const [state, count] of Object.entries(counts)) queued.set({ queue, state }, count);
      }
    },
  });
  const lag = new Gauge({
    name: 'tributary_planning_lag_seconds',
    help: 'How long the most overdue account has been waiting to be planned',
    registers,
    async collect() {
      lag.set(await readers.planningLagSeconds());
    },
  });
  return {
    registry,
    turns: new Counter({
      name: 'tributary_turns_total',
      help: 'Turns by outcome',
      labelNames: ['channel', 'lane', 'outcome'],
      registers,
    }),
    turnSeconds: new Histogram({
      name: 'tributary_turn_seconds',
      help: 'Length of turns',
      labelNames: ['channel', 'lane'],
      buckets: [0.1, 0.5, 1, 5, 15, 30, 60, 90],
      registers,
    }),
    windows: new Counter({
      name: 'tributary_windows_total',
      help: 'Windows by source and outcome',
      labelNames: ['channel', 'source', 'outcome'],
      registers,
    }),
    rows: new Counter({
      name: 'tributary_rows_total',
      help: 'Rows received from the platform',
      labelNames: ['channel', 'source'],
      registers,
    }),
    days: new Counter({
      name: 'tributary_days_total',
      help: 'Days of a source by what became of the answer: new, changed, unchanged, suspect, not given',
      labelNames: ['channel', 'outcome'],
      registers,
    }),
    sealedDocuments: new Counter({
      name: 'tributary_sealed_documents_total',
      help: 'Documents written by sealing',
      labelNames: ['channel'],
      registers,
    }),
    unsealed: new Counter({
      name: 'tributary_unsealed_days_total',
      help: 'Attempts to seal a day that failed: what is served of it is not what was collected',
      labelNames: ['channel'],
      registers,
    }),
    upstreamChanges: new Counter({
      name: 'tributary_upstream_changes_total',
      help: 'Metrics and lists that went empty for a whole account although it delivers',
      labelNames: ['channel', 'source', 'kind'],
      registers,
    }),
    poisoned: new Counter({
      name: 'tributary_poisoned_turns_total',
      help: 'Lanes put out for six hours because turns kept dying without progress',
      labelNames: ['channel', 'lane'],
      registers,
    }),
  };
}
