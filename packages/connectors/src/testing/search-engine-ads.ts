import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { CHANNELS, findSource } from '@tributary/shared';
import { createAgent } from '../http/agent.ts';
import { createHttpClient } from '../http/http-client.ts';
import { isSearchError, type SearchAccess } from '../search-engine-ads/client.ts';
import { createSearchEngineAdsConnector } from '../search-engine-ads/index.ts';
import { createTestTokens } from './access-tokens.ts';
import { type ContractSubject, drain } from './contract.ts';
import { json, type Seen } from './scripted-server.ts';
import { usePlatform } from './use-platform.ts';

export const ACCOUNT = { id: '1234567890', zone: 'Asia/Seoul', currency: 'KRW' };
export const MANAGER = '9876543210';
export const NOW = Date.UTC(2026, 10, 21, 12);
export const CREDENTIALS = {
  clientId: '4455-shop.apps.example',
  clientSecret: 'client-secret',
  refreshToken: 'refresh-token',
  developerToken: 'developer-token-1',
  loginCustomerId: MANAGER,
};
export const SECRETS = ['client-secret', 'refresh-token', 'developer-token-1', 'access-1'];

export type Row = Record<string, unknown>;

export function fixture(name: string): Row[] {
  const path = join(__dirname, '../search-engine-ads/fixtures', `${name}.json`);
  return JSON.parse(readFileSync(path, 'utf8')).results;
}

export function source(id: string) {
  const found = findSource(CHANNELS.SEARCH_ENGINE_ADS, id);
  if (!found) throw new Error(`No source ${id}`);
  return found;
}

export function openSearch(deps: Parameters<ContractSubject['open']>[0]) {
  const agent = createAgent();
  const http = createHttpClient({
    dispatcher: agent,
    repeatWaitMs: 5,
    isPlatformError: isSearchError,
  });
  const accessTokens = createTestTokens(deps.clock.now);
  const tokenUrl = `${deps.baseUrl}/token`;
  return {
    connector: createSearchEngineAdsConnector({ ...deps, http, accessTokens, tokenUrl }),
    close: () => agent.destroy(),
  };
}

/** Gives the token out; false for every other call. */
export function grantToken(seen: Seen, res: ServerResponse): boolean {
  if (seen.url.pathname !== '/token') return false;
  json(res, { access_token: 'access-1', expires_in: 3_599, token_type: 'Bearer' });
  return true;
}

/** A refusal in the platform's shape. */
export function refusal(
  [family, code]: readonly [family: string, code: string],
  more: Row = {},
  message = 'Refused',
) {
  const errors = [{ errorCode: { [family]: code }, message, ...more }];
  return {
    error: {
      code: 400,
      message: 'General',
      status: 'UNKNOWN',
      details: [{ errors, requestId: 'r' }],
    },
  };
}

export const queryOf = (seen: Seen): string => JSON.parse(seen.body || '{}').query ?? '';

export function access(
  credentials: Partial<SearchAccess['credentials']> = {},
  settings: Partial<SearchAccess['settings']> = {},
): SearchAccess {
  return {
    link: 'link1',
    credentials: { ...CREDENTIALS, ...credentials },
    settings: { historyDays: 400, ...settings },
    signal: new AbortController().signal,
  };
}

/** A connector of SEARCH_ENGINE_ADS against a scripted platform, new for each test of the file. */
export function useSearch() {
  const platform = usePlatform(openSearch, NOW);
  const { server, connector } = platform;
  /** The calls but those for tokens. */
  const calls = () => server().seen.filter(({ url }) => url.pathname !== '/token');
  return {
    ...platform,
    calls,
    seen: () => server().seen,
    /** Answers every call but those for tokens. */
    answer(script: (seen: Seen, res: ServerResponse) => unknown) {
      server().answer((seen, res) => {
        if (!grantToken(seen, res)) script(seen, res);
      });
    },
    collect: (id: string, owner = access()) =>
      drain(
        connector().collect({
          ...owner,
          account: ACCOUNT,
          source: source(id),
          from: '2026-11-18',
          to: '2026-11-19',
          onReport: async () => {},
        }),
      ),
  };
}
