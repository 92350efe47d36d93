import { type Answer, startTestSandbox } from '../testing.ts';
import { DISPLAY_CLIENT_ID, DISPLAY_CLIENT_SECRET, DISPLAY_REFRESH_TOKEN } from './tokens.ts';

export interface PerformanceRow {
  targetDate: string;
  hour?: number | string;
  campaignNo: number | string | null;
  adSetNo: number | string | null;
  creativeNo: number | string | null;
  impCount: number | string;
  clickCount: number | string;
  sales: number | string;
  convCount: number | string;
  convSales: number | string;
}

export const GRANT = {
  grant_type: 'refresh_token',
  client_id: DISPLAY_CLIENT_ID,
  client_secret: DISPLAY_CLIENT_SECRET,
  refresh_token: DISPLAY_REFRESH_TOKEN,
};

/** A sandbox whose display channel is spoken to with a fresh token. */
export async function startDisplay(now: string) {
  const test = await startTestSandbox({ now: Date.parse(now) });
  const token = async (form: Record<string, string> = GRANT) => {
    const res = await fetch(`${test.url}/portal1-da/oauth2.0/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
      signal: AbortSignal.timeout(10_000),
    });
    return { status: res.status, body: (await res.json()) as Record<string, string> };
  };
  let access = (await token()).body.access_token ?? '';
  const api = (
    path: string,
    params: Record<string, string | number> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(params)) query.set(name, String(value));
    return test.get(`/portal1-da/v1/ad-api/1.0${path}?${query.toString()}`, {
      authorization: `Bearer ${access}`,
      ...headers,
    });
  };
  const { body } = await test.get('/__sandbox/tree?channel=PORTAL1_DA');
  const [owned, managed, closed] = (body.accounts as { id: string }[]).map(({ id }) => id);
  const managers = await api('/managerAccounts');
  const manager = String((managers.body.content as { no: number }[])[1]?.no);
  const past = (
    account: string | undefined,
    aggregation: string,
    params: Record<string, string | number>,
  ) =>
    api(
      `/adAccounts/${account}/performance/past/${aggregation}`,
      params,
      account === owned ? {} : { AccessManagerAccountNo: manager },
    );
  return {
    ...test,
    token,
    api,
    past,
    owned,
    managed,
    closed,
    manager,
    /** Moves the clock and asks for a new access token. */
    async advance(ms: number) {
      await test.send('POST', '/__sandbox/clock', { advanceMs: ms });
      access = (await token()).body.access_token ?? '';
    },
    /** All rows of a question, page by page. */
    async pastRows(
      account: string | undefined,
      aggregation: string,
      params: Record<string, string | number>,
    ): Promise<PerformanceRow[]> {
      const rows: PerformanceRow[] = [];
      let next: string | undefined;
      for (let page = 0; page < 100; page += 1) {
        const { status, body: answer } = await past(account, aggregation, {
          ...params,
          ...(next && { next }),
        });
        if (status !== 200) throw new Error(`${status}: ${JSON.stringify(answer)}`);
        rows.push(...(answer.rows as PerformanceRow[]));
        next = answer.next as string | undefined;
        if (next === undefined) return rows;
      }
      throw new Error('The listing has no last page');
    },
  };
}
