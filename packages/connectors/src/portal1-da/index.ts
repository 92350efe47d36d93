import { CREDENTIALS_SCHEMAS, SETTINGS_SCHEMAS } from '@tributary/shared';
import type { Connector } from '../connector.ts';
import type { HttpClient } from '../http/http-client.ts';
import { createPortal1DaClient, type Portal1DaAccess, type Portal1DaDeps } from './client.ts';
import { collectPerformance } from './collect.ts';
import { listAccounts, listEntities } from './entities.ts';
import { collectFeed } from './feed.ts';
import type { Portal1DaCredentials, Portal1DaSettings } from './schema.ts';
import { createWays } from './ways.ts';

export interface Portal1DaOptions extends Omit<Portal1DaDeps, 'throttles'> {
  /** Guarded: the feed's URL comes from a client. */
  feedHttp: HttpClient;
}

/** PORTAL1_DA: the portal's display ads, by its API for partners and, for what that lacks, by the owner's feed. */
export function createPortal1DaConnector(
  options: Portal1DaOptions,
): Connector<Portal1DaCredentials, Portal1DaSettings> {
  const deps: Portal1DaDeps = { ...options, throttles: new Map() };
  const feedDeps = { ...options, http: options.feedHttp };
  const ways = createWays();
  const client = (access: Portal1DaAccess) => createPortal1DaClient(deps, access);
  const accountClient = (access: Portal1DaAccess & { account: { id: string } }) =>
    ways.to(client(access), access, access.account.id);
  return {
    type: 'PORTAL1_DA',
    CredentialsSchema: CREDENTIALS_SCHEMAS.PORTAL1_DA,
    SettingsSchema: SETTINGS_SCHEMAS.PORTAL1_DA,
    listAccounts: (access) => listAccounts(client(access), access, ways),
    listEntities: (access) => listEntities(accountClient(access), access.account.id),
    collect: (request) =>
      request.source.feed
        ? collectFeed(feedDeps, request)
        : collectPerformance(accountClient(request), request),
  };
}
