import { exchangeRequestCounts } from './request-counts.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('request_counts');
}, 60_000);
afterAll(() => test.drop());

const MINUTE = 60_000;
const tell = (instance: string, counts: Record<string, number>, windowStart = 0) =>
  exchangeRequestCounts(test.db, {
    instance,
    windowStart,
    windowEnd: windowStart + MINUTE,
    counts: new Map(Object.entries(counts)),
  });

describe('exchangeRequestCounts', () => {
  it('gives each process what the others counted of its keys, each key and window apart', async () => {
    expect(await tell('p1', { a: 3, b: 5 })).toEqual(
      new Map([
        ['a', 0],
        ['b', 0],
      ]),
    );
    expect(await tell('p2', { a: 4 })).toEqual(new Map([['a', 3]]));
    expect(await tell('p3', { a: 1 })).toEqual(new Map([['a', 7]]));
    expect(await tell('p1', { a: 3 })).toEqual(new Map([['a', 5]]));
    expect(await tell('p1', { a: 1 }, MINUTE)).toEqual(new Map([['a', 0]]));
  });

  it('telling a count twice, or an older one late, changes nothing', async () => {
    for (const count of [10, 10, 7]) await tell('p1', { twice: count });
    expect(await tell('p2', { twice: 0 })).toEqual(new Map([['twice', 10]]));
  });

  it('loses no count of processes that begin one key at once', async () => {
    const instances = Array.from({ length: 30 }, (_, index) => `q${index}`);
    await Promise.all(instances.map((instance) => tell(instance, { race: 2 })));
    expect(await tell('last', { race: 0 })).toEqual(new Map([['race', 60]]));
  });

  it('writes once for many keys, and marks what it writes for deletion', async () => {
    test.takeCommands();
    const keys = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, 1]));
    expect((await tell('p1', keys)).size).toBe(200);
    expect(test.takeCommands().map((command) => Object.keys(command)[0])).toEqual([
      'update',
      'find',
    ]);
    const stored = await test.db.db
      .collection<{ _id: string }>('requestCounts')
      .findOne({ _id: 'k7.0' });
    expect(stored).toEqual({ _id: 'k7.0', by: { p1: 1 }, expireAt: new Date(2 * MINUTE) });
  });

  it('asks nothing for no keys', async () => {
    test.takeCommands();
    expect(await tell('p1', {})).toEqual(new Map());
    expect(test.takeCommands()).toEqual([]);
  });
});
