import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { startTestSandbox, type TestSandbox } from '../testing.ts';
import { API_KEY, SECRET_KEY } from './auth.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of many shapes
export type Loose = any;

export interface Answer {
  status: number;
  text: string;
  json: Loose;
}

export interface SignedCall {
  method?: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A sandbox with a frozen clock, and signed calls to it for one customer. */
export async function openSearchAd(options: Parameters<typeof startTestSandbox>[0] = {}) {
  const sandbox: TestSandbox = await startTestSandbox(options);
  const { body: tree } = await sandbox.get('/__sandbox/tree?channel=PORTAL1_SEARCH_AD');
  const accounts = tree.accounts as Loose[];
  let now = Number((await sandbox.get('/__sandbox/clock')).body.now);

  async function call({ method = 'GET', path, body, headers = {} }: SignedCall): Promise<Answer> {
    const timestamp = headers['X-Timestamp'] ?? String(now);
    const [bare] = path.split('?');
    const signature = createHmac('sha256', SECRET_KEY)
      .update(`${timestamp}.${method}.${bare}`)
      .digest('base64');
    const res = await fetch(`${sandbox.url}/portal1-search-ad${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        'X-Timestamp': timestamp,
        'X-API-KEY': API_KEY,
        'X-Customer': accounts[0].id,
        'X-Signature': signature,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
    const text = await res.text();
    const json = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined;
    return { status: res.status, text, json };
  }
  const create = (reportTp: string, statDt: string) =>
    call({ method: 'POST', path: '/stat-reports', body: { reportTp, statDt } });
  const poll = async (id: number) => {
    for (let tries = 0; tries < 20; tries += 1) {
      const { json } = await call({ path: `/stat-reports/${id}` });
      if (!['REGIST', 'WAITING', 'RUNNING', 'AGGREGATING'].includes(json.status)) return json;
      await wait(10);
    }
    throw new Error(`The job ${id} does not end`);
  };
  const pathOf = (url: string) => url.slice(url.indexOf('/report-download'));
  return {
    sandbox,
    accounts,
    call,
    create,
    poll,
    pathOf,
    /** The rows of one day's file. */
    async file(reportTp: string, statDt: string): Promise<string[][]> {
      const { json } = await create(reportTp, statDt);
      const { status, downloadUrl } = await poll(json.reportJobId);
      if (status === 'NONE') return [];
      const { text } = await call({ path: pathOf(downloadUrl) });
      return text
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'));
    },
    async advance(ms: number) {
      now += ms;
      await sandbox.send('POST', '/__sandbox/clock', { now });
    },
    async truth(level: string, date: string) {
      const query = new URLSearchParams({
        channel: 'PORTAL1_SEARCH_AD',
        account: accounts[0].id,
        level,
        start: date,
        end: date,
      });
      const { body } = await sandbox.get(`/__sandbox/truth?${query.toString()}`);
      return body.days as Loose[];
    },
    close: () => sandbox.sandbox.close(),
  };
}
