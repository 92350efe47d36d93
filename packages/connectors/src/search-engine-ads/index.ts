import { CREDENTIALS_SCHEMAS, SETTINGS_SCHEMAS } from '@tributary/shared';
import type { Connector } from '../connector.ts';
import { createLogins, listAccounts } from './accounts.ts';
import { createSearchClient, type SearchAccess, type SearchDeps } from './client.ts';
import { collectSearch } from './collect.ts';
import { listEntities } from './entities.ts';
import { createPlaces } from './places.ts';
import type { SearchEngineAdsCredentials, SearchEngineAdsSettings } from './schema.ts';

/** SEARCH_ENGINE_ADS: the platform's reporting over its REST search. */
export function createSearchEngineAdsConnector(
  deps: SearchDeps,
): Connector<SearchEngineAdsCredentials, SearchEngineAdsSettings> {
  const logins = createLogins(deps.clock);
  const places = createPlaces();
  const clientOf = (access: SearchAccess) => createSearchClient(deps, access);
  return {
    type: 'SEARCH_ENGINE_ADS',
    CredentialsSchema: CREDENTIALS_SCHEMAS.SEARCH_ENGINE_ADS,
    SettingsSchema: SETTINGS_SCHEMAS.SEARCH_ENGINE_ADS,
    listAccounts: (access) => listAccounts(clientOf(access), access),
    listEntities(access) {
      const client = clientOf(access);
      const { id: account } = access.account;
      return logins.through(client, access, (login) => listEntities(client, { account, login }));
    },
    collect(request) {
      const client = clientOf(request);
      return logins.through(client, request, (login) =>
        collectSearch(client, request, { login, places }),
      );
    },
  };
}
