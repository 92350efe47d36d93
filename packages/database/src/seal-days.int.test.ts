import { randomUUID } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { createLogger } from '@tributary/runtime';
import type { ObservationRow } from '@tributary/shared';
import { accountKey, accounts, findAccount } from './accounts.ts';
import { createCollection } from './commit.ts';
import { readCoverage } from './coverage.ts';
import { connectDatabase, type Database } from './database.ts';
import { ensureIndexes } from './indexes.ts';
import { saveAccounts } from './listing.ts';
import { sealDays } from './seal-days.ts';
import { statDays } from './stat-days.ts';

const link = { _id: 'link1', tenant: 't1', type: 'SOCIAL_ADS', gen: 1 } as const;
const now = Date.parse('2026-11-20T12:00:00Z');
let db: Database;

beforeAll(async () => {
  const uri = new URL(process.env.MONGODB_URI ?? 'mongodb://127.0.0.1:27117');
  uri.pathname = `/seal-${randomUUID().slice(0, 8)}`;
  db = await connectDatabase({
    uri: uri.href,
    appName: 'test',
    logger: createLogger({ name: 'test', level: 'error' }),
  });
  await ensureIndexes(db);
  await saveAccounts(
    db,
    link,
    [{ id: '77', title: 'A', zone: 'Asia/Seoul', currency: 'KRW', status: 'active' }],
    { now, historyDays: 30 },
  );
}, 60_000);

afterAll(async () => {
  await db.db.dropDatabase();
  await db.close();
});

const day = '2026-11-02';
const figures = (impressions: number, spend: number) =>
  [impressions, 1, 0, 0, spend, null, 5] as const;

async function collect(run: number, source: string, rows: ObservationRow[], from = day, to = day) {
  let seq = 0;
  const collection = createCollection(db, {
    account: accountKey('link1', '77'),
    tenant: 't1',
    source,
    from,
    to,
    run,
    fetchedAt: now + run,
    nextSeq: () => (seq += 1),
  });
  await collection.add([{ day, set: source as 'c-base', rows }]);
  return await collection.commit();
}

async function sealNow(days = [day]) {
  const account = await findAccount(db, accountKey('link1', '77'));
  if (!account) throw new Error('no account');
  return await sealDays(db, { account, now }, days);
}

test('a commit is sealed into exactly the documents of the delivering entities, and again only what changed', async () => {
  await collect(1, 'c-age', [['c1', '', '', '25-34', ...figures(60, 2_000_000)]]);
  await collect(2, 'c-base', [
    ['c1', '', '', '', ...figures(100, 3_000_000)],
    ['c2', '', '', '', ...figures(7, 0)],
  ]);
  const first = await sealNow();
  expect(first).toEqual({ written: 2, sealed: 1 });
  const doc = await statDays(db).findOne({ _id: 'link1.c.c1.2026-11-02' });
  const json = JSON.parse(
    inflateRawSync(Buffer.concat([doc?.z ?? Buffer.alloc(0), Buffer.from([3, 0])])).toString(),
  );
  expect(json.age).toEqual([
    expect.objectContaining({ age: '25-34' }),
    {
      age: 'unattributed',
      data: expect.objectContaining({ impressions: 40, spend: 1, reach: null }),
    },
  ]);
  expect(
    await collect(3, 'c-base', [
      ['c2', '', '', '', ...figures(7, 0)],
      ['c1', '', '', '', ...figures(100, 3_000_000)],
    ]),
  ).toEqual(new Map([[day, 'unchanged']]));
  expect(await sealNow()).toEqual({ written: 0, sealed: 0 });
  await collect(4, 'c-base', [['c1', '', '', '', ...figures(101, 3_000_000)]]);
  expect(await sealNow()).toEqual({ written: 2, sealed: 1 });
  expect(await statDays(db).findOne({ _id: 'link1.c.c2.2026-11-02' })).toBeNull();
  const left = await db.db.collection('observations').find({}).project({ _id: 1 }).toArray();
  expect(left.map(({ _id }) => String(_id)).sort()).toEqual([
    'link1.77.c-age.2026-11-02.0000000001.c-age.0000',
    'link1.77.c-base.2026-11-02.0000000004.c-base.0000',
  ]);
  const { cells } = await readCoverage(db, 'link1.77', day, day);
  expect(cells.get(day)?.get('c-base')).toMatchObject({ run: 4, base: 4, state: 'ok', chunks: 1 });
  expect((await accounts(db).findOne({ _id: 'link1.77' }))?.cv).toBe(2);
}, 30_000);
