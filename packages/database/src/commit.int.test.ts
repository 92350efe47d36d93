import type { Day, ObservationRow } from '@tributary/shared';
import { createCollection } from './commit.ts';
import { CHUNK_ROWS_MAX } from './observations.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import {
  chunkKeys,
  chunksOf,
  collect,
  coverageOf,
  createTestAccount,
  danglingOf,
  intercept,
  NOW,
  sealNow,
  servedOf,
  versionOf,
} from './test-turns.ts';

const DAYS: readonly Day[] = ['2026-11-02', '2026-11-03'];
const [DAY = ''] = DAYS;
const days = [DAY];
let test: TestDatabase;

beforeAll(async () => {
  test = await openTestDatabase('commit');
}, 60_000);
afterAll(() => test.drop());

const row = (entity: string, clicks: number): ObservationRow => [
  entity,
  '',
  '',
  '',
  ...([clicks * 10, clicks, 0, 0, 1_000_000, null, clicks] as const),
];

const newAccount = (link: string) => createTestAccount(test.db, link);
const reading = (run: number, rows: ObservationRow[], over: readonly Day[] = days) => ({
  run,
  source: 'c-base',
  days: over,
  rows: () => rows,
});

it('an answer that did not change moves the fetch time and writes nothing else', async () => {
  const account = await newAccount('unchanged');
  await collect(test.db, account, reading(1, [row('c1', 1), row('c2', 2)], DAYS));
  await sealNow(test.db, account, DAYS);
  const before = {
    served: await servedOf(test.db, 'unchanged'),
    keys: await chunkKeys(test.db, account),
    cv: await versionOf(test.db, account),
  };
  const outcomes = await collect(test.db, account, reading(2, [row('c2', 2), row('c1', 1)], DAYS));
  expect([...outcomes.values()]).toEqual(['unchanged', 'unchanged']);
  test.takeCommands();
  expect(await sealNow(test.db, account, DAYS)).toEqual({ written: 0, sealed: 0 });
  const sent = test.takeCommands().map((command) => Object.keys(command)[0]);
  expect(sent.filter((name) => name !== 'find')).toEqual([]);
  const { cells } = await coverageOf(test.db, account, DAYS);
  expect(cells.get(DAY)?.get('c-base')).toMatchObject({ run: 2, base: 1, fetchedAt: NOW + 2 });
  expect({
    served: await servedOf(test.db, 'unchanged'),
    keys: await chunkKeys(test.db, account),
    cv: await versionOf(test.db, account),
  }).toEqual(before);
});

it('an older run never wins, whatever the order of arrival', async () => {
  const orders = [
    [1, 2, 3],
    [3, 2, 1],
    [2, 3, 1],
    [3, 1, 2],
    [1, 3, 2],
    [2, 1, 3],
  ];
  for (const order of orders) {
    const account = await newAccount(`order${order.join('')}`);
    for (const run of order) {
      await collect(test.db, account, reading(run, [row('c1', run)]));
      if (run === 2) await sealNow(test.db, account, days);
    }
    await sealNow(test.db, account, days);
    const { cells } = await coverageOf(test.db, account, days);
    expect([order, cells.get(DAY)?.get('c-base')]).toEqual([
      order,
      expect.objectContaining({ run: 3, base: 3, fetchedAt: NOW + 3 }),
    ]);
    const [text = '{}'] = (await servedOf(test.db, account.link)).values();
    expect([order, JSON.parse(text).total.clicks]).toEqual([order, 3]);
  }
});

it('the same run twice keeps the chunks that its cells point to', async () => {
  const account = await newAccount('twice');
  await collect(test.db, account, reading(1, [row('c1', 1)]));
  await collect(test.db, account, reading(1, [row('c1', 1)]));
  expect(await danglingOf(test.db, account, await coverageOf(test.db, account, days))).toEqual([]);
  await sealNow(test.db, account, days);
  expect((await servedOf(test.db, 'twice')).size).toBe(1);
});

it('a suspected answer of the same run leaves the chunks that its cells point to', async () => {
  const account = await newAccount('doubted');
  await collect(test.db, account, reading(1, [row('c1', 1)]));
  const place = { account: account.id, tenant: 't1', source: 'c-base', from: DAY, to: DAY, run: 1 };
  const collection = createCollection(test.db, { ...place, fetchedAt: NOW + 9, nextSeq: () => 9 });
  expect([...(await collection.commit()).values()]).toEqual(['suspect']);
  const covered = await coverageOf(test.db, account, days);
  expect(covered.cells.get(DAY)?.get('c-base')?.state).toBe('suspect');
  expect(await danglingOf(test.db, account, covered)).toEqual([]);
});

