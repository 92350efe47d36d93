import type { ObservationRow } from '@tributary/shared';
import { createCollection } from './commit.ts';
import { readCoverage } from './coverage.ts';
import { observations } from './observations.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

const HOUR = 3_600_000;
const day = '2026-11-02';
const now = Date.parse('2026-11-20T12:00:00Z');
let database: TestDatabase;
let seq = 0;

beforeAll(async () => {
  database = await openTestDatabase('suspect');
}, 60_000);

afterAll(async () => {
  await database.drop();
});

function totals(spend: number): ObservationRow {
  return ['c1', '', '', '', 100, 1, 0, 0, spend, null, 5];
}

async function collect(run: number, rows: ObservationRow[], fetchedAt: number, everyDay = false) {
  const target = {
    account: 'l1.1',
    tenant: 't1',
    source: 'c-base',
    from: day,
    to: day,
    run,
    fetchedAt,
    everyDay,
  };
  const collection = createCollection(database.db, {
    ...target,
    nextSeq() {
      seq += 1;
      return seq;
    },
  });
  await collection.add([{ day, set: 'c-base', rows }]);
  return (await collection.commit()).get(day);
}

async function cell() {
  return (await readCoverage(database.db, 'l1.1', day, day)).cells.get(day)?.get('c-base');
}

test('an empty answer leaves what is stored until it was given three times over six hours', async () => {
  expect(await collect(1, [totals(1_000_000)], now)).toBe('new');
  expect(await collect(2, [], now + HOUR)).toBe('suspect');
  expect(await cell()).toMatchObject({
    base: 1,
    run: 1,
    state: 'suspect',
    code: 'suspicious_answer',
    retryAt: now + 4 * HOUR,
  });
  expect(await collect(3, [], now + 4 * HOUR)).toBe('suspect');
  expect(await collect(4, [], now + 7 * HOUR)).toBe('changed');
  expect(await cell()).toMatchObject({ base: 4, state: 'ok', chunks: 0 });
  expect((await cell())?.suspicion).toBeUndefined();
});

test('a fraction of the spend is kept out, and the usual answer afterwards ends the suspicion', async () => {
  expect(await collect(5, [totals(1_000_000)], now + 8 * HOUR)).toBe('changed');
  expect(await collect(6, [totals(100_000)], now + 9 * HOUR)).toBe('suspect');
  expect(await collect(7, [totals(1_000_000)], now + 10 * HOUR)).toBe('unchanged');
  expect(await cell()).toMatchObject({ base: 5, run: 7, state: 'ok', spend: 1_000_000 });
  const keys = await observations(database.db)
    .find({ _id: /\.000000000[67]\./ })
    .toArray();
  expect(keys).toEqual([]);
});

test('a day that a complete answer leaves out is not taken for zero', async () => {
  expect(await collect(8, [], now + 11 * HOUR, true)).toBe('not given');
  expect(await cell()).toMatchObject({ base: 5, run: 7, state: 'failed', code: 'day_not_given' });
});
