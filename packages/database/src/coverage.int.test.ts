import type { BlogDay, Day, ObservationRow, SetId } from '@tributary/shared';
import { findBlogDays } from './blog-months.ts';
import { createCollection } from './commit.ts';
import { type CellChange, moveCells } from './coverage.ts';
import type { AuthorizedLink } from './links.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import { coverageOf, createTestAccount, NOW, sealNow, servedOf, unsealedOf } from './test-turns.ts';

const DAY: Day = '2026-11-02';
const days = [DAY];
let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('coverage');
}, 60_000);
afterAll(() => test.drop());

function shuffled<T>(list: readonly T[], turn: number): T[] {
  return list
    .map((item, index) => [Math.sin(turn * 31 + index * 17), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

it('cells end at the newest attempt and the newest rows, in whatever order and form attempts arrive', async () => {
  const account = await createTestAccount(test.db, 'attempts');
  const target = { account: account.id, tenant: 't1' };
  const work = { triedAt: NOW };
  const attempts: { run: number; seq: number; change: Omit<CellChange, 'day' | 'source'> }[] = [
    {
      run: 1,
      seq: 1,
      change: {
        kept: { base: 1, fetchedAt: NOW, digest: 'zz', chunks: 9 },
        work: { ...work, state: 'ok' },
      },
    },
    {
      run: 2,
      seq: 1,
      change: {
        work: { ...work, state: 'waiting', report: { id: 'r', from: DAY, to: DAY, at: NOW } },
      },
    },
    {
      run: 2,
      seq: 2,
      change: {
        work: { ...work, state: 'failed', tries: 1, retryAt: NOW + 1.5, code: 'x', detail: 'y' },
      },
    },
    {
      run: 2 ** 31,
      seq: 1,
      change: {
        kept: { base: 2, fetchedAt: NOW - 5, digest: 'aa', chunks: 1 },
        work: { ...work, state: 'ok' },
      },
    },
    { run: 2 ** 31 + 1, seq: 10, change: { work: { ...work, state: 'suspect', tries: 3 } } },
    {
      run: 2 ** 31 + 1,
      seq: 9,
      change: { work: { ...work, state: 'failed', tries: 7, retryAt: NOW } },
    },
  ];
  for (let turn = 0; turn < 20; turn += 1) {
    const source = `order${turn}`;
    for (const { run, seq, change } of shuffled(attempts, turn)) {
      await moveCells(test.db, { ...target, run, seq }, [{ day: DAY, source, ...change }]);
    }
    const { cells } = await coverageOf(test.db, account, days);
    expect([turn, cells.get(DAY)?.get(source)]).toEqual([
      turn,
      {
        state: 'suspect',
        triedAt: NOW,
        tries: 3,
        run: 2 ** 31,
        base: 2,
        fetchedAt: NOW - 5,
        digest: 'aa',
        chunks: 1,
      },
    ]);
  }
}, 30_000);

const blogDay = (visits: number): BlogDay => ({
  pageViews: visits * 2,
  visitors: visits,
  visits,
  averageDurationSeconds: 12,
  referrers: [{ title: 'search', count: visits, detail: [{ title: 'a', count: visits }] }],
  posts: [{ id: '1', title: 'Post', views: visits, type: 'post', writtenOn: DAY }],
  neighbours: { mutual: 1, oneWay: 2, other: visits },
});

it('a blog day is served as it was observed last, and an unchanged one writes nothing', async () => {
  const account = await createTestAccount(test.db, 'blog', 'PORTAL1_BLOG');
  const link = { _id: 'blog' } as AuthorizedLink; // only its id is asked
  const read = async (run: number, rows: BlogDay[]) => {
    const place = {
      account: account.id,
      tenant: 't1',
      source: 'blog-days',
      from: DAY,
      to: DAY,
      believed: true,
    } as const;
    const collection = createCollection(test.db, {
      ...place,
      run,
      fetchedAt: NOW + run,
      nextSeq: () => 1,
    });
    await collection.add([{ day: DAY, set: 'blog', rows }]);
    await collection.commit();
    return await sealNow(test.db, account, days);
  };
  expect(await read(1, [blogDay(5)])).toEqual({ written: 1, sealed: 1 });
  expect(await read(2, [blogDay(5)])).toEqual({ written: 0, sealed: 0 });
  expect(await read(4, [blogDay(3)])).toEqual({ written: 1, sealed: 1 });
  expect(await read(3, [blogDay(9)])).toEqual({ written: 0, sealed: 0 });
  expect(await findBlogDays(test.db, link, DAY, DAY)).toEqual(new Map([[DAY, blogDay(3)]]));
  expect(await read(5, [])).toEqual({ written: 1, sealed: 1 });
  expect((await findBlogDays(test.db, link, DAY, DAY)).get(DAY)?.visits).toBe(0);
});

it('one source that fills three levels seals them all, summed upwards', async () => {
  const account = await createTestAccount(test.db, 'upward', 'PORTAL1_SEARCH_AD');
  const place = { account: account.id, tenant: 't1', source: 'ad', from: DAY, to: DAY, run: 1 };
  const collection = createCollection(test.db, { ...place, fetchedAt: NOW, nextSeq: () => 1 });
  const row = (ids: [string, string, string], value: string, clicks: number): ObservationRow => [
    ...ids,
    value,
    clicks * 10,
    clicks,
    0,
    0,
    clicks * 1_000_000,
    null,
    null,
  ];
  const add = (set: SetId, rows: ObservationRow[]) => collection.add([{ day: DAY, set, rows }]);
  await add('d-base', [
    row(['c1', 'g1', 'd1'], '', 1),
    row(['c1', 'g1', 'd2'], '', 2),
    row(['c1', 'g2', 'd3'], '', 4),
  ]);
  await add('g-keyword', [row(['c1', 'g1', ''], 'shoes', 3), row(['c1', 'g2', ''], 'shoes', 3)]);
  await add('g-device', [row(['c1', 'g1', ''], 'mobile', 3)]);
  await collection.commit();
  await sealNow(test.db, account, days);
  const served = await servedOf(test.db, 'upward');
  const shown = (key: string) => {
    const { total, keyword, device } = JSON.parse(served.get(`upward.${key}.${DAY}`) ?? '{}');
    const list = (entries: { data: { clicks: number } }[]) =>
      entries.map(({ data }) => data.clicks);
    return [total.clicks, list(keyword), list(device)];
  };
  expect(shown('c.c1')).toEqual([7, [6, 1], [3, 4]]);
  expect(shown('g.g1')).toEqual([3, [3], [3]]);
  expect(shown('g.g2')).toEqual([4, [3, 1], [4]]);
  expect([...served.keys()].filter((key) => key.startsWith('upward.d.'))).toHaveLength(3);
  expect(unsealedOf(account, await coverageOf(test.db, account, days))).toEqual([]);
});
