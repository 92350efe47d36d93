import { randomBytes } from 'node:crypto';
import { type Day, eachDay, type ObservationRow, type SetId } from '@tributary/shared';
import { commitImport } from './commit-import.ts';
import { readCoverage } from './coverage.ts';
import { deleteLink, purgeLink } from './delete-link.ts';
import { holdImportLock, IMPORT_LOCK_MS, releaseImportLock } from './import-lock.ts';
import { createImportStage } from './import-stage.ts';
import { createLink } from './links.ts';
import { readObservations } from './observations.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import { collect, createTestAccount, loadAccount, NOW, type TestAccount } from './test-turns.ts';
import { takeRun } from './turns.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('import');
});
afterAll(() => test.drop());

const row = (value: string, impressions: number | bigint = 5): ObservationRow => [
  'c1',
  '',
  '',
  value,
  impressions,
  1,
  0,
  0,
  2,
  null,
  null,
];

const stageOf = ({ link }: TestAccount, id: string) =>
  createImportStage(test.db, { id, link, tenant: 't1', now: NOW });

type Rows = readonly [day: Day, set: SetId, value: string, impressions?: number][];

async function importRows(account: TestAccount, id: string, rows: Rows, now = NOW) {
  const stage = stageOf(account, id);
  for (const [index, [day, set, value, impressions]] of rows.entries()) {
    const staged = { number: index + 1, key: `${set} ${value}`, set, row: row(value, impressions) };
    await stage.add({ account: account.id, day }, staged);
  }
  const days = await stage.finish();
  const results = await commitImport(test.db, stage, {
    account: await loadAccount(test.db, account),
    days,
    now,
  });
  await stage.clear();
  return Object.fromEntries(results);
}

const valuesOf = async ({ id }: TestAccount, source: string, day: Day) => {
  const { cells } = await readCoverage(test.db, id, day, day);
  const base = cells.get(day)?.get(source)?.base;
  const range = { account: id, source, from: day, to: day };
  const values: unknown[] = [];
  for await (const { run, rows } of readObservations(test.db, range)) {
    if (run === base) values.push(...rows.map((one) => Array.isArray(one) && one[3]));
  }
  return values;
};

it('keeps rows as they came, by account and day, whatever their order and number', async () => {
  const account = await createTestAccount(test.db, 'stage', 'PORTAL1_DA');
  const stage = stageOf(account, 'one');
  const days = eachDay('2026-11-01', '2026-11-03');
  const other = { account: `${account.link}.78`, day: '2026-11-01' };
  for (let number = 1; number <= 45_000; number += 1) {
    const day = days[number % 3] ?? '';
    const value = number === 7 ? row('huge', 2n ** 70n) : row(`v${number}`);
    await stage.add(
      { account: account.id, day },
      { number, key: `k${number}`, set: 'c-age', row: value },
    );
  }
  await stage.add(other, { number: 45_001, key: 'k', set: 'g-age', row: row('x') });
  expect(await stage.finish()).toEqual([
    ...days.map((day) => ({ account: account.id, day, rows: 15_000 })),
    { ...other, rows: 1 },
  ]);
  const read = await stage.read({ account: account.id, day: '2026-11-02' });
  expect(read.map(({ number }) => number)).toEqual(
    Array.from({ length: 15_000 }, (_, index) => 3 * index + 1),
  );
  expect(read[2]).toEqual({ number: 7, key: 'k7', set: 'c-age', row: row('huge', 2n ** 70n) });
  expect(await stage.read({ account: account.id, day: '2026-11-04' })).toEqual([]);
  await stage.clear();
  expect(await stage.read(other)).toEqual([]);
});

it('commits what a file has of a day and nothing else', async () => {
  const account = await createTestAccount(test.db, 'parts', 'PORTAL1_DA');
  const [day, next, later] = ['2026-11-01', '2026-11-02', '2026-11-05'];
  const first: Rows = [
    [day, 'c-age', '18-24'],
    [day, 'c-gender', 'male'],
    [next, 'c-age', '18-24'],
    [later, 'g-age', '18-24'],
  ];
  expect(await importRows(account, 'one', first)).toEqual({
    [day]: 'stored',
    [next]: 'stored',
    [later]: 'stored',
  });
  const again: Rows = [
    [day, 'c-age', '65+'],
    [next, 'c-age', '18-24'],
  ];
  expect(await importRows(account, 'two', again)).toEqual({ [day]: 'stored', [next]: 'unchanged' });
  expect(await valuesOf(account, 'c-age', day)).toEqual(['65+']);
  expect(await valuesOf(account, 'c-gender', day)).toEqual(['male']);
  const { cells } = await readCoverage(test.db, account.id, day, later);
  expect([...(cells.get(later)?.keys() ?? [])]).toEqual(['g-age']);
  expect([...cells.keys()]).toEqual([day, next, later]);
});

