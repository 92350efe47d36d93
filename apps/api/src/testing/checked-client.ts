import { type Client, createClient } from '@tributary/client';
import type { Route } from '../http/define-route.ts';
import { createAnswerCheck } from './check-answer.ts';

/** A client of a test API that notes what it asks, and fails for an answer that does not fit the OpenAPI document. */
export function createCheckedClient(
  { url, apiKey }: { url: string; apiKey: string },
  routes: readonly Route[],
): { client: Client; asked: string[] } {
  const check = createAnswerCheck(routes, '');
  const asked: string[] = [];
  const client = createClient({
    baseUrl: url,
    apiKey,
    timeoutMs: 10_000,
    async fetch(address, init) {
      const { method = '' } = init;
      const { pathname, search } = new URL(address);
      asked.push(`${method} ${pathname}`);
      const response = await fetch(address, init);
      const headers = Object.fromEntries(response.headers);
      const text = await response.clone().text();
      // Here the body is decoded already.
      delete headers['content-encoding'];
      check(method, pathname + search, { status: response.status, headers, text });
      return response;
    },
  });
  return { client, asked };
}
