import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@tributary/runtime';
import { ProblemSchema } from '@tributary/shared';
import { z } from 'zod';
import type { Answered, Deps } from '../deps.ts';
import { defineRoute, type RequestContext } from './define-route.ts';
import { createExpressApp } from './mount.ts';
import { type Bytes, Reply } from './reply.ts';
import { type HttpServer, startHttpServer } from './server.ts';

const lines: string[] = [];
const answered: Answered[] = [];
const deps = {
  logger: createLogger({
    name: 'test',
    level: 'error',
    destination: { write: (line) => lines.push(line) },
  }),
  clock: { now: () => 0 },
  onAnswered: (one: Answered) => answered.push(one),
} as unknown as Deps; // the routes below use nothing else

const noQuery = z.strictObject({});
const route = (path: `/${string}`, handle: () => Promise<unknown>) =>
  defineRoute({ method: 'GET', path, summary: 'test', query: noQuery, scope: 'read', handle });

const MEGABYTE = Buffer.alloc(1024 * 1024);
let chunksMade = 0;

async function* endless() {
  for (; chunksMade < 10_000; chunksMade += 1) yield MEGABYTE;
}

/** Longer than what is sent in one go, in chunks of all lengths. */
const LONG = [3, 700_000, 1, 262_144, 5, 2_000_000].map((length, index) =>
  Buffer.alloc(length, `chunk ${index} `),
);

async function* oneByOne() {
  yield* LONG;
}

function longReply(chunks: Bytes['chunks']): Reply {
  const length = Buffer.concat(LONG).length;
  return new Reply({ bytes: { type: 'text/plain', length, chunks } });
}

let isAbandonedSeen = false;
const waitForNobody = async ({ isAbandoned }: RequestContext) => {
  for (let tries = 0; tries < 500 && !isAbandoned(); tries += 1) await sleep(10);
  isAbandonedSeen = isAbandoned();
  throw new Error('Nobody reads this');
};

const routes = [
  route('/long', async () => longReply(LONG)),
  route('/long-made', async () => longReply(oneByOne())),
  route('/ok', async () => ({ ok: true })),
  route('/throws', async () => {
    throw new Error('inner words');
  }),
  route('/throws-nothing', () => Promise.reject(undefined)),
  route('/large', async () => {
    const bytes = { type: 'text/plain', length: 10_000 * MEGABYTE.length, chunks: endless() };
    return new Reply({ bytes });
  }),
  defineRoute({
    method: 'GET',
    summary: 'test',
    path: '/waits',
    query: noQuery,
    scope: 'read',
    handle: ({ context }) => waitForNobody(context),
  }),
  defineRoute({
    method: 'GET',
    summary: 'test',
    path: '/items/{item}/parts/{part}',
    params: z.strictObject({ item: z.string(), part: z.string() }),
    query: noQuery,
    scope: 'read',
    handle: async ({ params }) => params,
  }),
  defineRoute({
    method: 'POST',
    summary: 'test',
    path: '/body',
    query: noQuery,
    body: z.strictObject({ a: z.string() }),
    scope: 'write',
    handle: async ({ body }) => body,
  }),
];

let server: HttpServer;
beforeAll(async () => {
  const app = createExpressApp({
    routes,
    basePath: '/base',
    authenticate: async () => ({ tenant: 't', scopes: new Set(['read', 'write']) }),
    deps,
  });
  server = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
});
beforeEach(() => {
  lines.length = 0;
});
afterAll(() => server?.close());

describe('createExpressApp', () => {
  it.each(['/throws', '/throws-nothing'])(
    '%s: a fault of ours is a 500 that says nothing, logged once under the id that is sent',
    async (path) => {
      const answer = await fetch(`${server.url}/base${path}`);
      expect(answer.status).toBe(500);
      const text = await answer.text();
      expect(text).not.toContain('inner');
      const { code, requestId } = ProblemSchema.parse(JSON.parse(text));
      expect(code).toBe('internal');
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(requestId);
    },
  );

  it('mounts below the base path only', async () => {
    expect((await fetch(`${server.url}/base/ok`)).status).toBe(200);
    expect((await fetch(`${server.url}/ok`)).status).toBe(404);
    expect((await fetch(`${server.url}/Base/ok`)).status).toBe(404);
  });

  it('gives the segments of a path decoded, each to its name', async () => {
    const answer = await fetch(`${server.url}/base/items/a%2Fb%20c/parts/__proto__`);
    expect(await answer.json()).toEqual({ item: 'a/b c', part: '__proto__' });
    for (const path of ['/items/a', '/items/a/parts/', '/items//parts/b', '/items/a/parts/b/c']) {
      expect((await fetch(`${server.url}/base${path}`)).status).toBe(404);
    }
  });

  it('tells of every answer with the path of the route, never of the client', async () => {
    answered.length = 0;
    await fetch(`${server.url}/base/ok?x=1`);
    await fetch(`${server.url}/base/nowhere`);
    await sleep(20);
    expect(answered).toEqual([
      { method: 'GET', path: '/ok', status: 400, seconds: expect.any(Number) },
    ]);
  });

  it('a client that leaves in mid-body or mid-answer is no fault, and frees what it held', async () => {
    const { port, hostname } = new URL(server.url);
    const head = 'POST /base/body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const sender = connect(Number(port), hostname);
    sender.write(`${head}Content-Length: 100\r\n\r\n{"a":`);
    const waiting = connect(Number(port), hostname);
    waiting.write('GET /base/waits HTTP/1.1\r\nHost: x\r\n\r\n');
    const reader = connect(Number(port), hostname);
    reader.write('GET /base/large HTTP/1.1\r\nHost: x\r\n\r\n');
    reader.on('data', () => reader.destroy());
    await sleep(100);
    sender.destroy();
    waiting.destroy();
    await sleep(200);
    const made = chunksMade;
    expect(made).toBeLessThan(100);
    await sleep(100);
    expect(chunksMade).toBe(made);
    for (let tries = 0; tries < 100 && !isAbandonedSeen; tries += 1) await sleep(20);
    expect(isAbandonedSeen).toBe(true);
    expect(lines).toEqual([]);
  });

  it('sends long answers whole, also several at once', async () => {
    const paths = ['/long', '/long-made', '/long', '/long-made'];
    const bodies = await Promise.all(
      paths.map(async (path) =>
        Buffer.from(await (await fetch(`${server.url}/base${path}`)).arrayBuffer()),
      ),
    );
    for (const body of bodies) expect(body.equals(Buffer.concat(LONG))).toBe(true);
  });

  it('refuses two routes of one method and path', () => {
    const twice = [route('/ok', async () => 1), route('/ok', async () => 2)];
    const mount = () =>
      createExpressApp({ routes: twice, basePath: '', authenticate: () => never(), deps });
    expect(mount).toThrow('GET /ok twice');
  });
});

function never(): Promise<never> {
  return Promise.reject(new Error('not asked'));
}
