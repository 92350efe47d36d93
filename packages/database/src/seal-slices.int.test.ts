import { eachDay } from '@tributary/shared';
import { coverage } from './coverage.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import { collect, coverageOf, createTestAccount, sealNow, unsealedOf } from './test-turns.ts';

const DAYS = eachDay('2026-11-02', '2026-11-10');
/** More than one sealing holds of two such days. */
const ROWS = 120_000;

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('slices');
}, 60_000);
afterAll(() => test.drop());

/** The widest range of days whose rows were read at once. */
function daysReadAtOnce(): number {
  const ranges = test.takeCommands().flatMap(({ find, filter }) => {
    if (find !== 'observations') return [];
    const [from = '', to = ''] = [filter._id.$gte, filter._id.$lt].map(
      (key) => /\d{4}-\d\d-\d\d/.exec(key)?.[0],
    );
    return [eachDay(from, to).length];
  });
  return Math.max(...ranges);
}

it('days with many rows are sealed a few at a time, days with few together', async () => {
  const account = await createTestAccount(test.db, 'slices');
  for (const source of ['c-age', 'c-base']) {
    await collect(test.db, account, {
      run: 1,
      source,
      days: DAYS,
      rows: () => [['c1', '', '', source === 'c-age' ? '25-34' : '', 9, 1, 0, 0, 5, null, 1]],
    });
  }
  const seal = () => sealNow(test.db, account, DAYS);
  test.takeCommands();
  await seal();
  expect(daysReadAtOnce()).toBe(DAYS.length);

  // The digest tells how many rows there are; that many need not be stored for it.
  const many = Object.fromEntries(
    DAYS.slice(1).map((day) => [`d.${day.slice(8)}.c-age.o.g`, `${ROWS}-x`]),
  );
  const taken = Object.fromEntries(DAYS.map((day) => [`d.${day.slice(8)}.sealed`, '' as const]));
  const month = { _id: `${account.id}.2026-11` };
  await coverage(test.db).updateOne(month, { $set: many, $unset: taken });
  test.takeCommands();
  await seal();
  expect(daysReadAtOnce()).toBe(2); // the small day with the first of the large ones
  expect(unsealedOf(account, await coverageOf(test.db, account, DAYS))).toEqual([]);
});
