import { changes, dropOldChanges, publishChange, readChanges } from './changes.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import { intercept } from './test-turns.ts';

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

describe('readChanges', () => {
  const publish = async (tenant: string, from: number, count: number) => {
    for (let at = from; at < from + count; at += 1)
      await publishChange(test.db, tenant, change(1, at));
  };
  /** Every change by pages of a size, with the place behind the last. */
  const readAll = async (tenant: string, limit: number) => {
    const seen: number[] = [];
    let page = await readChanges(test.db, tenant, { limit });
    for (let pages = 0; page && pages < 100; pages += 1) {
      seen.push(...page.changes.map(({ at }) => at));
      if (!page.more) return { seen, place: page.place };
      page = await readChanges(test.db, tenant, { after: page.place, limit });
    }
    throw new Error('The feed broke off');
  };

  it('gives every change once and in order, whatever the size of a page, and goes on behind the last', async () => {
    await publish('paged', 0, 200);
    const whole = Array.from({ length: 200 }, (_, at) => at);
    for (const limit of [1_000, 100, 99, 7]) {
      const { seen, place } = await readAll('paged', limit);
      expect(seen).toEqual(whole);
      expect(place).toEqual({ bucket: 2, index: 0 });
    }
    const behind = { bucket: 2, index: 0 };
    const quiet = await readChanges(test.db, 'paged', { after: behind, limit: 10 });
    expect(quiet).toEqual({ changes: [], place: behind, more: false });
    await publish('paged', 200, 1);
    const fresh = await readChanges(test.db, 'paged', { after: behind, limit: 10 });
    expect(fresh?.changes.map(({ at }) => at)).toEqual([200]);
  });

  it('keeps tenants apart, also those whose names begin alike', async () => {
    await publish('north.east', 0, 150);
    await publish('north', 1_000, 1);
    expect((await readAll('north', 10)).seen).toEqual([1_000]);
    expect((await readAll('north.east', 500)).seen).toHaveLength(150);
    expect((await feedOf('north')).map(({ _id }) => _id)).toEqual(['north.0000000000']);
  });

  it('knows no place that was never reached', async () => {
    const never = { bucket: 3, index: 0 };
    expect(await readChanges(test.db, 'nobody', { after: never, limit: 10 })).toBeUndefined();
    expect(await readChanges(test.db, 'nobody', { limit: 10 })).toMatchObject({ changes: [] });
    await publish('short', 0, 2);
    const ahead = { bucket: 0, index: 3 };
    expect(await readChanges(test.db, 'short', { after: ahead, limit: 10 })).toBeUndefined();
  });

  it('drops the old buckets of one tenant however many others have been quiet for long', async () => {
    const quiet = Array.from({ length: 2_002 }, (_, index) => ({
      _id: `dormant-${index}.0000000000`,
      n: index % 2 === 0 ? 1 : 100,
      at: 0,
      e: [],
    }));
    await changes(test.db).insertMany(quiet);
    await publish('later-by-name', 0, 101);
    await dropOldChanges(test.db, 1_000);
    expect((await feedOf('later-by-name')).map(({ _id }) => _id)).toEqual([
      'later-by-name.0000000001',
    ]);
    expect(await changes(test.db).countDocuments({ _id: /^dormant-/ })).toBe(2_002);
    await changes(test.db).deleteMany({ _id: /^dormant-/ });
  });

  it('drops old buckets but the newest, whose numbers go on; a place in a dropped one is told', async () => {
    await publish('old', 0, 200);
    expect(await dropOldChanges(test.db, 1_000)).toBeGreaterThan(0);
    expect((await feedOf('old')).map(({ _id }) => _id)).toEqual(['old.0000000001']);
    const dropped = { bucket: 0, index: 5 };
    expect(await readChanges(test.db, 'old', { after: dropped, limit: 10 })).toBeUndefined();
    await publish('old', 500, 1);
    expect((await readAll('old', 1_000)).seen.at(-1)).toBe(500);
    expect((await feedOf('old')).map(({ _id }) => _id)).toEqual([
      'old.0000000001',
      'old.0000000002',
    ]);
  });

  it.each([99, 100])(
    'a writer that falls asleep behind %i changes loses none when the bucket is dropped meanwhile, and readers end',
    async (known) => {
      const tenant = `slow-${known}`;
      await publish(tenant, 0, known);
      const state = { isAsleep: false };
      const slow = intercept(test.db, async ({ collection, method }, call) => {
        const read = await call();
        if (collection !== 'changes' || method !== 'find' || state.isAsleep) return read;
        state.isAsleep = true;
        await publish(tenant, known, 101 - known);
        expect(await dropOldChanges(test.db, 100)).toBeGreaterThan(0);
        return read;
      });
      await publishChange(slow, tenant, change(2, 101));
      expect(state.isAsleep).toBe(true);
      expect((await feedOf(tenant)).map(({ _id, n }) => [_id, n])).toEqual([
        [`${tenant}.0000000001`, 2],
      ]);
      const { seen, place } = await readAll(tenant, 10);
      expect({ seen, place }).toEqual({ seen: [100, 101], place: { bucket: 1, index: 2 } });
      const follower = { after: { bucket: 1, index: 1 }, limit: 10 };
      expect(await readChanges(test.db, tenant, follower)).toEqual({
        changes: [change(2, 101)],
        place,
        more: false,
      });
    },
  );
});
