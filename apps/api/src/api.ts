import {
  type Database,
  exchangeRequestCounts,
  type OwnCounts,
  randomId,
} from '@tributary/database';
import type { Clock, CredentialBox, Logger } from '@tributary/runtime';
import { BUILT_CHANNELS } from '@tributary/shared';
import { createKeyAuthentication, createOpenAuthentication } from './authenticate.ts';
import type { Deps } from './deps.ts';
import type { ApiEnv } from './env.ts';
import { type Authenticate, createExpressApp } from './http/mount.ts';
import { type HttpServer, startHttpServer } from './http/server.ts';
import { createAdmission } from './limits/admission.ts';
import type { Allowance } from './limits/allowance.ts';
import { createClientAddress } from './limits/client-address.ts';
import { createFailureLimit } from './limits/failure-limit.ts';
import { createKeyLimit } from './limits/key-limit.ts';
import { createPages } from './openapi/pages.ts';
import { createRoutes } from './routes.ts';
import { createStatisticsCaches } from './statistics/caches.ts';

export interface ApiOptions {
  env: Pick<
    ApiEnv,
    | 'HOST'
    | 'API_PORT'
    | 'AUTH'
    | 'BASE_PATH'
    | 'CORS_ORIGINS'
    | 'CHANNEL_ALIASES'
    | 'ALLOW_PRIVATE_ADDRESSES'
    | 'RATE_LIMIT_PER_MINUTE'
    | 'AUTH_FAILURES_PER_MINUTE'
    | 'TRUSTED_PROXIES'
  >;
  db: Database;
  box: CredentialBox;
  clock: Clock;
  logger: Logger;
  onAnswered?: Deps['onAnswered'];
  /** Told of every request that is refused for being one too many, for metrics. */
  onLimited?: (policy: Allowance['policy']) => void;
  /** Default: every channel that has a connector. */
  builtChannels?: Deps['builtChannels'];
}

/** The API, listening. */
export async function createApi({
  env,
  onLimited = () => undefined,
  ...services
}: ApiOptions): Promise<HttpServer> {
  const deps: Deps = {
    onAnswered: () => undefined,
    builtChannels: BUILT_CHANNELS,
    ...services,
    caches: createStatisticsCaches(),
  };
  const routes = createRoutes({
    channelAliases: env.CHANNEL_ALIASES,
    allowPrivateAddresses: env.ALLOW_PRIVATE_ADDRESSES,
  });
  const { authenticate, keyLimit } = createEntrance({ env, ...services, onLimited });
  const app = createExpressApp({
    routes,
    pages: createPages(routes, env.BASE_PATH),
    basePath: env.BASE_PATH,
    origins: env.CORS_ORIGINS,
    authenticate,
    deps,
  });
  const server = await startHttpServer({ app, host: env.HOST, port: env.API_PORT });
  return {
    url: server.url,
    async close() {
      await server.close();
      await keyLimit?.close();
    },
  };
}

/** Who may ask, and how often. */
function createEntrance({
  env,
  db,
  clock,
  onLimited,
}: Pick<ApiOptions, 'env' | 'db' | 'clock'> & Required<Pick<ApiOptions, 'onLimited'>>) {
  if (env.AUTH === 'off') return { authenticate: createOpenAuthentication() };
  const { RATE_LIMIT_PER_MINUTE: perMinute, AUTH_FAILURES_PER_MINUTE: failuresPerMinute } = env;
  const instance = randomId();
  const exchange = (own: Omit<OwnCounts, 'instance'>) =>
    exchangeRequestCounts(db, { ...own, instance });
  const keyLimit = perMinute > 0 ? createKeyLimit({ perMinute, exchange }) : undefined;
  const authenticate: Authenticate = createAdmission({
    checkKey: createKeyAuthentication({ db, clock }),
    addressOf: createClientAddress(env.TRUSTED_PROXIES),
    keyLimit,
    failureLimit:
      failuresPerMinute > 0 ? createFailureLimit({ perMinute: failuresPerMinute }) : undefined,
    onLimited,
  });
  return { authenticate, keyLimit };
}
