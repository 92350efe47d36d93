import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import {
  connectDatabase,
  createApiKey,
  type Database,
  revokeApiKey,
  rotateApiKey,
} from '@tributary/database';
import { createLogger } from '@tributary/runtime';
import { requireMongo } from './testing/open-test-api.ts';
import { createSourceProcesses } from './testing/source-process.ts';

const HOUR_MS = 3_600_000;
/** What is promised: a revoked key is refused everywhere after this. */
const REVOKED_MS = 5_000;
const uri = requireMongo();
uri.pathname = `/api_keys_${process.pid}`;
const processes = createSourceProcesses();

let db: Database;
let urls: string[];
const children: ReturnType<typeof processes.start>[] = [];
beforeAll(async () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  db = await connectDatabase({ uri: uri.href, appName: 'api-test', logger });
  urls = await Promise.all([startApi(), startApi()]);
}, 60_000);
afterAll(async () => {
  const endings = children.map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(endings);
  processes.close();
  await db?.db.dropDatabase();
  await db?.close();
}, 30_000);

const credentialsKeys = `k1:${randomBytes(32).toString('base64')}`;

async function startApi(): Promise<string> {
  const child = processes.start('main.ts', {
    env: {
      MONGODB_URI: uri.href,
      CREDENTIALS_KEYS: credentialsKeys,
      API_PORT: '0',
      API_ADMIN_PORT: '0',
      // Limits are not what is tested.
      RATE_LIMIT_PER_MINUTE: '0',
      AUTH_FAILURES_PER_MINUTE: '0',
    },
  });
  children.push(child);
  let out = '';
  for (;;) {
    const [chunk] = await once(child.stdout, 'data', { signal: AbortSignal.timeout(30_000) });
    out += String(chunk);
    const [, address] = /"address":"(http:[^"]+)","msg":"The API listens"/.exec(out) ?? [];
    if (address) return address;
  }
}

const create = (more: { expiresAt?: number } = {}) =>
  createApiKey(db, {
    tenant: 'acme',
    scopes: ['read'],
    title: 'test',
    now: Date.now(),
    ...more,
  });

async function statusOf(url: string, key: string): Promise<number> {
  const res = await fetch(`${url}/link`, {
    headers: { Authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(10_000),
  });
  await res.arrayBuffer();
  return res.status;
}

interface Asked {
  url: string;
  key: string;
  startedAt: number;
  status: number;
}

/** Clients of both processes that ask one request after the other, with the key that is current for each. */
function startClients(keyOf: (client: number) => string) {
  const asked: Asked[] = [];
  const state = { isOver: false };
  const client = async (url: string, number: number) => {
    while (!state.isOver) {
      const startedAt = performance.now();
      const key = keyOf(number);
      asked.push({ url, key, startedAt, status: await statusOf(url, key) });
    }
  };
  const clients = urls.flatMap((url) => [0, 1, 2, 3].map((number) => client(url, number)));
  return {
    asked,
    async stop() {
      state.isOver = true;
      await Promise.all(clients);
    },
  };
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > giveUpAt) throw new Error(`Not within 20 s: ${what}`);
    await wait(20);
  }
}

const answeredOn = (asked: readonly Asked[], count: number) => () =>
  urls.every((url) => asked.filter((one) => one.url === url).length >= count);

