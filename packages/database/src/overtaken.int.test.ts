import type { Day, ObservationRow } from '@tributary/shared';
import { changes } from './changes.ts';
import type { Database } from './database.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import {
  collect,
  coverageOf,
  createTestAccount,
  intercept,
  sealNow,
  servedOf,
  unsealedOf,
} from './test-turns.ts';

const DAY = '2026-11-02';
const days: readonly Day[] = [DAY];
let test: TestDatabase;

beforeAll(async () => {
  test = await openTestDatabase('overtaken');
}, 60_000);
afterAll(() => test.drop());

const row = (entity: string, clicks: number): ObservationRow => [
  ...(['', '', ''].with(0, entity) as [string, string, string]),
  '',
  ...([clicks * 10, clicks, 0, 0, 1_000_000, null, clicks] as const),
];

/** A database that runs `meanwhile` once, right before the first write to a collection reaches the server. */
function delayedBefore(db: Database, collection: string, meanwhile: () => Promise<void>) {
  const seen = { times: 0 };
  const delayed = intercept(db, async (step, call) => {
    if (step.isWrite && step.collection === collection) {
      seen.times += 1;
      if (seen.times === 1) await meanwhile();
    }
    return await call();
  });
  return { delayed, seen };
}

it('a late insert of an entity that a newer reading no longer has is taken back', async () => {
  const { db } = test;
  const account = await createTestAccount(db, 'lateinsert');
  const read = (run: number, rows: ObservationRow[]) =>
    collect(db, account, { run, source: 'c-base', days, rows: () => rows });
  await read(1, [row('c1', 1), row('c2', 1)]);
  const { delayed, seen } = delayedBefore(db, 'statDays', async () => {
    await read(2, [row('c1', 1)]);
    await sealNow(db, account, days);
  });
  await sealNow(delayed, account, days);
  expect(seen.times).toBeGreaterThan(0);
  expect([...(await servedOf(db, 'lateinsert')).keys()]).toEqual([`lateinsert.c.c1.${DAY}`]);
});

it('a late update to figures that a newer reading has taken back is mended', async () => {
  const { db } = test;
  const account = await createTestAccount(db, 'lateupdate');
  const read = (run: number, clicks: number) =>
    collect(db, account, { run, source: 'c-base', days, rows: () => [row('c1', clicks)] });
  await read(1, 5);
  await sealNow(db, account, days);
  await read(2, 9);
  const { delayed, seen } = delayedBefore(db, 'statDays', async () => {
    await read(3, 5);
    expect(await sealNow(db, account, days)).toMatchObject({ written: 0, sealed: 1 });
  });
  await sealNow(delayed, account, days);
  expect(seen.times).toBe(2);
  const served = await servedOf(db, 'lateupdate');
  expect(JSON.parse(served.get(`lateupdate.c.c1.${DAY}`) ?? '{}').total.clicks).toBe(5);
});

it('a late write of an ad that a newer reading no longer has becomes zeros', async () => {
  const { db } = test;
  const account = await createTestAccount(db, 'latead');
  const ad = (clicks: number): ObservationRow =>
    ['c1', 'g1', 'd1', '', ...row('', clicks).slice(4)] as ObservationRow;
  const read = (run: number, rows: ObservationRow[]) =>
    collect(db, account, { run, source: 'd-base', days, rows: () => rows });
  await read(1, [ad(3)]);
  const { delayed, seen } = delayedBefore(db, 'adMonths', async () => {
    await read(2, []);
    await sealNow(db, account, days);
  });
  await sealNow(delayed, account, days);
  expect(seen.times).toBe(2);
  expect(await servedOf(db, 'latead')).toEqual(new Map());
});

it('an older turn that sealed newer cells marks them: nothing is left unsealed, nobody is told twice', async () => {
  const { db } = test;
  const account = await createTestAccount(db, 'oldermark');
  const read = (run: number, source: string) =>
    collect(db, account, { run, source, days, rows: () => [row('c1', run)] });
  await read(7, 'c-base');
  await sealNow(db, account, days);
  await read(6, 'c-gender');
  await sealNow(db, account, days);
  expect(unsealedOf(account, await coverageOf(db, account, days))).toEqual([]);
  const feed = await changes(db).find({}).toArray();
  const told = feed.flatMap(({ e }) => e).filter(({ link }) => link === 'oldermark');
  expect(told).toHaveLength(2);
});

it('rows that are gone from the store stop the sealing instead of counting as zeros', async () => {
  const { db } = test;
  const account = await createTestAccount(db, 'gone');
  await collect(db, account, { run: 1, source: 'c-base', days, rows: () => [row('c1', 1)] });
  await db.db.collection('observations').deleteMany({});
  await expect(sealNow(db, account, days)).rejects.toThrow('c-base of 2026-11-02');
  expect(await servedOf(db, 'gone')).toEqual(new Map());
});
