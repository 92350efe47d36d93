import { createSandbox, type Sandbox, type SandboxOptions } from './create-sandbox.ts';

type Json = Record<string, unknown>;

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

/** A listening sandbox with a frozen clock, and the few calls that its tests need. */
export interface TestSandbox {
  url: string;
  sandbox: Sandbox;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  send(method: string, path: string, body: unknown): Promise<Answer>;
  /** All rows of a social list by following `next`, and how many empty pages were on the way. */
  walk(path: string): Promise<{ rows: Json[]; emptyPages: number; pages: number }>;
}

const PAGES_MAX = 2_000;

async function ask(target: string, init: RequestInit = {}): Promise<Answer> {
  const res = await fetch(target, { ...init, signal: AbortSignal.timeout(10_000) });
  const text = await res.text();
  return { status: res.status, headers: res.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** Starts a sandbox on a free port, its clock frozen at `now`; the caller closes it. */
export async function startTestSandbox(
  options: Partial<SandboxOptions> = {},
): Promise<TestSandbox> {
  const sandbox = createSandbox({
    seed: 'test',
    now: Date.parse('2026-11-20T05:30:00Z'),
    callsPerHour: 0,
    ...options,
  });
  const url = `http://127.0.0.1:${await sandbox.listen(0)}`;
  const get: TestSandbox['get'] = (path, headers = {}) =>
    ask(path.startsWith('http') ? path : `${url}${path}`, { headers });
  const send: TestSandbox['send'] = (method, path, body) =>
    ask(`${url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    });
  await send('POST', '/__sandbox/clock', { frozen: true });
  return {
    url,
    sandbox,
    get,
    send,
    async walk(path) {
      const walked = { rows: [] as Json[], emptyPages: 0, pages: 0 };
      let next: string | undefined = path;
      while (next !== undefined && walked.pages < PAGES_MAX) {
        const { status, body } = await get(next);
        if (status !== 200) throw new Error(`${status} at ${next}: ${JSON.stringify(body)}`);
        const { data, paging } = body as { data: Json[]; paging?: { next?: string } };
        walked.rows.push(...data);
        walked.pages += 1;
        if (data.length === 0) walked.emptyPages += 1;
        next = paging?.next;
      }
      return walked;
    },
  };
}
