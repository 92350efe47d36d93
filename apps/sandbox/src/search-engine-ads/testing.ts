import type { SandboxOptions } from '../create-sandbox.ts';
import { startTestSandbox, type TestSandbox } from '../testing.ts';
import { SEARCH_CLIENT_ID, SEARCH_CLIENT_SECRET, SEARCH_REFRESH_TOKEN } from './tokens.ts';
import { MANAGER_ID } from './world.ts';

export type Json = Record<string, unknown>;

export const GRANT = {
  grant_type: 'refresh_token',
  client_id: SEARCH_CLIENT_ID,
  client_secret: SEARCH_CLIENT_SECRET,
  refresh_token: SEARCH_REFRESH_TOKEN,
};

/** A day of the truth. */
export interface Told {
  date: string;
  entity: string;
  total: Json;
  lists: Record<string, (Json & { value: string })[]>;
  unattributed: Record<string, Json>;
}

export interface Asked {
  status: number;
  body: Json;
  headers: Headers;
}

/** A sandbox with a client that speaks to the search platform as its own libraries do. */
export async function startSearchSandbox(options: Partial<SandboxOptions> = {}) {
  const box: TestSandbox = await startTestSandbox(options);
  const base = `${box.url}/search-engine-ads`;
  let token = '';
  const call = async (path: string, init: RequestInit): Promise<Asked> => {
    const res = await fetch(`${base}${path}`, { ...init, signal: AbortSignal.timeout(20_000) });
    const text = await res.text();
    const body = text.startsWith('<') ? { html: text } : (JSON.parse(text) as Json);
    return { status: res.status, body, headers: res.headers };
  };
  const grant = (form: Json = {}) =>
    call('/token', {
      method: 'POST',
      body: new URLSearchParams({ ...GRANT, ...form } as Record<string, string>),
    });
  const refresh = async () => {
    token = String((await grant()).body.access_token);
    return token;
  };
  await refresh();
  const ask = (
    cid: string,
    body: Json,
    { headers = {}, method = 'search' }: { headers?: Record<string, string>; method?: string } = {},
  ) =>
    call(`/v26/customers/${cid}/googleAds:${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'login-customer-id': MANAGER_ID, ...headers },
      body: JSON.stringify(body),
    });
  const { body: tree } = await box.get('/__sandbox/tree?channel=SEARCH_ENGINE_ADS');
  const accounts = tree.accounts as { id: string; zone: string; campaigns: Json[] }[];
  return {
    ...box,
    ask,
    call,
    grant,
    refresh,
    accounts,
    seoul: accounts[0]?.id ?? '',
    newYork: accounts[1]?.id ?? '',
    closed: accounts[2]?.id ?? '',
    list: (headers: Record<string, string> = {}) =>
      call('/v26/customers:listAccessibleCustomers', {
        headers: { authorization: `Bearer ${token}`, ...headers },
      }),
    /** All rows of a query over its pages. */
    async rows(cid: string, query: string): Promise<Json[]> {
      const rows: Json[] = [];
      let pageToken: string | undefined;
      for (let page = 0; page < 1_000; page += 1) {
        const { status, body } = await ask(cid, { query, ...(pageToken && { pageToken }) });
        if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
        rows.push(...((body.results ?? []) as Json[]));
        pageToken = body.nextPageToken as string | undefined;
        if (pageToken === undefined) return rows;
      }
      throw new Error('Too many pages');
    },
    truth: async (query: string) =>
      (await box.get(`/__sandbox/truth?channel=SEARCH_ENGINE_ADS&${query}`)).body.days as Told[],
  };
}
export type SearchSandbox = Awaited<ReturnType<typeof startSearchSandbox>>;
