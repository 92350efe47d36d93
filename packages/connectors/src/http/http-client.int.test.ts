import { brotliCompressSync, gzipSync } from 'node:zlib';
import { FatalError, RetryableError } from '@tributary/runtime';
import type { Agent } from 'undici';
import { z } from 'zod';
import { json, type ScriptedServer, startScriptedServer } from '../testing/scripted-server.ts';
import { createAgent } from './agent.ts';
import { createHttpClient, type HttpClientOptions } from './http-client.ts';
import { parseJson } from './parse-json.ts';

let server: ScriptedServer;
let agent: Agent;
beforeEach(async () => {
  server = await startScriptedServer();
  agent = createAgent();
});
afterEach(async () => {
  await agent.destroy();
  await server.close();
});

function get(options: Partial<HttpClientOptions> = {}, signal = new AbortController().signal) {
  const client = createHttpClient({ dispatcher: agent, repeatWaitMs: 5, ...options });
  const url = new URL(`${server.url}/page?access_token=SECRET-TOKEN&appsecret_proof=SECRET-PROOF`);
  return client.send({ method: 'GET', url, signal });
}

async function failure(promise: Promise<unknown>): Promise<Error> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  return error as Error; // Every rejection of the client is an Error; the assertions would show another thing.
}

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
] as const)('decodes %s', async (encoding, compress) => {
  server.answer((_seen, res) => {
    res.writeHead(200, { 'content-encoding': encoding }).end(compress('{"name":"서울"}'));
  });
  const answer = await get();
  expect(parseJson(answer, z.object({ name: z.string() }))).toEqual({ name: '서울' });
  expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip, br');
});

test('stops a compressed bomb at the limit of decoded bytes', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  server.answer((_seen, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
  expect(bomb.length).toBeLessThan(60_000);
  expect(await failure(get())).toMatchObject({ code: 'too_large' });
  expect(server.seen).toHaveLength(1);
});

test('never follows a redirect and sends nothing to its target', async () => {
  const other = await startScriptedServer();
  server.answer((_seen, res) => res.writeHead(307, { location: `${other.url}/take` }).end());
  const error = await failure(get());
  await other.close();
  expect(error).toBeInstanceOf(FatalError);
  expect(error).toMatchObject({ code: 'redirect_refused' });
  expect(error.message).toContain('307');
  expect(other.seen).toHaveLength(0);
});

test('repeats an outage of an idempotent call twice, then gives up as retryable', async () => {
  server.answer((_seen, res) => res.writeHead(502).end('<html>bad gateway</html>'));
  expect(await failure(get())).toMatchObject({ code: 'unreachable' });
  expect(server.seen).toHaveLength(3);
});

test('goes on when the second attempt answers', async () => {
  server.answer((_seen, res) => (server.seen.length === 1 ? res.destroy() : json(res, { ok: 1 })));
  expect((await get()).status).toBe(200);
});

test('never repeats a call that is not idempotent', async () => {
  server.answer((_seen, res) => res.destroy());
  const client = createHttpClient({ dispatcher: agent, repeatWaitMs: 5 });
  const signal = new AbortController().signal;
  const sent = client.send({ method: 'POST', url: new URL(server.url), body: 'a=1', signal });
  expect(await failure(sent)).toBeInstanceOf(RetryableError);
  expect(server.seen).toHaveLength(1);
});

test('leaves a 5xx with a platform code to the connector', async () => {
  server.answer((_seen, res) => json(res, { error: { code: 1 } }, 500));
  expect((await get({ isPlatformError: () => true })).status).toBe(500);
  expect(server.seen).toHaveLength(1);
});

test('ends an answer that trickles when the total time is over', async () => {
  const timers: NodeJS.Timeout[] = [];
  server.answer((_seen, res) => {
    res.writeHead(200);
    timers.push(setInterval(() => res.write(' '), 20));
  });
  const started = Date.now();
  expect(await failure(get({ timeoutMs: 300 }))).toMatchObject({ code: 'timeout' });
  for (const timer of timers) clearInterval(timer);
  expect(Date.now() - started).toBeLessThan(2_000);
});

test("ends at once with the caller's reason when the caller aborts", async () => {
  server.answer(() => {});
  const controller = new AbortController();
  const reason = new Error('the turn is over');
  const answer = failure(get({}, controller.signal));
  setTimeout(() => controller.abort(reason), 50);
  const started = Date.now();
  expect(await answer).toBe(reason);
  expect(Date.now() - started).toBeLessThan(1_000);
});

test('takes a cut body as retryable', async () => {
  server.answer((_seen, res) => {
    res.writeHead(200, { 'content-length': '100' });
    res.write('{"data":');
    setTimeout(() => res.destroy(), 10);
  });
  expect(await failure(get())).toMatchObject({ code: 'unreachable' });
});

test.each([
  ['refused', () => {}, 'http://127.0.0.1:1/page?access_token=SECRET-TOKEN'],
  ['cut', (res: { destroy(): void }) => res.destroy(), undefined],
])('names the place without the query when a connection is %s', async (_name, act, address) => {
  server.answer((_seen, res) => act(res));
  const client = createHttpClient({ dispatcher: agent, repeatWaitMs: 5 });
  const url = new URL(address ?? `${server.url}/page?access_token=SECRET-TOKEN`);
  const error = await failure(
    client.send({ method: 'GET', url, signal: new AbortController().signal }),
  );
  expect(error.message).toContain('/page');
  expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain('SECRET');
});

test.each([
  ['HTML', '<!doctype html><p>log in</p>', 'HTML'],
  ['an empty body', '', 'not JSON'],
  ['half a JSON text', '{"data":[{"a":1}', 'not JSON'],
  ['null', 'null', "null at ''"],
  ['a wrong type', '{"data":[{"a":{"b":true}}]}', "true at 'data[0].a.b'"],
  ['a key twice', '{"data":[{"a":{"b":"1","b":"2"}}]}', 'not JSON'],
])('refuses %s, naming place and value', async (_name, body, words) => {
  server.answer((_seen, res) => res.writeHead(200).end(body));
  const answer = await get();
  const ProviderPageSchema = z.object({
    data: z.array(z.object({ a: z.object({ b: z.string() }) })),
  });
  expect(() => parseJson(answer, ProviderPageSchema)).toThrow(RetryableError);
  expect(() => parseJson(answer, ProviderPageSchema)).toThrow(words);
  expect(() => parseJson(answer, ProviderPageSchema)).toThrow('/page');
});
