import type { Database } from '@tributary/database';
import type { Clock, CredentialBox, Logger } from '@tributary/runtime';
import { BUILT_CHANNELS } from '@tributary/shared';
import { createKeyAuthentication, createOpenAuthentication } from './authenticate.ts';
import type { Deps } from './deps.ts';
import type { ApiEnv } from './env.ts';
import { createExpressApp } from './http/mount.ts';
import { type HttpServer, startHttpServer } from './http/server.ts';
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
  >;
  db: Database;
  box: CredentialBox;
  clock: Clock;
  logger: Logger;
  onAnswered?: Deps['onAnswered'];
  /** Default: every channel that has a connector. */
  builtChannels?: Deps['builtChannels'];
}

/** The API, listening. */
export async function createApi({ env, ...services }: ApiOptions): Promise<HttpServer> {
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
  const app = createExpressApp({
    routes,
    pages: createPages(routes, env.BASE_PATH),
    basePath: env.BASE_PATH,
    origins: env.CORS_ORIGINS,
    authenticate:
      env.AUTH === 'on' ? createKeyAuthentication(services) : createOpenAuthentication(),
    deps,
  });
  return startHttpServer({ app, host: env.HOST, port: env.API_PORT });
}
