import {
  connectDatabase,
  ensureIndexes,
  pingDatabase,
  verifyCredentialKeys,
} from '@tributary/database';
import {
  createAdminServer,
  createCredentialBox,
  createLogger,
  createMetrics,
  createRemoteClock,
  type Logger,
  type MainContext,
  readEnv,
  runMain,
  systemClock,
} from '@tributary/runtime';
import { createApi } from './api.ts';
import { type ApiEnv, ApiEnvSchema } from './env.ts';

/** How often the database is asked at the start before giving up is the process manager's business: once. */
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
  const api = await createApi({ env, db, box, clock, logger });
  releasers.add('api', () => api.close());
  logger.info({ address: api.url }, 'The API listens');
}

async function openClock(env: ApiEnv, logger: Logger, releasers: MainContext['releasers']) {
  if (env.CLOCK_URL === undefined) return systemClock;
  const clock = await createRemoteClock({ url: env.CLOCK_URL, nodeEnv: env.NODE_ENV, logger });
  releasers.add('clock', () => clock.close());
  return clock;
}

await runMain({ name: 'api', start });
