import {
  connectDatabase,
  ensureIndexes,
  pingDatabase,
  verifyCredentialKeys,
} from '@tributary/database';
import {
  Counter,
  createAdminServer,
  createCredentialBox,
  createLogger,
  createMetrics,
  createRemoteClock,
  Histogram,
  type Logger,
  type MainContext,
  readEnv,
  runMain,
  systemClock,
} from '@tributary/runtime';
import { createApi } from './api.ts';
import { type ApiEnv, ApiEnvSchema } from './env.ts';

async function start({ releasers, signal }: MainContext): Promise<void> {
  const env = readEnv(ApiEnvSchema, process.env);
  const logger = createLogger({ name: 'api', level: env.LOG_LEVEL });
  const box = createCredentialBox(env.CREDENTIALS_KEYS);
  const db = await connectDatabase({ uri: env.MONGODB_URI, appName: 'tributary-api', logger });
  releasers.add('database', () => db.close());
  await ensureIndexes(db);
  await verifyCredentialKeys(db, box);
  const clock = await openClock(env, logger, releasers);
  const metrics = createMetrics({ app: 'api' });
  const durations = new Histogram({
    name: 'tributary_api_request_duration_seconds',
    help: 'Time from a request of a route to the end of its answer',
    labelNames: ['method', 'path', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });
  const limited = new Counter({
    name: 'tributary_api_rate_limited_total',
    help: 'Requests refused with 429, by the limit that they passed',
    labelNames: ['policy'],
    registers: [metrics],
  });
  const admin = await createAdminServer({
    port: env.API_ADMIN_PORT,
    logger,
    livez: () => ({ ok: true }),
    readyz: async () => {
      if (signal.aborted) return { ok: false, reason: 'stopping' };
      await pingDatabase(db);
      return { ok: true };
    },
    metrics: () => metrics.metrics(),
  });
  releasers.add('admin server', () => admin.close());
  const api = await createApi({
    env,
    db,
    box,
    clock,
    logger,
    onAnswered: ({ seconds, ...labels }) => durations.observe(labels, seconds),
    onLimited: (policy) => limited.inc({ policy }),
  });
  releasers.add('api', () => api.close());
  logger.info({ address: admin.url }, 'The admin server listens');
  logger.info({ address: api.url }, 'The API listens');
}

async function openClock(env: ApiEnv, logger: Logger, releasers: MainContext['releasers']) {
  if (env.CLOCK_URL === undefined) return systemClock;
  const clock = await createRemoteClock({ url: env.CLOCK_URL, nodeEnv: env.NODE_ENV, logger });
  releasers.add('clock', () => clock.close());
  return clock;
}

await runMain({ name: 'api', start });
