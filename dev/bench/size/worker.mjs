// @ts-check
/**
 * The worker as `apps/worker/src/main.ts` puts it together, but for its platforms: there is one, the generated account.
 */
import { connectDatabase, ensureIndexes } from '@tributary/database';
import {
  createEpoch,
  createProducerConnection,
  createTokenLocks,
  createTurnQueues,
  createWorkerConnection,
  waitForConnection,
} from '@tributary/queue';
import { createCredentialBox, createLogger, runMain, systemClock } from '@tributary/runtime';
import { createWorkerMetrics } from '../../../apps/worker/dist/metrics.js';
import { createRowGate } from '../../../apps/worker/dist/row-gate.js';
import { startWorker } from '../../../apps/worker/dist/worker.js';
import { createSizeConnector } from './connector.mjs';

const {
  MONGODB_URI = '',
  REDIS_URL = '',
  PREFIX: prefix = '',
  PLATFORM_URL = '',
  KEYS = '',
  ROWS_IN_MEMORY = '',
} = process.env;

await runMain({
  name: 'size-worker',
  releaseWithinMs: 28_000,
  async start({ releasers }) {
    const logger = createLogger({ name: 'size-worker', level: 'warn' });
    const db = await connectDatabase({ uri: MONGODB_URI, appName: 'tributary-size', logger });
    releasers.add('database', () => db.close());
    await ensureIndexes(db);
    const redis = createProducerConnection({ url: REDIS_URL, name: 'size', logger });
    releasers.add('Redis', () => redis.disconnect());
    await waitForConnection(redis, 5_000);
    const connection = createWorkerConnection({ url: REDIS_URL, name: 'size-turns', logger });
    releasers.add('Redis turns', () => connection.disconnect());
    const queues = createTurnQueues({ connection: redis, prefix, logger });
    releasers.add('queues', () => queues.close());
    const metrics = createWorkerMetrics({
      turnsByQueue: async () => new Map(),
      planningLagSeconds: async () => 0,
    });
    await startWorker({
      deps: {
        db,
        box: createCredentialBox(KEYS),
        connectors: { SEARCH_ENGINE_ADS: createSizeConnector(PLATFORM_URL) },
        queues,
        epoch: createEpoch({ redis, prefix }),
        tokenLocks: createTokenLocks({ redis, prefix }),
        clock: systemClock,
        logger,
        metrics,
        gate: createRowGate(Number(ROWS_IN_MEMORY)),
        random: Math.random,
      },
      connection,
      prefix,
      lock: { durationMs: 30_000, stalledCheckMs: 10_000 },
      concurrency: { fresh: 16, bulk: 8 },
      releasers,
    });
    process.send?.({ port: 1 });
  },
});