it('an unchanged answer keeps its own chunks when a newer reading replaced the compared ones meanwhile', async () => {
  const account = await newAccount('touch');
  await collect(test.db, account, reading(1, [row('c1', 1)]));
  await sealNow(test.db, account, days);
  const seen = { updates: 0 };
  const late = intercept(test.db, async (step, call) => {
    if (step.collection === 'coverage' && step.isWrite) {
      seen.updates += 1;
      if (seen.updates === 1) {
        await collect(test.db, account, reading(2, [row('c1', 2)]));
        await sealNow(test.db, account, days);
      }
    }
    return await call();
  });
  await collect(late, account, reading(3, [row('c1', 1)]));
  expect(seen.updates).toBe(2);
  const covered = await coverageOf(test.db, account, days);
  expect(covered.cells.get(DAY)?.get('c-base')).toMatchObject({ run: 3, base: 3 });
  expect(await danglingOf(test.db, account, covered)).toEqual([]);
});

it('a day without rows is collected: once new, then unchanged, however the nothing was said', async () => {
  const account = await newAccount('nothing');
  const outcome = async (run: number, isSaid: boolean) => {
    const target = { account: account.id, tenant: 't1', source: 'c-base', from: DAY, to: DAY, run };
    const collection = createCollection(test.db, { ...target, fetchedAt: NOW, nextSeq: () => 1 });
    if (isSaid) await collection.add([{ day: DAY, set: 'c-base', rows: [] }]);
    return [...(await collection.commit()).values()];
  };
  expect(await outcome(1, false)).toEqual(['new']);
  expect(await outcome(2, true)).toEqual(['unchanged']);
  expect(await sealNow(test.db, account, days)).toEqual({ written: 0, sealed: 1 });
});

it('a day that lost all its rows is sealed without documents', async () => {
  const account = await newAccount('emptied');
  await collect(test.db, account, reading(1, [row('c1', 1)]));
  await sealNow(test.db, account, days);
  await collect(test.db, account, reading(2, []));
  expect(await sealNow(test.db, account, days)).toEqual({ written: 1, sealed: 1 });
  expect(await servedOf(test.db, 'emptied')).toEqual(new Map());
});

it('rows of other days and windows over two months are refused by name', async () => {
  const account = await newAccount('refused');
  await expect(
    collect(test.db, account, {
      ...reading(1, [row('c1', 1)]),
      days: ['2026-10-31', '2026-11-01'],
    }),
  ).rejects.toThrow('2026-10-31..2026-11-01');
  const target = {
    account: account.id,
    tenant: 't1',
    source: 'c-base',
    from: DAY,
    to: DAY,
    run: 1,
  };
  const collection = createCollection(test.db, { ...target, fetchedAt: NOW, nextSeq: () => 1 });
  const stray = [{ day: '2026-11-03', set: 'c-base', rows: [] }] as const;
  await expect(collection.add(stray)).rejects.toThrow("Day '2026-11-03' of c-base lies outside");
  expect(await chunkKeys(test.db, account)).toEqual([]);
});

it('more rows than a chunk holds go into several and come back whole, beyond 2^53 too', async () => {
  const account = await newAccount('large');
  const huge = 2n ** 60n + 1n;
  const rows = Array.from({ length: CHUNK_ROWS_MAX + 5 }, (_, index): ObservationRow => {
    const spend = index === 0 ? huge : 1;
    return [`c${index}`, '', '', '', 3, 1, 0, 0, spend, null, null];
  });
  const outcome = await collect(test.db, account, reading(1, rows));
  expect([...outcome.values()]).toEqual(['new']);
  expect(await chunkKeys(test.db, account)).toEqual([
    `c-base.${DAY}.0000000001.c-base.0000`,
    `c-base.${DAY}.0000000001.c-base.0001`,
  ]);
  const range = { account: account.id, source: 'c-base', from: DAY, to: DAY };
  const stored = (await chunksOf(test.db, range)).flatMap((piece) => piece.rows);
  expect(stored).toHaveLength(rows.length);
  expect(stored[0]).toEqual(rows[0]);
  expect(new Set(stored.map((one) => (one as ObservationRow)[0])).size).toBe(rows.length);
  const covered = await coverageOf(test.db, account, days);
  expect(covered.cells.get(DAY)?.get('c-base')?.chunks).toBe(2);
}, 30_000);

it('sums beyond 2^53 are stored and served to the unit', async () => {
  const account = await newAccount('huge');
  const micros = 2n ** 60n + 1n;
  const huge: ObservationRow = ['c1', '', '', '', 2n ** 55n + 1n, 1, 0, 0, micros, null, null];
  const ad: ObservationRow = ['c1', 'g1', 'd1', '', 2n ** 55n + 1n, 1, 0, 0, micros, null, null];
  await collect(test.db, account, reading(1, [huge]));
  await collect(test.db, account, { run: 1, source: 'd-base', days, rows: () => [ad] });
  await sealNow(test.db, account, days);
  const served = await servedOf(test.db, 'huge');
  expect(served.get(`huge.c.c1.${DAY}`)).toContain('"impressions":36028797018963969,');
  expect(served.get(`huge.c.c1.${DAY}`)).toContain('"spend":1152921504606.846977,');
  const figures = [2n ** 55n + 1n, 1, 0, 0, micros, null, null];
  expect(served.get(`huge.d.d1.${DAY}`)).toBe(String(figures));
});
