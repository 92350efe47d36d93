import { createApiKey, revokeApiKey } from './api-keys.ts';
import { createKeyCheck } from './key-check.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('keycheck');
}, 60_000);
afterAll(() => test.drop());

const NOW = 1_000;
const clock = { now: () => NOW };
const make = () =>
  createApiKey(test.db, { tenant: 't1', scopes: ['admin'], title: 'test', now: NOW });

it('sends nothing to the database for no key and for one whose form or checksum is wrong', async () => {
  const { key } = await make();
  const check = createKeyCheck({ db: test.db, clock });
  const last = key.at(-1);
  test.takeCommands();
  for (const text of [
    undefined,
    '',
    'x',
    ` ${key}`,
    `${key}a`,
    key.toUpperCase(),
    `${key.slice(0, -1)}${last === 'a' ? 'b' : 'a'}`,
    key.replace('trb_', 'trb-'),
    '{"$gt":""}',
    'trb_'.padEnd(100_000, 'a'),
  ]) {
    expect(await check(text)).toBeUndefined();
  }
  expect(test.takeCommands()).toEqual([]);
  expect(await check(key)).toMatchObject({ tenant: 't1', scopes: ['admin'] });
  expect(test.takeCommands().map((command) => Object.keys(command)[0])).toEqual(['find']);
});

it('asks once for many requests at once, and for what it knows not at all', async () => {
  const { key } = await make();
  const check = createKeyCheck({ db: test.db, clock, monotonic: () => 0 });
  test.takeCommands();
  const found = await Promise.all(Array.from({ length: 50 }, () => check(key)));
  expect(found.every((one) => one?.tenant === 't1')).toBe(true);
  await check(key);
  expect(test.takeCommands()).toHaveLength(1);
});

it('an unknown key is asked for once in four seconds, like one that is known', async () => {
  const { id, key } = await make();
  await test.db.db.collection<{ _id: string }>('apiKeys').deleteOne({ _id: id });
  let passed = 0;
  const check = createKeyCheck({ db: test.db, clock, monotonic: () => passed });
  test.takeCommands();
  for (const at of [0, 3_999, 4_000]) {
    passed = at;
    expect(await check(key)).toBeUndefined();
  }
  expect(test.takeCommands()).toHaveLength(2);
});

it('refuses a key with the id of another, and one that was revoked before it was asked for', async () => {
  const [{ id, key }, other] = [await make(), await make()];
  const stolen = createKeyCheck({ db: test.db, clock });
  const keys = test.db.db.collection<{ _id: string; digest: string }>('apiKeys');
  const { digest = '' } = (await keys.findOne({ _id: other.id })) ?? {};
  await keys.updateOne({ _id: id }, { $set: { digest } });
  expect(await stolen(key)).toBeUndefined();
  await revokeApiKey(test.db, other.id, NOW);
  expect(await stolen(other.key)).toBeUndefined();
});
