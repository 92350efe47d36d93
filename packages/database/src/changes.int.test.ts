import { changes, publishChange } from './changes.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('changes');
}, 60_000);
afterAll(() => test.drop());

const change = (writer: number, at: number) => ({
  at,
  link: `l${writer}`,
  account: `l${writer}.77`,
  level: 'c' as const,
  days: ['2026-11-02'],
});

const feedOf = (tenant: string) =>
  changes(test.db)
    .find({ _id: { $gte: `${tenant}.`, $lt: `${tenant}/` } })
    .sort({ _id: 1 })
    .toArray();

it('four writers at once lose nothing: full buckets without a gap, each writer in its own order', async () => {
  const writers = 4;
  const each = 160;
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let at = 0; at < each; at += 1) {
        await publishChange(test.db, 'tenant', change(writer, at));
      }
    }),
  );
  const buckets = await feedOf('tenant');
  expect(buckets.map(({ _id, n, e }) => [_id, n, e.length])).toEqual(
    [100, 100, 100, 100, 100, 100, 40].map((n, index) => [`tenant.000000000${index}`, n, n]),
  );
  const feed = buckets.flatMap(({ e }) => e);
  for (let writer = 0; writer < writers; writer += 1) {
    const own = feed.filter(({ link }) => link === `l${writer}`).map(({ at }) => at);
    expect(own).toEqual(Array.from({ length: each }, (_, at) => at));
  }
}, 60_000);

it('a reader that follows the feed sees every change once and none before an earlier one', async () => {
  const state = { isOver: false };
  const seen: string[] = [];
  const follow = async () => {
    let [bucket, place] = [0, 0];
    while (true) {
      const wasOver = state.isOver;
      const [found] = await changes(test.db)
        .find({ _id: `followed.${String(bucket).padStart(10, '0')}` })
        .toArray();
      const fresh = found?.e.slice(place) ?? [];
      seen.push(...fresh.map(({ link, at }) => `${link} ${at}`));
      place += fresh.length;
      if (place === 100) [bucket, place] = [bucket + 1, 0];
      else if (wasOver && fresh.length === 0) return;
    }
  };
  const writing = Promise.all(
    [0, 1, 2].map(async (writer) => {
      for (let at = 0; at < 60; at += 1)
        await publishChange(test.db, 'followed', change(writer, at));
    }),
  ).finally(() => {
    state.isOver = true;
  });
  await Promise.all([follow(), writing]);
  const stored = (await feedOf('followed')).flatMap(({ e }) => e);
  expect(seen).toEqual(stored.map(({ link, at }) => `${link} ${at}`));
  expect(new Set(seen).size).toBe(180);
}, 60_000);

it('tenants whose names begin alike have feeds of their own', async () => {
  await publishChange(test.db, 'a', change(1, 1));
  await publishChange(test.db, 'a-b', change(2, 2));
  await publishChange(test.db, 'ab', change(3, 3));
  expect((await feedOf('a')).flatMap(({ e }) => e)).toEqual([change(1, 1)]);
  expect((await feedOf('a-b')).map(({ _id }) => _id)).toEqual(['a-b.0000000000']);
});

it('control: a counter and then an entry leaves gaps that a reader takes for the end', async () => {
  const counters = test.db.db.collection<{ _id: string; n: number }>('naiveCounter');
  const entries = test.db.db.collection<{ _id: number }>('naiveEntries');
  await counters.insertOne({ _id: 'x', n: 0 });
  const next = async () => {
    const counted = await counters.findOneAndUpdate(
      { _id: 'x' },
      { $inc: { n: 1 } },
      { returnDocument: 'after' },
    );
    return counted?.n ?? 0;
  };
  // One writer is slow between its two writes: what another one adds meanwhile is read before it.
  const slow = await next();
  const quick = await next();
  await entries.insertOne({ _id: quick });
  const seen = await entries.find().sort({ _id: 1 }).toArray();
  expect(seen.map(({ _id }) => _id)).toEqual([2]);
  await entries.insertOne({ _id: slow });
  const later = await entries.find({ _id: { $gt: quick } }).toArray();
  expect(later).toEqual([]); // the reader goes on after 2 and never learns of 1
}, 60_000);
