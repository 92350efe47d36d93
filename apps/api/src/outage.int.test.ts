import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemSchema } from '@tributary/shared';
import { createRoutes } from './routes.ts';
import { openTestApi, requireMongo, type TestApi } from './testing/open-test-api.ts';
import { MADE_UP_IDS, type RawRequest, requestOf, valuesOf } from './testing/route-request.ts';

/** A line to MongoDB that can be cut, or silenced with its connections open. */
function createLine(target: URL) {
  const sockets = new Set<Socket>();
  let mode: 'open' | 'silent' | 'cut' = 'open';
  const server: Server = createServer((near) => {
    if (mode === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('data', (chunk) => mode === 'open' && other.write(chunk));
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  return {
    server,
    listen: () =>
      new Promise<string>((resolve) => {
        server.listen(0, '127.0.0.1', () => {
          const address = server.address();
          resolve(`127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
        });
      }),
    set(to: typeof mode) {
      const wasSilent = mode === 'silent';
      mode = to;
      // Bytes that were swallowed would leave a connection out of step.
      if (to === 'cut' || wasSilent) for (const socket of sockets) socket.destroy();
    },
  };
}

const line = createLine(requireMongo());
let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ name: 'outage', mongoHost: await line.listen() });
});
afterAll(async () => {
  line.set('open');
  await api?.close();
  await new Promise((resolve) => line.server.close(resolve));
});

const routes = createRoutes({ channelAliases: new Map(), allowPrivateAddresses: false });

interface Timed {
  status: number;
  retryAfter: string | null;
  text: string;
  ms: number;
}

const requests = routes.map((route) => requestOf(route, valuesOf(route, MADE_UP_IDS)));
const LINKS: RawRequest = { method: 'GET', path: '/link', headers: {} };

/** Without the comparison with the OpenAPI document, which takes longer than some answers. */
async function timed(key: string, { path, headers, ...request } = LINKS): Promise<Timed> {
  const started = performance.now();
  const answer = await fetch(api.url + path, {
    ...request,
    headers: { ...headers, 'X-API-Key': key },
  });
  const text = await answer.text();
  const retryAfter = answer.headers.get('retry-after');
  return { status: answer.status, retryAfter, text, ms: performance.now() - started };
}

async function untilBack(): Promise<number> {
  const started = performance.now();
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if ((await api.ask('/link')).status === 200) return performance.now() - started;
    await sleep(100);
  }
  throw new Error('The API did not come back');
}

describe('while MongoDB is away', () => {
  it.each(['cut', 'silent'] as const)(
    '%s: every route is 503 with Retry-After within 3 s, and back soon after',
    async (how) => {
      const key = await api.createKey('test');
      expect((await timed(key)).status).toBe(200);
      const unknownKey = await api.createKey('test');
      line.set(how);
      const asked = [
        timed(unknownKey),
        ...requests.map((request) => timed(key, request)),
        // More than there are connections to MongoDB.
        ...Array.from({ length: 60 }, () => timed(key)),
      ];
      for (const { ms, text, ...answer } of await Promise.all(asked)) {
        expect(answer).toEqual({ status: 503, retryAfter: '2' });
        expect(ProblemSchema.parse(JSON.parse(text)).code).toBe('unavailable');
        expect(ms).toBeLessThan(3_000);
      }
      // What needs no database is answered as ever.
      expect((await api.ask('/link?odd=1')).status).toBe(400);
      expect((await api.ask('/nowhere')).status).toBe(404);
      line.set('open');
      expect(await untilBack()).toBeLessThan(10_000);
      expect((await api.ask('/comment', { key: unknownKey })).status).toBe(200);
    },
    30_000,
  );
});
