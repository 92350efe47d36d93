import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANNELS, findSource } from '@tributary/shared';
import { createAgent } from '../http/agent.ts';
import { createHttpClient } from '../http/http-client.ts';
import { isPortal2Error, type Portal2Access } from '../portal2/client.ts';
import { createPortal2KeywordConnector } from '../portal2-keyword/index.ts';
import type { KeywordSettings } from '../portal2-keyword/schema.ts';
import { type ContractSubject, drain } from './contract.ts';
import { json, type Seen } from './scripted-server.ts';
import { usePlatform } from './use-platform.ts';

export const ACCOUNT = { id: '4111111111', zone: 'Asia/Seoul', currency: 'KRW' };
export const CAMPAIGN = '3333333331';
export const AD_GROUP = '4444444441';
export const TOKEN = 'secret-business-token';
export const NOW = Date.UTC(2026, 10, 21, 12);

export function fixture(name: string): { data: Record<string, unknown>[] } {
  return JSON.parse(
    readFileSync(join(__dirname, '../portal2-keyword/fixtures', `${name}.json`), 'utf8'),
  );
}

export function source(id: string) {
  const found = findSource(CHANNELS.PORTAL2_KEYWORD, id);
  if (!found) throw new Error(`No source ${id}`);
  return found;
}

export function openKeyword(deps: Parameters<ContractSubject['open']>[0]) {
  const agent = createAgent();
  const http = createHttpClient({
    dispatcher: agent,
    repeatWaitMs: 5,
    bodyBytesMax: 20_000,
    isPlatformError: isPortal2Error,
  });
  return {
    connector: createPortal2KeywordConnector({ ...deps, http }),
    close: () => agent.destroy(),
  };
}

const METRICS = {
  imp: 10,
  click: 2,
  ctr: 20,
  spending: 1_000,
  rimp: 12,
  ppc: 500,
  rank: 1,
  convPurchase1d: 0,
  convPurchase7d: 1,
  convPurchaseP1d: 0,
  convPurchaseP7d: 5_000,
};

/** A row of 2026-11-18 with ordinary figures. */
export function row(dimensions: object, metrics: object = {}, day = '20261118') {
  return { start: day, end: day, dimensions, metrics: { ...METRICS, ...metrics } };
}

/** What {@link row} is in our units. */
export const FIGURES = [10, 2, 1_000_000, 5_000_000_000, 1_000_000_000, 12, null] as const;

/** The path below the version, with the parameters in the order of their names. */
export function askedFor({ url }: Seen): string {
  const params = [...url.searchParams].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const path = url.pathname.replace('/openapi/v1/', '');
  return [path, ...params.map(([name, value]) => `${name}=${value}`)].join(' ');
}

/** A connector of PORTAL2_KEYWORD against a scripted platform, new for each test of the file. */
export function useKeyword() {
  const platform = usePlatform(openKeyword, NOW);
  const { server, connector } = platform;
  const access = (settings: Partial<KeywordSettings> = {}): Portal2Access<KeywordSettings> => ({
    link: 'link1',
    credentials: { businessToken: TOKEN },
    settings: { historyDays: 400, ...settings },
    signal: new AbortController().signal,
  });
  return {
    ...platform,
    access,
    collect: (id: string, settings: Partial<KeywordSettings> = {}, to = '2026-11-19') =>
      drain(
        connector().collect({
          ...access(settings),
          account: ACCOUNT,
          source: source(id),
          from: '2026-11-18',
          to,
          onReport: async () => {},
        }),
      ),
    /** Answers by what is asked for; everything else is a test's mistake and answered 404. */
    answers(table: Record<string, unknown>) {
      server().answer((seen, res) => {
        const [path = ''] = askedFor(seen).split(' ');
        const answer = table[path];
        const body = typeof answer === 'function' ? answer(seen) : answer;
        if (body === undefined) return json(res, { code: -2, msg: `no ${path}` }, 404);
        return json(res, body);
      });
    },
    asked: () => server().seen.map(askedFor),
  };
}
