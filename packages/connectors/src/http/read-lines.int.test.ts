import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { RetryableError } from '@tributary/runtime';
import type { Agent } from 'undici';
import { type ScriptedServer, startScriptedServer } from '../testing/scripted-server.ts';
import { createAgent } from './agent.ts';
import { createHttpClient, type HttpClientOptions } from './http-client.ts';

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

async function read(
  answer: (res: ServerResponse) => unknown,
  options: Partial<HttpClientOptions> = {},
  signal = new AbortController().signal,
) {
  server.answer((_seen, res) => answer(res));
  const client = createHttpClient({ dispatcher: agent, repeatWaitMs: 5, ...options });
  const url = new URL(`${server.url}/file?authtoken=SECRET-TOKEN`);
  const lines: string[] = [];
  let pieces = 0;
  const settled = await client
    .lines({ method: 'GET', url, signal }, (more) => {
      lines.push(...more);
      pieces += 1;
    })
    .then(
      (given) => ({ answer: given, error: undefined }),
      (error: Error & { code?: string }) => ({ answer: undefined, error }),
    );
  return { ...settled, lines, pieces };
}

test.each([
  ['with an end of its last line', 'a\tb\n서울\r\n\nz\n'],
  ['without one', 'a\tb\n서울\r\n\nz'],
])('gives the lines of a text %s, and holds none of it', async (_name, text) => {
  const { answer, lines } = await read((res) => res.end(text));
  expect(lines).toEqual(['a\tb', '서울', '', 'z']);
  expect(answer).toMatchObject({ status: 200, text: '' });
});

test('joins lines and characters that are cut between pieces', async () => {
  const bytes = Buffer.from(`${'운동화\t'.repeat(20_000)}\nlast`);
  const { lines, pieces } = await read((res) => {
    res.write(bytes.subarray(0, 70_001));
    setTimeout(() => res.end(bytes.subarray(70_001)), 20);
  });
  expect(lines).toEqual(['운동화\t'.repeat(20_000), 'last']);
  expect(pieces).toBe(2);
});

test('gives a large text in pieces, before it has ended', async () => {
  const line = `${'x'.repeat(99)}\n`;
  const { lines, pieces } = await read((res) => res.end(line.repeat(50_000)));
  expect(lines).toHaveLength(50_000);
  expect(pieces).toBeGreaterThan(10);
});

test('an error is read whole, for its code', async () => {
  const { answer, lines } = await read((res) => res.writeHead(400).end('{"code":\n10004}'));
  expect(answer).toMatchObject({ status: 400, text: '{"code":\n10004}' });
  expect(lines).toEqual([]);
});

test('a body that ends with its connection is refused: it may be cut', async () => {
  const { error, lines } = await read((res) => {
    res.socket?.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\na\nb\n');
  });
  expect(error).toMatchObject({ code: 'malformed_answer' });
  expect(lines).toEqual([]);
});

test.each([
  ['of a given length', (res: ServerResponse) => res.writeHead(200, { 'content-length': '99' })],
  ['in chunks', (res: ServerResponse) => res.writeHead(200)],
])('a cut body %s is worth another attempt, which is not made at once', async (_name, head) => {
  const { error } = await read((res) => {
    head(res).write('a\nb\n', () => res.destroy());
  });
  expect(error).toBeInstanceOf(RetryableError);
  expect(error?.code).toBe('unreachable');
  expect(server.seen).toHaveLength(1);
});

test('a cut compressed body is noticed', async () => {
  const whole = gzipSync('a\nb\n'.repeat(10_000));
  const { error } = await read((res) =>
    res.writeHead(200, { 'content-encoding': 'gzip' }).end(whole.subarray(0, -20)),
  );
  expect(error).toBeInstanceOf(RetryableError);
});

test('stops at the limit of decoded bytes, and at a line without end', async () => {
  const bomb = gzipSync('x\n'.repeat(5_000_000));
  const large = await read((res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb), {
    linesBytesMax: 1_000_000,
  });
  expect(large.error).toMatchObject({ code: 'too_large' });
  expect(large.lines.length).toBeLessThanOrEqual(500_000);
  const endless = await read((res) => res.end('x'.repeat(300_000)));
  expect(endless.error).toMatchObject({ code: 'malformed_answer' });
});

test('bytes that are no UTF-8 are refused', async () => {
  const { error } = await read((res) => res.end(Buffer.from([0x61, 0x0a, 0xff, 0xfe, 0x0a])));
  expect(error).toMatchObject({ code: 'malformed_answer' });
});

test('has a time of its own for the whole text, and ends with the caller’s reason', async () => {
  const trickle = (res: ServerResponse) => {
    const timer = setInterval(() => res.write('a\n'), 10);
    res.on('close', () => clearInterval(timer));
  };
  const late = await read(trickle, { timeoutMs: 1, linesTimeoutMs: 200 });
  expect(late.error).toMatchObject({ code: 'timeout' });
  expect(`${late.error?.stack}`).not.toContain('SECRET');
  const controller = new AbortController();
  const reason = new Error('the turn is over');
  setTimeout(() => controller.abort(reason), 50);
  expect((await read(trickle, {}, controller.signal)).error).toBe(reason);
});

test('what the reader of the lines throws ends the call with it', async () => {
  server.answer((_seen, res) => res.end('a\n'));
  const client = createHttpClient({ dispatcher: agent });
  const refused = new RetryableError('malformed_row', 'no');
  const call = {
    method: 'GET',
    url: new URL(server.url),
    signal: new AbortController().signal,
  } as const;
  const reading = client.lines(call, () => {
    throw refused;
  });
  await expect(reading).rejects.toBe(refused);
});
