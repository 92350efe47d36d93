import type { Clock } from '@tributary/runtime';
import { CREDENTIALS_SCHEMAS, SETTINGS_SCHEMAS } from '@tributary/shared';
import type { Connector, RateBudget } from '../connector.ts';
import type { HttpClient } from '../http/http-client.ts';
import { createSearchAdClient, type SearchAdAccess, type SearchAdDeps } from './client.ts';
import { collectReports } from './collect.ts';
import { listAccounts, listEntities } from './entities.ts';
import type { JobPatience } from './jobs.ts';
import { createNames } from './names.ts';
import { createRoom } from './room.ts';
import type { SearchAdCredentials, SearchAdSettings } from './schema.ts';

export interface SearchAdOptions {
  http: HttpClient;
  /** `https://api.searchad.naver.com`; what stands behind the host is not signed. */
  baseUrl: string;
  budget: RateBudget;
  clock: Clock;
  patience?: JobPatience;
}

/** PORTAL1_SEARCH_AD: the platform's Search Ad API; figures come from its one-day reports. */
export function createSearchAdConnector(
  options: SearchAdOptions,
): Connector<SearchAdCredentials, SearchAdSettings> {
  const { clock, patience = { firstPollMs: 700, patienceMs: 20_000 } } = options;
  const deps: SearchAdDeps = { ...options, throttles: new Map() };
  const collecting = { clock, names: createNames(), room: createRoom(clock), patience };
  const client = (access: SearchAdAccess) => createSearchAdClient(deps, access);
  return {
    type: 'PORTAL1_SEARCH_AD',
    CredentialsSchema: CREDENTIALS_SCHEMAS.PORTAL1_SEARCH_AD,
    SettingsSchema: SETTINGS_SCHEMAS.PORTAL1_SEARCH_AD,
    listAccounts: (access) => listAccounts(client(access), access),
    listEntities: (access) => listEntities(client(access), access.account.id),
    collect: (request) => collectReports(client(request), request, collecting),
  };
}
