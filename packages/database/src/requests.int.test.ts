import { beginRequest, finishRequest } from './requests.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('requests');
}, 60_000);
afterAll(() => test.drop());

const answer = { status: 201, headers: { Location: '/comment?idx=1' }, body: '{"idx":1}' };
const begin = (key: string, { now = 1000, fingerprint = 'f', tenant = 't1' } = {}) =>
  beginRequest(test.db, { tenant, key, now, fingerprint });
const finish = (key: string, now = 1000, given: typeof answer | undefined = answer) =>
  finishRequest(test.db, { tenant: 't1', key, now, answer: given });

describe('beginRequest', () => {
  it('lets exactly one of 50 equal requests begin, the others are told to wait', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => begin('race')));
    const count = (wanted: string) => all.filter(({ state }) => state === wanted).length;
    expect([count('begun'), count('busy')]).toEqual([1, 49]);
  });

  it('gives the first answer again', async () => {
    await begin('again');
    await finish('again');
    expect(await begin('again', { now: 2000 })).toEqual({ state: 'answered', answer });
  });

  it('refuses a key that belongs to another request, finished or not', async () => {
    await begin('other');
    expect(await begin('other', { fingerprint: 'g' })).toEqual({ state: 'mismatch' });
    await finish('other');
    expect(await begin('other', { fingerprint: 'g' })).toEqual({ state: 'mismatch' });
  });

  it('knows nothing of the keys of other tenants', async () => {
    await begin('mine');
    await finish('mine');
    expect(await begin('mine', { tenant: 't2' })).toEqual({ state: 'begun' });
  });

  it('lets one of many take over a request that never ended, and its late end changes nothing', async () => {
    await begin('dead', { now: 1000 });
    expect((await begin('dead', { now: 60_999 })).state).toBe('busy');
    const all = await Promise.all(Array.from({ length: 20 }, () => begin('dead', { now: 62_000 })));
    expect(all.filter(({ state }) => state === 'begun')).toHaveLength(1);
    await finish('dead', 1000);
    expect((await begin('dead', { now: 62_001 })).state).toBe('busy');
  });
});

describe('finishRequest', () => {
  it('frees the key when there is no answer to keep', async () => {
    await begin('failed');
    await finishRequest(test.db, { tenant: 't1', key: 'failed', now: 1000 });
    expect((await begin('failed')).state).toBe('begun');
  });

  it('keeps the first answer when it is told twice', async () => {
    await begin('twice');
    await finish('twice');
    await finish('twice', 1000, { ...answer, status: 500 });
    await finishRequest(test.db, { tenant: 't1', key: 'twice', now: 1000 });
    expect(await begin('twice')).toEqual({ state: 'answered', answer });
  });
});
