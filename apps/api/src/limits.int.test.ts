import { setTimeout as sleep } from 'node:timers/promises';
import { rotateApiKey } from '@tributary/database';
import { createLogger } from '@tributary/runtime';
import { ProblemSchema } from '@tributary/shared';
import { type ApiOptions, createApi } from './api.ts';
import { type Answer, openTestApi, type TestApi } from './testing/open-test-api.ts';

const limited: string[] = [];
let api: TestApi;
let other: { url: string; close(): Promise<void> };
beforeAll(async () => {
  const env = {
    RATE_LIMIT_PER_MINUTE: 40,
    AUTH_FAILURES_PER_MINUTE: 5,
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const onLimited: NonNullable<ApiOptions['onLimited']> = (policy) => limited.push(policy);
  api = await openTestApi({ name: 'limits', env, onLimited });
  const logger = createLogger({ name: 'test', level: 'silent' });
  const { db, box, clock } = api;
  other = await createApi({ env: api.env, db, box, clock, logger });
});
afterAll(async () => {
  await other?.close();
  await api?.close();
});

const idOf = (key: string) => key.split('_')[1] ?? '';

/** So that no test begins in one minute and ends in the next. */
async function minuteWithRoom(neededMs = 15_000): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < neededMs) await sleep(left + 50);
}

function expectLimited(answer: Answer, policy: string, limit: number): void {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 429 });
  expect(ProblemSchema.parse(answer.json())).toMatchObject({ code: 'rate_limited', status: 429 });
  expect(answer.headers['ratelimit-policy']).toBe(`"${policy}";q=${limit};w=60`);
  const [, seconds] = /^"\w+";r=0;t=(\d+)$/.exec(String(answer.headers.ratelimit)) ?? [];
  expect(answer.headers['retry-after']).toBe(seconds);
  expect(Number(seconds)).toBeGreaterThan(0);
  expect(Number(seconds)).toBeLessThanOrEqual(60);
}

describe('the limit of a key', () => {
  it('is told with every answer of an authenticated request, and 429 beyond it without any work', async () => {
    await minuteWithRoom();
    const key = await api.createKey('a');
    for (const [index, [path, status]] of (
      [
        ['/link', 200],
        ['/link/coverage?id=x&start=2026-11-01&end=2026-11-02', 404],
        ['/changes?cursor=forged', 400],
      ] as const
    ).entries()) {
      const { headers, ...answer } = await api.ask(path, { key });
      expect([path, answer.status]).toEqual([path, status]);
      expect(headers['ratelimit-policy']).toBe('"key";q=40;w=60');
      expect(headers.ratelimit).toMatch(new RegExp(`^"key";r=${39 - index};t=\\d+$`));
    }
    const read = await api.createKey('a', ['read']);
    const forbidden = await api.ask('/comment?key=k&idx=1', { method: 'DELETE', key: read });
    expect([forbidden.status, forbidden.headers.ratelimit]).toEqual([
      403,
      expect.stringMatching(/^"key";r=39;/),
    ]);
    const rest = await Promise.all(Array.from({ length: 60 }, () => api.ask('/link', { key })));
    expect(rest.filter(({ status }) => status === 200)).toHaveLength(37);
    limited.length = 0;
    const refused = await api.ask('/comment', {
      method: 'POST',
      key,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ key: 'k', title: 't', contents: 'c' }),
    });
    expectLimited(refused, 'key', 40);
    expect(limited).toEqual(['key']);
    expect(await api.db.db.collection('comments').countDocuments()).toBe(0);
  }, 90_000);

  it('is each live key of a tenant its own, as it is while one replaces the other', async () => {
    await minuteWithRoom();
    const old = await api.createKey('rotating');
    await Promise.all(Array.from({ length: 41 }, () => api.ask('/link', { key: old })));
    expectLimited(await api.ask('/link', { key: old }), 'key', 40);
    const rotated = await rotateApiKey(api.db, idOf(old), {
      now: api.clock.now(),
      overlapMs: 3_600_000,
    });
    const answer = await api.ask('/link', { key: String(rotated?.key) });
    expect([answer.status, answer.headers.ratelimit]).toEqual([
      200,
      expect.stringMatching(/^"key";r=39;/),
    ]);
  }, 90_000);

  it('holds over two processes, but for a tenth of it', async () => {
    await minuteWithRoom();
    const key = await api.createKey('b');
    const ask = async (url: string) =>
      (await fetch(`${url}/link`, { headers: { 'X-API-Key': key } })).status;
    const statuses = await Promise.all(
      Array.from({ length: 120 }, (_, index) => ask(index % 2 === 0 ? api.url : other.url)),
    );
    const admitted = statuses.filter((status) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(40);
    expect(admitted).toBeLessThanOrEqual(44);
    expect(statuses.filter((status) => status === 429)).toHaveLength(120 - admitted);
    // A moment later both know that it is spent.
    for (const url of [api.url, other.url]) {
      for (let tries = 0; tries < 100 && (await ask(url)) === 200; tries += 1) await sleep(50);
      expect(await ask(url)).toBe(429);
    }
  }, 90_000);
});

describe('failed keys', () => {
  const fail = (from: string, key: string | null = 'trb_x') =>
    api.ask('/link', { key, headers: { 'X-Forwarded-For': from } });

  it('of one address are 401, then 429, while its good keys and other addresses go on', async () => {
    const good = await api.createKey('c');
    const statuses: number[] = [];
    for (const key of [null, 'x', 'trb_x', `${good}x`, good.slice(0, -1), 'y', null]) {
      statuses.push((await fail('198.51.100.1', key)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expectLimited(await fail('198.51.100.1'), 'address', 5);
    expect(limited.at(-1)).toBe('address');
    expect((await fail('198.51.100.1', good)).status).toBe(200);
    expect((await fail('198.51.100.2')).status).toBe(401);
  });

  it('a thousand at once keep no good key of the same address out', async () => {
    const good = await api.createKey('d');
    const ask = async (key: string) => {
      const headers = { 'X-API-Key': key, 'X-Forwarded-For': '198.51.100.3' };
      return (await fetch(`${api.url}/link`, { headers })).status;
    };
    const bad = Array.from({ length: 1_000 }, () => ask('trb_bad'));
    expect(await ask(good)).toBe(200);
    const statuses = await Promise.all(bad);
    expect(statuses.filter((status) => status === 429)).toHaveLength(995);
  }, 30_000);

  it('counts who is on the socket where no proxy is trusted', async () => {
    const { db, box, clock } = api;
    const logger = createLogger({ name: 'test', level: 'silent' });
    const env = { ...api.env, TRUSTED_PROXIES: '' };
    const direct = await createApi({ env, db, box, clock, logger });
    try {
      const statuses: number[] = [];
      for (let index = 0; index < 7; index += 1) {
        const headers = { 'X-API-Key': 'x', 'X-Forwarded-For': `198.51.100.${index}` };
        statuses.push((await fetch(`${direct.url}/link`, { headers })).status);
      }
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    } finally {
      await direct.close();
    }
  });
});
