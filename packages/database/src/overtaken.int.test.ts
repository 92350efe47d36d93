import type { Day, ObservationRow } from '@tributary/shared';
import { changes } from './changes.ts';
import type { Database } from './database.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import {
  chunkKeys,
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

/** A database that runs `meanwhile` once, right before the first such call reaches the server. */
function delayedBefore(
  db: Database,
  { collection, isWrite = true }: { collection: string; isWrite?: boolean },
  meanwhile: () => Promise<void>,
  afterwards: () => Promise<void> = async () => undefined,
) {
  const seen = { times: 0 };
  const delayed = intercept(db, async (step, call) => {
    if (step.isWrite !== isWrite || step.collection !== collection) return await call();
    seen.times += 1;
    const isFirst = seen.times === 1;
    if (isFirst) await meanwhile();
    const answer = await call();
    if (isFirst) await afterwards();
    return answer;
  });
  return { delayed, seen };
}

it('a late insert of an entity that a newer reading no longer has is taken back', async () => {
  const { db } = test;
  const account = await createTestAccount(db, 'lateinsert');
  const read = (run: number, rows: ObservationRow[]) =>
    collect(db, account, { run, source: 'c-base', days, rows: () => rows });
  await read(1, [row('c1', 1), row('c2', 1)]);
  const { delayed, seen } = delayedBefore(db, { collection: 'statDays' }, async () => {
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
  const { delayed, seen } = delayedBefore(db, { collection: 'statDays' }, async () => {
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
  const { delayed, seen } = delayedBefore(db, { collection: 'adMonths' }, async () => {
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

it('a late write never replaces what a newer sealing wrote, not even for a moment', async () => {
  const { db } = test;
  const account = await createTestAccount(db, 'latewrite');
  const read = (run: number) =>
    collect(db, account, { run, source: 'c-base', days, rows: () => [row('c1', run)] });
  const clicks = async () => {
    const served = await servedOf(db, 'latewrite');
    return JSON.parse(served.get(`latewrite.c.c1.${DAY}`) ?? '{}').total.clicks;
  };
  await read(1);
  await sealNow(db, account, days);
  await read(2);
  const shown: number[] = [];
  const { delayed } = delayedBefore(
    db,
    { collection: 'statDays' },
    async () => {
      await read(3);
      await sealNow(db, account, days);
    },
    async () => {
      shown.push(await clicks());
    },
  );
  await sealNow(delayed, account, days);
  expect([...shown, await clicks()]).toEqual([3, 3]);
});

it('replaced chunks stay until their day is sealed: they name the entities whose documents must go', async () => {
  const { db } = test;
  const account = await createTestAccount(db, 'former');
  const read = (run: number, entities: string[]) =>
    collect(db, account, {
      run,
      source: 'c-base',
      days,
      rows: () => entities.map((entity) => row(entity, run)),
    });
  await read(1, ['c1', 'c2']);
  await sealNow(db, account, days);
  await read(2, ['c1']);
  const { delayed, seen } = delayedBefore(
    db,
    { collection: 'statDays', isWrite: false },
    async () => {
      await read(3, ['c1']);
    },
  );
  await sealNow(delayed, account, days);
  expect(seen.times).toBeGreaterThan(1);
  expect([...(await servedOf(db, 'former')).keys()]).toEqual([`former.c.c1.${DAY}`]);
  expect(await chunkKeys(db, account)).toEqual([`c-base.${DAY}.0000000003.c-base.0000`]);
});
