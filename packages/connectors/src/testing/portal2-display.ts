import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANNELS, findSource } from '@tributary/shared';
import { createAgent } from '../http/agent.ts';
import { createHttpClient } from '../http/http-client.ts';
import { isPortal2Error, type Portal2Access } from '../portal2/client.ts';
import { createPortal2DisplayConnector } from '../portal2-display/index.ts';
import type { Portal2DisplaySettings } from '../portal2-display/schema.ts';
import { type ContractSubject, drain } from './contract.ts';
import { json, type Seen } from './scripted-server.ts';
import { usePlatform } from './use-platform.ts';

export const ACCOUNT = { id: '312345', zone: 'Asia/Seoul', currency: 'KRW' };
export const TOKEN = 'business-token-secret';
/** 21:00 in Seoul on 2026-11-21. */
export const NOW = Date.UTC(2026, 10, 21, 12);

export function fixture(name: string): { data: Record<string, unknown>[] } {
  const path = join(__dirname, '../portal2-display/fixtures', `${name}.json`);
  return JSON.parse(readFileSync(path, 'utf8'));
}

export function source(id: string) {
  const found = findSource(CHANNELS.PORTAL2_DISPLAY, id);
  if (!found) throw new Error(`No source ${id}`);
  return found;
}

export function openPortal2Display(deps: Parameters<ContractSubject['open']>[0]) {
  const dispatcher = createAgent();
  const http = createHttpClient({ dispatcher, repeatWaitMs: 5, isPlatformError: isPortal2Error });
  return {
    connector: createPortal2DisplayConnector({ ...deps, http }),
    close: () => dispatcher.destroy(),
  };
}

export function access(
  settings: Partial<Portal2DisplaySettings> = {},
): Portal2Access<Portal2DisplaySettings> {
  return {
    link: 'link1',
    credentials: { businessToken: TOKEN },
    settings: { historyDays: 400, ...settings },
    signal: new AbortController().signal,
  };
}

/** A row of the account, 2026-11-18. */
export const row = (dimensions: object = {}, metrics: object = {}, day = '2026-11-18') => ({
  start: day,
  end: day,
  dimensions,
  metrics: {
    imp: 10,
    click: 2,
    ctr: 20,
    cost: 100,
    reach: 8,
    conv_purchase_7d: 0,
    conv_purchase_p_7d: 0,
    ...metrics,
  },
});

/** The platform's lists: `tree` by path and parent, such as `campaigns` and `adGroups/<campaign>`. */
export function listAnswer({ url }: Seen, tree: Readonly<Record<string, readonly number[]>>) {
  const path = url.pathname.split('/').at(-1) ?? '';
  const parent = url.searchParams.get('campaignId') ?? url.searchParams.get('adGroupId');
  const ids = tree[parent === null ? path : `${path}/${parent}`] ?? [];
  return { content: ids.map((id) => ({ id, name: `이름 ${id}`, config: 'ON' })) };
}

/** A connector of PORTAL2_DISPLAY against a scripted platform, new for each test of the file. */
export function usePortal2Display() {
  const platform = usePlatform(openPortal2Display, NOW);
  const { server, connector } = platform;
  const reports = () => server().seen.filter(({ url }) => url.pathname.endsWith('/report'));
  return {
    ...platform,
    /** The calls of reports. */
    reports,
    /** What the reports were asked. */
    asked: () => reports().map(({ url }) => Object.fromEntries(url.searchParams)),
    collect: (
      id: string,
      { from = '2026-11-18', to = '2026-11-19' } = {},
      settings: Partial<Portal2DisplaySettings> = {},
    ) =>
      drain(
        connector().collect({
          ...access(settings),
          account: ACCOUNT,
          source: source(id),
          from,
          to,
          onReport: async () => {},
        }),
      ),
    /** Serves the tree, and rows for every report. */
    serve(tree: Readonly<Record<string, readonly number[]>>, rows: (seen: Seen) => object[]) {
      server().answer((seen, res) => {
        const isReport = seen.url.pathname.endsWith('/report');
        json(res, isReport ? { message: 'Success', data: rows(seen) } : listAnswer(seen, tree));
      });
    },
    answerRows: (...data: object[]) =>
      server().answer((_seen, res) => json(res, { message: 'Success', data })),
  };
}
