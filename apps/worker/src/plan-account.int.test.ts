import { createCollection } from '@tributary/database';
import { planAccount } from './plan-account.ts';
import { openTestWorker, rowsOf, type TestWorker } from './testing/open-test-worker.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let worker: TestWorker;
let id: string;
let now: number;
beforeEach(async () => {
  worker = await openTestWorker();
  const { ids } = await worker.listed({ historyDays: 10 });
  id = ids[0] ?? '';
  now = worker.clock.time;
});
afterEach(() => worker.close());

const change = (set: Record<string, unknown>) =>
  worker.db.db.collection<{ _id: string }>('accounts').updateOne({ _id: id }, { $set: set });
const planned = async (lane?: 'fresh' | 'bulk') =>
  await planAccount(worker.db, await worker.account(id), worker.clock.time, lane);

test('the tree is due at once, then every six hours, and after a failure at its own time', async () => {
  expect(await planned()).toMatchObject({ tree: true });
  await change({ tree: { fetchedAt: now } });
  expect(await planned()).toMatchObject({ tree: false });
  await change({ tree: { fetchedAt: now - 6 * HOUR_MS } });
  expect(await planned()).toMatchObject({ tree: true });
  await change({ tree: { retryAt: now + MINUTE_MS } });
  expect(await planned()).toMatchObject({ tree: false, nextAt: now + MINUTE_MS });
});

test('a quiet lane plans nothing before its time, the other lane does', async () => {
  const until = now + 20 * MINUTE_MS;
  await change({ tree: { fetchedAt: now }, 'lane.fresh.quiet.until': until });
  const { fresh, bulk, nextAt } = await planned();
  expect(fresh).toEqual([]);
  expect(bulk.length).toBeGreaterThan(0);
  expect(nextAt).toBeLessThanOrEqual(until);
});

test('days before a change of zone or currency are never asked for', async () => {
  await change({ frozenBefore: '2026-11-18' });
  const { fresh, bulk } = await planned();
  const first = [...fresh, ...bulk].map(({ from }) => from).sort()[0];
  expect(first).toBe('2026-11-18');
});

test('what a turn is collecting is sealed by that turn, or after it has been gone for long', async () => {
  await worker.turn(id);
  expect((await planned()).seal).toEqual([]);
  // New totals of today, not sealed yet.
  let seq = 0;
  const account = await worker.account(id);
  const source = { id: 'c-base', fills: [{ level: 'c', part: 'base', from: 'c-base' }] };
  const collection = createCollection(worker.db, {
    account: id,
    tenant: account.tenant,
    source: 'c-base',
    from: '2026-11-21',
    to: '2026-11-21',
    run: account.run + 1,
    fetchedAt: now + 1,
    nextSeq: () => (seq += 1),
  });
  const request = { account: { id: '1' }, source, from: '2026-11-21', to: '2026-11-21' };
  // Only these four are read of it.
  for await (const page of rowsOf(request as unknown as Parameters<typeof rowsOf>[0], 200))
    await collection.add(page);
  await collection.commit();
  expect((await planned()).seal).toEqual(['2026-11-21']);

  const busyUntil = now + 2 * MINUTE_MS;
  await change({ 'lane.bulk.busyUntil': busyUntil });
  expect((await planned('fresh')).seal).toEqual([]);
  expect((await planned('fresh')).nextAt).toBeLessThanOrEqual(busyUntil);
  expect((await planned()).seal).toEqual([]);
  expect((await planned('bulk')).seal).toEqual(['2026-11-21']);
  worker.clock.time = busyUntil;
  expect((await planned('fresh')).seal).toEqual(['2026-11-21']);
});