it('is believed, however little of what was there is left', async () => {
  const account = await createTestAccount(test.db, 'little', 'PORTAL1_DA');
  const many: Rows = eachDay('2026-11-01', '2026-11-30').map((_, index) => [
    '2026-11-01',
    'c-age',
    `${index}-99`,
  ]);
  await importRows(account, 'one', many);
  expect(await importRows(account, 'two', [['2026-11-01', 'c-age', '1-99']])).toEqual({
    '2026-11-01': 'stored',
  });
  expect(await valuesOf(account, 'c-age', '2026-11-01')).toEqual(['1-99']);
});

it('wins over a turn that began before it, and gives way to one that began after it', async () => {
  const account = await createTestAccount(test.db, 'race', 'PORTAL1_DA');
  const day = '2026-11-01';
  const collectWith = async (run: number | undefined, value: string) =>
    await collect(test.db, account, {
      run: run ?? 0,
      source: 'c-age',
      days: [day],
      rows: () => [row(value)],
    });
  const before = await takeRun(test.db, account.id);
  await importRows(account, 'one', [[day, 'c-age', 'imported']]);
  await collectWith(before, 'turn before');
  expect(await valuesOf(account, 'c-age', day)).toEqual(['imported']);
  await collectWith(await takeRun(test.db, account.id), 'turn after');
  expect(await valuesOf(account, 'c-age', day)).toEqual(['turn after']);
});

it('wakes the account once and remembers the first import', async () => {
  const account = await createTestAccount(test.db, 'wake', 'PORTAL1_DA');
  const { wake } = await loadAccount(test.db, account);
  await importRows(account, 'one', [['2026-11-01', 'c-age', 'x']], NOW + 5);
  await importRows(account, 'two', [['2026-11-01', 'c-age', 'x']], NOW + 9);
  const after = await loadAccount(test.db, account);
  expect(after).toMatchObject({ wake: wake + 2, importedAt: NOW + 5, nextPlanAt: NOW + 9 });
  expect(await importRows(account, 'three', [])).toEqual({});
  expect(await loadAccount(test.db, account)).toEqual(after);
});

describe('the lock of a link', () => {
  const newLink = () =>
    createLink(test.db, {
      tenant: 't1',
      type: 'PORTAL1_DA',
      title: 'L',
      tag: '',
      settings: {},
      now: NOW,
    });

  it('is given to one of many, until it is released or nobody extends it', async () => {
    const link = await newLink();
    const owners = Array.from({ length: 12 }, (_, index) => `o${index}`);
    const given = await Promise.all(
      owners.map((owner) => holdImportLock(test.db, link, { owner, now: NOW })),
    );
    const winner = owners[given.indexOf(true)] ?? '';
    expect(given.filter(Boolean)).toHaveLength(1);
    const hold = (owner: string, now: number) => holdImportLock(test.db, link, { owner, now });
    expect(await hold(winner, NOW + 30_000)).toBe(true);
    expect(await hold('other', NOW + IMPORT_LOCK_MS)).toBe(false);
    expect(await hold('other', NOW + 30_000 + IMPORT_LOCK_MS)).toBe(true);
    await releaseImportLock(test.db, link, winner);
    expect(await hold(winner, NOW + 40_000 + IMPORT_LOCK_MS)).toBe(false);
    await releaseImportLock(test.db, link, 'other');
    expect(await hold(winner, NOW)).toBe(true);
  });

  it('goes with its link, and what was put aside too', async () => {
    const link = await newLink();
    await holdImportLock(test.db, link, { owner: 'o', now: NOW });
    const stage = createImportStage(test.db, { id: 'o', link: link._id, tenant: 't1', now: NOW });
    await stage.add(
      { account: `${link._id}.77`, day: '2026-11-01' },
      { number: 1, key: 'k', set: 'c-age', row: row('x') },
    );
    await stage.finish();
    await deleteLink(test.db, link, NOW);
    expect(await purgeLink(test.db, link._id)).toEqual({ deleted: 2, done: true });
  });
});

it('rows that are large and of one day are put aside in documents that the store takes', async () => {
  const account = await createTestAccount(test.db, 'large', 'PORTAL1_DA');
  const stage = stageOf(account, 'large');
  const place = { account: account.id, day: '2026-11-01' };
  const values = Array.from({ length: 260 }, () => randomBytes(90_000).toString('base64'));
  for (const [index, value] of values.entries()) {
    await stage.add(place, { number: index + 1, key: 'same', set: 'c-age', row: row(value) });
  }
  await stage.finish();
  const read = await stage.read(place);
  expect(read.map((one) => one.number)).toEqual(values.map((_, index) => index + 1));
  expect(read.every(({ row: one }, index) => Array.isArray(one) && one[3] === values[index])).toBe(
    true,
  );
  await stage.clear();
});
