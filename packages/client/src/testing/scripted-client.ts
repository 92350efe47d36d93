import { createClient } from '../client.ts';
import type { ClientOptions } from '../options.ts';

export interface Sent {
  url: string;
  method: string;
  headers: Headers;
  body: unknown;
}

export const NOW = Date.parse('2026-11-10T12:00:00Z');

type Step = Response | Error | (() => Response);

/** A client whose requests are answered by a script, in order; waits are noted and take no time. */
export function scriptedClient(steps: readonly Step[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const waits: number[] = [];
  let now = NOW;
  const client = createClient({
    baseUrl: 'https://api.example.com/base/',
    apiKey: 'key-1',
    fetch: async (url, { method = '', headers, body }) => {
      const step = steps[sent.length];
      sent.push({ url, method, headers: new Headers(headers), body });
      if (step === undefined) throw new Error(`No answer for request ${sent.length}`);
      if (step instanceof Error) throw step;
      return typeof step === 'function' ? step() : step;
    },
    now: () => now,
    delay: async (ms, signal) => {
      signal?.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
    random: () => 0.5,
    ...options,
  });
  return { client, sent, waits };
}

export function json(body: unknown, headers: Record<string, string> = {}, status = 200): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

export function problem(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Response {
  const errors = [{ in: 'query', name: 'id', message: 'wrong' }];
  const type = { 'Content-Type': 'application/problem+json' };
  const body = { type: '', title: '', status, detail: 'Why', code, requestId: 'r-1', errors };
  return json(body, { ...type, ...headers }, status);
}

/** What a promise rejects with. */
export async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => new Error('It did not throw'),
    (error: unknown) => error,
  );
}

/** Everything that an iterable gives. */
export async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
