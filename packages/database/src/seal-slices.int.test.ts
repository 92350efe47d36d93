import { CHANNELS, eachDay, sourcesOf } from '@tributary/shared';
import { coverage } from './coverage.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import {
  collect,
  coverageOf,
  createTestAccount,
  sealNow,
  servedOf,
  unsealedOf,
} from './test-turns.ts';

const DAYS = eachDay('2026-11-02', '2026-11-10');
/** More than one sealing holds of two such days. */
const ROWS = 60_000;

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

it('a day of more rows than one sealing holds is sealed in shares of its ad groups, to the same texts', async () => {
  const account = await createTestAccount(test.db, 'shares');
  const [day = ''] = DAYS;
  const groups = Array.from({ length: 9 }, (_, index) => `g${index}`);
  for (const source of ['g-age', 'g-base']) {
    await collect(test.db, account, {
      run: 1,
      source,
      days: [day],
      rows: () =>
        groups.map((id, index) => {
          const value = source === 'g-age' ? '25-34' : '';
          // One list exceeds its total: the mark says so whichever share the ad group falls into.
          const clicks = source === 'g-age' && index === 4 ? 9 : 4;
          return ['c1', id, '', value, 90, clicks, 0, 0, 5, null, 1];
        }),
    });
  }
  const seal = () => sealNow(test.db, account, [day]);
  const mark = async () => (await coverageOf(test.db, account, [day])).sealed.get(day)?.g;
  await seal();
  const whole = { served: await servedOf(test.db, 'shares'), mark: await mark() };
  expect(whole.served.size).toBe(groups.length);
  expect(whole.mark?.over).toEqual({ age: 1.25 });

  const month = { _id: `${account.id}.2026-11` };
  const path = `d.${day.slice(8)}`;
  await coverage(test.db).updateOne(month, {
    $set: { [`${path}.g-age.o.g`]: `${4 * ROWS}-x` },
    $unset: { [`${path}.sealed`]: '' as const },
  });
  await test.db.db.collection('statDays').deleteMany({ _id: { $regex: '^shares' } } as object);
  test.takeCommands();
  await seal();
  const readings = test.takeCommands().filter(({ find }) => find === 'observations');
  expect(readings).toHaveLength(3 * sourcesOf(CHANNELS.SOCIAL_ADS, 'g').length);
  expect({ served: await servedOf(test.db, 'shares'), mark: await mark() }).toEqual(whole);
});
