import { callLimitOf, createConnectors } from '@tributary/connectors';
import {
  connectDatabase,
  createKeyCheck,
  ensureIndexes,
  pingDatabase,
  planningLag,
  verifyCredentialKeys,
} from '@tributary/database';
import {
  createEpoch,
  createProducerConnection,
  createRateBudget,
  createTokenLocks,
  createTurnQueues,
  createWorkerConnection,
  waitForConnection,
} from '@tributary/queue';
import {
  type Clock,
  createAdminServer,
  createCredentialBox,
  createLogger,
  createRemoteClock,
  type Logger,
  type MainContext,
  readEnv,
  runMain,
  systemClock,
} from '@tributary/runtime';
import { BUILT_CHANNELS } from '@tributary/shared';
import { createAccessTokens } from './access-tokens.ts';
import { platformUrls, type WorkerEnv, WorkerEnvSchema } from './env.ts';
import { createWorkerMetrics } from './metrics.ts';
import { createQueueBoard } from './queue-board.ts';
import { createRowGate } from './row-gate.ts';
import { startWorker } from './worker.ts';

const RELEASE_MS = 28_000;
const REDIS_MS = 5_000;

await runMain({
  name: 'worker',
  releaseWithinMs: RELEASE_MS,
  start: async (context) => {
    const env = readEnv(WorkerEnvSchema, process.env);
    await start(env, createLogger({ name: 'worker', level: env.LOG_LEVEL }), context);
  },
});

async function openClock(
  env: WorkerEnv,
  logger: Logger,
  { releasers }: MainContext,
): Promise<Clock> {
  if (!env.CLOCK_URL) return systemClock;
  const clock = await createRemoteClock({ url: env.CLOCK_URL, nodeEnv: env.NODE_ENV, logger });
  releasers.add('clock', () => clock.close());
  return clock;
}

/** Opens everything in order: database, Redis, connectors, turns, admin port. */
async function start(env: WorkerEnv, logger: Logger, context: MainContext): Promise<void> {
  const { releasers } = context;
  const box = createCredentialBox(env.CREDENTIALS_KEYS);
  const clock = await openClock(env, logger, context);
  const db = await connectDatabase({ uri: env.MONGODB_URI, appName: 'tributary-worker', logger });
  releasers.add('database', () => db.close());
  await ensureIndexes(db);
  await verifyCredentialKeys(db, box);

  const prefix = env.QUEUE_PREFIX;
  const producer = createProducerConnection({
    url: env.REDIS_URL,
    name: 'worker-producer',
    logger,
  });
  releasers.add('Redis producer', () => producer.disconnect());
  // Without Redis the worker starts all the same and goes on when it is there.
  await waitForConnection(producer, REDIS_MS).catch((err: unknown) =>
    logger.warn({ err }, 'Redis does not answer yet'),
  );
  const connection = createWorkerConnection({ url: env.REDIS_URL, name: 'worker-turns', logger });
  releasers.add('Redis turns', () => connection.disconnect());
  const queues = createTurnQueues({
    connection: producer,
    prefix,
    channels: BUILT_CHANNELS,
    logger,
  });
  releasers.add('queues', () => queues.close());

  const budget = createRateBudget({ redis: producer, clock, prefix, limitOf: callLimitOf });
  const tokenLocks = createTokenLocks({ redis: producer, prefix });
  const connectors = createConnectors({
    ...platformUrls(env),
    budget,
    accessTokens: createAccessTokens({ db, box, tokenLocks, clock, logger }),
    clock,
    allowPrivateAddresses: env.ALLOW_PRIVATE_ADDRESSES,
    releasers,
  });
  const metrics = createWorkerMetrics({
    turnsByQueue: () =>
      queues
        .jobCounts()
        .then((counts) => new Map([...counts].map(([name, one]) => [name, { ...one }]))),
    planningLagSeconds: () => planningLag(db, clock.now()),
  });
  const epoch = createEpoch({ redis: producer, prefix });
  const worker = await startWorker({
    deps: {
      db,
      box,
      connectors,
      queues,
      epoch,
      tokenLocks,
      clock,
      logger,
      metrics,
      gate: createRowGate(env.ROWS_IN_MEMORY),
      random: Math.random,
    },
    connection,
    prefix,
    lock: { durationMs: env.TURN_LOCK_MS, stalledCheckMs: env.STALLED_CHECK_MS },
    concurrency: { fresh: env.FRESH_CONCURRENCY, bulk: env.BULK_CONCURRENCY },
    releasers,
  });
  const admin = await createAdminServer({
    port: env.WORKER_ADMIN_PORT,
    host: env.HOST,
    logger,
    livez: async () => {
      const { healthy, stuck } = await worker.consumption();
      return { ok: healthy, stuck, running: worker.running() };
    },
    readyz: async () => {
      await Promise.all([pingDatabase(db), producer.ping()]);
      return { ok: !context.signal.aborted };
    },
    metrics: () => metrics.registry.metrics(),
    extra: createQueueBoard({
      queues: queues.all(),
      checkKey: env.AUTH === 'on' ? createKeyCheck({ db, clock }) : undefined,
    }),
  });
  releasers.add('admin server', () => admin.close());
  logger.info({ address: admin.url, pid: process.pid }, 'The worker takes turns');
}
