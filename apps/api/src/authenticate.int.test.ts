import { setTimeout as sleep } from 'node:timers/promises';
import { revokeApiKey, rotateApiKey } from '@tributary/database';
import { createLogger } from '@tributary/runtime';
import { createApi } from './api.ts';
import { createKeyAuthentication } from './authenticate.ts';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ name: 'keys' });
});
afterAll(() => api?.close());

const idOf = (key: string) => key.split('_')[1] ?? '';

describe('createKeyAuthentication', () => {
  it('takes the key as bearer or X-API-Key, and refuses two that differ', async () => {
    const [key, other] = [await api.createKey('a'), await api.createKey('b')];
    const authenticate = createKeyAuthentication(api);
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { authorization: `bearer  ${key}` },
      { 'x-api-key': key },
      { authorization: `Bearer ${key}`, 'x-api-key': key },
    ]) {
      expect(await authenticate(headers)).toEqual({
        tenant: 'a',
        scopes: new Set(['read', 'write', 'refresh']),
        keyId: idOf(key),
      });
    }
    for (const headers of [
      {},
      { authorization: key },
      { authorization: `Basic ${key}` },
      { authorization: `Basic ${key}`, 'x-api-key': key },
      { authorization: `Bearer ${key}`, 'x-api-key': other },
      { 'x-api-key': `${key}, ${other}` },
    ]) {
      await expect(authenticate(headers)).rejects.toMatchObject({ problem: 'unauthenticated' });
    }
  });

  it('a wrong form or checksum costs no question to the database', async () => {
    const db = { db: undefined, close: async () => undefined };
    // Any use of this database fails with a TypeError and not as unauthenticated.
    const authenticate = createKeyAuthentication({ db: db as never, clock: api.clock });
    const key = await api.createKey('a');
    for (const text of ['', 'x', `${key}a`, `${key.slice(0, -1)}0`, key.toUpperCase()]) {
      await expect(authenticate({ 'x-api-key': text })).rejects.toMatchObject({
        problem: 'unauthenticated',
      });
    }
    await expect(authenticate({ 'x-api-key': key })).rejects.toThrow(TypeError);
  });

  it('refuses a revoked key within five seconds and an expired one at once', async () => {
    let passed = 0;
    const authenticate = createKeyAuthentication({ ...api, monotonic: () => passed });
    const key = await api.createKey('a');
    await authenticate({ 'x-api-key': key });
    await revokeApiKey(api.db, idOf(key), api.clock.now());
    passed = 3_999;
    await authenticate({ 'x-api-key': key }); // the answer of before is still kept
    passed = 4_001;
    await expect(authenticate({ 'x-api-key': key })).rejects.toMatchObject({
      problem: 'unauthenticated',
    });
    const expiring = await api.createKey('a');
    const keys = api.db.db.collection<{ _id: string }>('apiKeys');
    const expiresAt = api.clock.now() + 1000;
    await keys.updateOne({ _id: idOf(expiring) }, { $set: { expiresAt } });
    await authenticate({ 'x-api-key': expiring });
    api.clock.set(expiresAt);
    await expect(authenticate({ 'x-api-key': expiring })).rejects.toMatchObject({
      problem: 'unauthenticated',
    });
  });

  it('a failed question is asked again by the next request', async () => {
    let isAway = true;
    const db = {
      get db() {
        if (isAway) throw new Error('away');
        return api.db.db;
      },
      close: async () => undefined,
    };
    const authenticate = createKeyAuthentication({ db, clock: api.clock });
    const key = await api.createKey('a');
    await expect(authenticate({ 'x-api-key': key })).rejects.toThrow('away');
    isAway = false;
    expect(await authenticate({ 'x-api-key': key })).toMatchObject({ tenant: 'a' });
  });
});

describe('keys during traffic', () => {
  it('unknown, revoked and expired ones are the same 401 as none', async () => {
    const now = api.clock.now();
    const keys = api.db.db.collection<{ _id: string }>('apiKeys');
    const [unknown, revoked, expired] = await Promise.all(
      ['u', 'r', 'e'].map((tenant) => api.createKey(tenant)),
    );
    await keys.deleteOne({ _id: idOf(String(unknown)) });
    await revokeApiKey(api.db, idOf(String(revoked)), now);
    await keys.updateOne({ _id: idOf(String(expired)) }, { $set: { expiresAt: now } });
    const bodies = await Promise.all(
      [null, unknown, revoked, expired].map(async (key) => {
        const answer = await api.ask('/link', { key: key ?? null });
        expect(answer.status).toBe(401);
        return { ...(answer.json() as object), requestId: '' };
      }),
    );
    for (const body of bodies) expect(body).toEqual(bodies[0]);
  });

  it('a rotation fails no request, and a revoked key is refused by every process within five seconds', async () => {
    const { db, box, clock, env } = api;
    const logger = createLogger({ name: 'test', level: 'silent' });
    const other = await createApi({ env, db, box, clock, logger });
    try {
      const old = await api.createKey('rotating');
      const statusesOf = (key: string) =>
        Promise.all(
          [api.url, other.url].map(
            async (url) => (await fetch(`${url}/link`, { headers: { 'X-API-Key': key } })).status,
          ),
        );
      expect(await statusesOf(old)).toEqual([200, 200]);
      const rotated = await rotateApiKey(db, idOf(old), {
        now: clock.now(),
        overlapMs: 60_000,
      });
      const both = [old, String(rotated?.key)];
      for (let round = 0; round < 20; round += 1) {
        expect(await Promise.all(both.map(statusesOf))).toEqual([
          [200, 200],
          [200, 200],
        ]);
      }
      await revokeApiKey(db, idOf(old), clock.now());
      const revoked = performance.now();
      let lastAdmitted = revoked;
      for (let tries = 0; tries < 100; tries += 1) {
        const asked = performance.now();
        const statuses = await statusesOf(old);
        if (statuses.every((status) => status === 401)) break;
        lastAdmitted = asked;
        await sleep(100);
      }
      expect(await statusesOf(old)).toEqual([401, 401]);
      expect(lastAdmitted - revoked).toBeLessThan(5_000);
    } finally {
      await other.close();
    }
  }, 30_000);
});
