import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANNELS, findSource } from '@tributary/shared';
import type { AccessTokens } from '../connector.ts';
import { createAgent } from '../http/agent.ts';
import { createHttpClient } from '../http/http-client.ts';
import { isPortal1DaError, type Portal1DaAccess } from '../portal1-da/client.ts';
import { createPortal1DaConnector } from '../portal1-da/index.ts';
import { createTestTokens } from './access-tokens.ts';
import { type ContractSubject, drain } from './contract.ts';
import { json, type Script, type Seen } from './scripted-server.ts';
import { usePlatform } from './use-platform.ts';

export const NOW = Date.UTC(2026, 10, 21, 12);
export const MANAGER = '1602';
/** The login is a member of the first; it sees the others through the manager account. */
export const OWNED = '8790';
export const MANAGED = '8791';
export const SHUT = '8792';
export const CREDENTIALS = {
  clientId: 'client',
  clientSecret: 'client-secret',
  refreshToken: 'refresh-secret',
  feedToken: 'feed-secret',
};
export const SECRETS = ['client-secret', 'refresh-secret', 'access-secret', 'feed-secret'];

export function fixture(name: string): Record<string, unknown> {
  const path = join(__dirname, '../portal1-da/fixtures', `${name}.json`);
  return JSON.parse(readFileSync(path, 'utf8'));
}

export function source(id: string) {
  const found = findSource(CHANNELS.PORTAL1_DA, id);
  if (!found) throw new Error(`No source ${id}`);
  return found;
}

export function openPortal1Da({
  accessTokens,
  ...deps
}: Parameters<ContractSubject['open']>[0] & { accessTokens?: AccessTokens }) {
  const agent = createAgent();
  const http = createHttpClient({
    dispatcher: agent,
    repeatWaitMs: 5,
    isPlatformError: isPortal1DaError,
  });
  return {
    connector: createPortal1DaConnector({
      ...deps,
      http,
      feedHttp: createHttpClient({ dispatcher: agent, repeatWaitMs: 5 }),
      tokenUrl: `${deps.baseUrl}/oauth2.0/token`,
      accessTokens: accessTokens ?? createTestTokens(deps.clock.now),
    }),
    close: () => agent.destroy(),
  };
}

/** The path below the API's. */
export const pathOf = ({ url }: Seen) => url.pathname.replace('/v1/ad-api/1.0', '');

export function list(rows: readonly object[], rowsName = 'content') {
  return { [rowsName]: rows, totalElements: rows.length, totalPages: 1, first: true, last: true };
}

/** What every test needs answered alike: the token, and the lists of the login. */
export function answerLogin(seen: Seen, token = 'access-secret'): unknown {
  const path = pathOf(seen);
  if (path === '/oauth2.0/token') {
    return { access_token: token, token_type: 'bearer', expires_in: '3600' };
  }
  if (path === '/adAccounts') return list([{ no: 8790, name: 'Own shop', disabled: false }]);
  if (path === '/managerAccounts') return list([{ no: 1602, name: 'Agency', role: 'MASTER' }]);
  return undefined;
}

/** A connector of PORTAL1_DA against a scripted platform, new for each test of the file. */
export function usePortal1Da() {
  const platform = usePlatform(openPortal1Da, NOW);
  const { server, connector } = platform;
  const access = (
    settings: Partial<Portal1DaAccess['settings']> = {},
    credentials: Partial<Portal1DaAccess['credentials']> = {},
  ): Portal1DaAccess => ({
    link: 'link1',
    credentials: { ...CREDENTIALS, ...credentials },
    settings: { historyDays: 400, feedUrl: `${server().url}/feed`, ...settings },
    signal: new AbortController().signal,
  });
  return {
    ...platform,
    access,
    /** Answers the login's calls and the manager's tree alike; the script answers all others. */
    answer(script: Script) {
      server().answer((seen, res) => {
        const login = answerLogin(seen);
        if (login !== undefined) return json(res, login);
        if (pathOf(seen) === `/managerAccounts/${MANAGER}`) return json(res, fixture('manager'));
        return script(seen, res);
      });
    },
    answerRows(...rows: object[]) {
      this.answer((_seen, res) => json(res, { rows }));
    },
    /** The calls of one account, without those of the login. */
    calls: (account = OWNED) =>
      server().seen.filter((seen) => pathOf(seen).startsWith(`/adAccounts/${account}/`)),
    collect: (
      id: string,
      { account = OWNED, credentials = {} }: { account?: string; credentials?: object } = {},
    ) =>
      drain(
        connector().collect({
          ...access({}, credentials),
          account: { id: account, zone: 'Asia/Seoul', currency: 'KRW' },
          source: source(id),
          from: '2026-11-18',
          to: '2026-11-19',
          onReport: async () => {},
        }),
      ),
  };
}

export const row = (more: object = {}) => ({
  campaignNo: 1261102,
  adSetNo: 991,
  creativeNo: 77,
  targetDate: '2026-11-18',
  impCount: 10,
  clickCount: 2,
  vplayCount: 0,
  sales: 1,
  convCount: 0,
  convSales: 0,
  ...more,
});