describe('over two processes', () => {
  it('a rotation fails no request, however the clients change over', async () => {
    const { id, key } = await create();
    const current = [key, key, key, key];
    const clients = startClients((number) => current[number] ?? '');
    await until('requests with the old key', answeredOn(clients.asked, 50));
    const rotated = await rotateApiKey(db, id, { now: Date.now(), overlapMs: HOUR_MS });
    for (const number of [0, 1, 2, 3]) {
      const before = clients.asked.length;
      current[number] = rotated?.key ?? '';
      await until('requests with both keys', () => clients.asked.length >= before + 50);
    }
    await clients.stop();
    const failed = clients.asked.filter(({ status }) => status !== 200);
    expect([clients.asked.length > 250, failed]).toEqual([true, []]);
    expect(await Promise.all(urls.map((url) => statusOf(url, key)))).toEqual([200, 200]);
  }, 60_000);

  it('a revoked key is refused by both after five seconds at most, others go on', async () => {
    const [{ id, key }, other] = [await create(), await create()];
    const clients = startClients((number) => (number === 0 ? other.key : key));
    await until('requests', answeredOn(clients.asked, 20));
    await revokeApiKey(db, id, Date.now());
    const revokedAt = performance.now();
    const refusedBy = (url: string) =>
      clients.asked.some((one) => one.url === url && one.status === 401);
    await until('refusals by both', () => urls.every(refusedBy));
    const seen = clients.asked.length;
    await until('more requests', () => clients.asked.length >= seen + 50);
    await clients.stop();
    for (const url of urls) {
      const revoked = clients.asked.filter((one) => one.url === url && one.key === key);
      const accepted = revoked.filter(({ status }) => status === 200);
      expect(accepted.filter(({ startedAt }) => startedAt < revokedAt)).not.toEqual([]);
      expect(Math.max(...accepted.map(({ startedAt }) => startedAt - revokedAt))).toBeLessThan(
        REVOKED_MS,
      );
      expect(new Set(revoked.map(({ status }) => status))).toEqual(new Set([200, 401]));
    }
    const others = clients.asked.filter((one) => one.key === other.key);
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await Promise.all(urls.map((url) => statusOf(url, key)))).toEqual([401, 401]);
    expect(await Promise.all(urls.map((url) => statusOf(url, other.key)))).toEqual([200, 200]);
  }, 60_000);

  it('every reason for a refusal has one and the same answer', async () => {
    const { key } = await create();
    const unknown = await create();
    await db.db.collection<{ _id: string }>('apiKeys').deleteOne({ _id: unknown.id });
    const revoked = await create();
    await revokeApiKey(db, revoked.id, Date.now());
    const expired = await create({ expiresAt: Date.now() - 1 });
    const answers = new Set<string>();
    for (const url of urls) {
      for (const headers of [
        {},
        { Authorization: 'Bearer x' },
        { Authorization: `Basic ${key}` },
        { Authorization: `Bearer ${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}` },
        { 'X-API-Key': unknown.key },
        { 'X-API-Key': revoked.key },
        { 'X-API-Key': expired.key },
        { Authorization: `Bearer ${key}`, 'X-API-Key': revoked.key },
      ] as Record<string, string>[]) {
        const res = await fetch(`${url}/link`, { headers, signal: AbortSignal.timeout(10_000) });
        const { requestId, ...body } = (await res.json()) as { requestId: string };
        expect(requestId).toBe(res.headers.get('x-request-id'));
        const challenge = res.headers.get('www-authenticate');
        answers.add(`${res.status} ${challenge} ${JSON.stringify(body)}`);
      }
    }
    expect([...answers]).toEqual([expect.stringMatching(/^401 Bearer .*"unauthenticated"/)]);
  });

  it('of keys only digests are stored', async () => {
    const { id, key } = await create();
    const rotated = await rotateApiKey(db, id, { now: Date.now(), overlapMs: HOUR_MS });
    await Promise.all(urls.map((url) => statusOf(url, key)));
    const collections = await db.db.collections();
    const docs = await Promise.all(collections.map((one) => one.find().toArray()));
    const text = JSON.stringify(docs);
    expect(text).toContain(id);
    for (const one of [key, rotated?.key ?? '']) {
      const [, , secret = '', sum = ''] = one.split('_');
      expect(secret).toHaveLength(52);
      for (const part of [secret, sum, Buffer.from(one).toString('base64')]) {
        expect(text).not.toContain(part);
      }
    }
  });
});
