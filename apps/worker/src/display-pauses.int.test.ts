import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type Connector, callLimitOf, createConnectors } from '@tributary/connectors';
import { randomId } from '@tributary/database';
import { createProducerConnection, createRateBudget, waitForConnection } from '@tributary/queue';
import { createLogger, createReleasers, RateLimitedError, systemClock } from '@tributary/runtime';
import { CHANNELS, findSource } from '@tributary/shared';
import { buildApps } from './testing/processes.ts';
import { type Sandbox, startSandbox } from './testing/sandbox.ts';

/** How much later than they were sent the calls of the slower process arrive. */
const LATE_MS = 700;
const ATTEMPTS_MAX = 10;

const releasers = createReleasers();
const logger = createLogger({ name: 'test', level: 'silent' });
let sandbox: Sandbox;
beforeAll(async () => {
  await buildApps();
  sandbox = await startSandbox(new Date().toISOString());
  releasers.add('sandbox', () => sandbox.program.end('SIGTERM'));
}, 300_000);
afterAll(() => releasers.releaseAll());

async function forwardLate(req: IncomingMessage, res: ServerResponse): Promise<void> {
  await wait(LATE_MS);
  const { authorization = '', adaccountid = '' } = req.headers;
  const answer = await fetch(`${sandbox.url}${req.url}`, {
    headers: { authorization, ...(adaccountid && { adaccountid: String(adaccountid) }) },
    signal: AbortSignal.timeout(10_000),
  });
  res.writeHead(answer.status, { 'content-type': 'application/json' });
  res.end(await answer.text());
}

/** A way to the sandbox on which every request is late; `underWay` resolves when the first report is on it. */
async function openLateWay(): Promise<{ address: string; underWay: Promise<unknown> }> {
  const seen = new EventEmitter();
  const underWay = once(seen, 'report');
  const server = createServer((req, res) => {
    if (req.url?.includes('/report')) seen.emit('report');
    forwardLate(req, res).catch((error: Error) => res.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  releasers.add('late way', async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The way has no port');
  return { address: `http://127.0.0.1:${address.port}`, underWay };
}

/** The connector as a process of its own has it: own connections, and the budget that all share in Redis. */
async function openConnector(prefix: string, address: string, isPaused: boolean) {
  const redisUrl = process.env.REDIS_URL;
  if (!redisUrl) throw new Error('REDIS_URL is not set: this test needs a Redis server');
  const redis = createProducerConnection({ url: redisUrl, name: 'test', logger });
  releasers.add('Redis', async () => {
    const keys = await redis.keys(`${prefix}:*`);
    if (keys.length > 0) await redis.del(...keys);
    redis.disconnect();
  });
  await waitForConnection(redis, 5_000);
  const limits = { redis, clock: systemClock, prefix, limitOf: callLimitOf };
  const { take, block } = createRateBudget(limits);
  const { PORTAL2_DISPLAY: connector } = createConnectors({
    baseUrls: { PORTAL2_DISPLAY: `${address}/portal2-display` },
    budget: { take, block: isPaused ? block : async () => {} },
    accessTokens: { get: () => Promise.reject(new Error('Business tokens are not fetched')) },
    clock: systemClock,
    allowPrivateAddresses: true,
    releasers,
  });
  if (!connector) throw new Error('The channel is not built');
  return connector;
}

const credentials = { businessToken: 'sandbox-portal2-display-token' };
const access = () => ({
  link: 'link1',
  credentials,
  settings: { historyDays: 3 },
  signal: AbortSignal.timeout(50_000),
});

/** Reads a window, coming back when the allowance is in use, as the worker does. */
async function read(connector: Connector, account: string, id: string): Promise<void> {
  const source = findSource(CHANNELS.PORTAL2_DISPLAY, id);
  if (!source) throw new Error(`No source ${id}`);
  const window = { from: '2026-11-01', to: '2026-11-02', onReport: async () => {} };
  const zoned = { id: account, zone: 'Asia/Seoul', currency: 'KRW' };
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    try {
      for await (const _ of connector.collect({ ...access(), account: zoned, source, ...window }));
      return;
    } catch (error) {
      if (!(error instanceof RateLimitedError)) throw error;
      await wait(error.until - Date.now());
    }
  }
  throw new Error(`The allowance of ${id} never came free`);
}

/**
 * One process has a report on a late way when another one begins to read of the same account or app; answers the calls that
 * the platform saw.
 */
async function readTogether(id: string, isPaused: boolean) {
  const prefix = `pauses-${randomId()}`;
  const { address, underWay } = await openLateWay();
  const late = await openConnector(prefix, address, isPaused);
  const other = await openConnector(prefix, sandbox.url, isPaused);
  const [first, second] = await other.listAccounts(access());
  const since = (await sandbox.calls()).at(-1)?.n ?? 0;
  const reading = read(late, first?.id ?? '', id);
  await Promise.race([underWay, reading]);
  await Promise.all([reading, read(other, second?.id ?? '', id)]);
  return (await sandbox.calls(since)).filter(({ kind }) => kind === 'insights');
}

/** The shortest time between two calls, as the platform's clock saw them arrive. */
const shortest = (calls: readonly { at: number }[]) =>
  Math.min(...calls.slice(1).map(({ at }, index) => at - (calls[index]?.at ?? 0)));

test.each([
  ['campaigns', 'c-base', 4, 5_000],
  ['ad groups', 'g-base', 2, 1_000],
])(
  'reports on %s never come closer than allowed, whatever the way takes',
  async (_name, id, count, pauseMs) => {
    const calls = await readTogether(id, true);
    expect(calls.map(({ status }) => status)).toEqual(Array(count).fill(200));
    expect(shortest(calls)).toBeGreaterThanOrEqual(pauseMs);
  },
  60_000,
);

test('without the pause after an answer the platform refuses', async () => {
  const calls = await readTogether('g-base', false);
  expect(calls.some(({ status }) => status === 429)).toBe(true);
}, 60_000);
