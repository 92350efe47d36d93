import { findLink } from '@tributary/database';
import { AuthLostError, RateLimitedError, RetryableError } from '@tributary/runtime';
import { openTestWorker, rowsOf, type TestWorker } from './testing/open-test-worker.ts';

const MINUTE_MS = 60_000;

let worker: TestWorker;
beforeEach(async () => {
  worker = await openTestWorker();
});
afterEach(() => worker.close());

async function listed(historyDays: number): Promise<string> {
  const { ids } = await worker.listed({ historyDays });
  return ids[0] ?? '';
}

test('a source that gives nothing is noted with its days until it does', async () => {
  const id = await listed(1);
  worker.script.collect = (request) => {
    if (request.source.id !== 'c-age') return rowsOf(request);
    throw new RetryableError('provider_down', 'The platform is down.');
  };
  await worker.turn(id);
  const { failing, readAt } = await worker.account(id);
  expect(readAt).toBe(worker.clock.time);
  expect(failing).toEqual({
    at: worker.clock.time,
    sources: [
      {
        source: 'c-age',
        code: 'provider_down',
        detail: 'The platform is down.',
        cells: 2,
        from: '2026-11-20',
        to: '2026-11-21',
        retryAt: worker.clock.time + 5 * MINUTE_MS,
      },
    ],
  });
  worker.script.collect = undefined;
  worker.clock.time += 5 * MINUTE_MS;
  await worker.turn(id);
  const after = await worker.account(id);
  expect(after.failing).toEqual({ at: worker.clock.time, sources: [] });
  expect(after.readAt).toBe(worker.clock.time);
});

test('a turn that the platform ends by asking to wait notes why, and what failed before', async () => {
  const id = await listed(1);
  const until = worker.clock.time + 30 * MINUTE_MS;
  worker.script.collect = (request) => {
    if (worker.script.asked.length === 1) return rowsOf(request);
    if (worker.script.asked.length === 2) throw new RetryableError('timeout', 'Too slow.');
    throw new RateLimitedError(until, 'The platform allows no call yet');
  };
  expect(await worker.turn(id)).toBe('stopped');
  const { lane, failing, readAt } = await worker.account(id);
  expect(readAt).toBe(worker.clock.time);
  expect(lane.fresh).toMatchObject({
    quiet: { until, code: 'rate_limited', detail: 'The platform allows no call yet' },
  });
  expect(failing?.sources).toEqual([expect.objectContaining({ code: 'timeout', cells: 2 })]);
});

test('three failures in a row are why a lane is quiet, and every source that was tried is noted', async () => {
  const id = await listed(1);
  worker.script.collect = () => {
    throw new RetryableError('provider_down', 'The platform is down.');
  };
  await worker.turn(id);
  const { lane, failing, readAt } = await worker.account(id);
  expect(lane.fresh.quiet?.code).toBe('failures');
  expect(lane.fresh.quiet?.until).toBeGreaterThan(worker.clock.time);
  expect(failing?.sources).toHaveLength(3);
  expect(readAt).toBeUndefined();
});

test('an account that is rested after dying turns says that it is poisoned', async () => {
  const id = await listed(1);
  await worker.db.db
    .collection<{ _id: string }>('accounts')
    .updateOne({ _id: id }, { $set: { 'lane.fresh.starts': 4 } });
  expect(await worker.turn(id)).toBe('poisoned');
  expect((await worker.account(id)).lane.fresh.quiet?.code).toBe('poisoned');
});

test('a link tells since when it is in its status, also when its reason changes', async () => {
  const { link, ids } = await worker.listed({ historyDays: 1 });
  const [id = ''] = ids;
  const since = async () => (await findLink(worker.db, 't1', link._id))?.statusSince;
  const linkedAt = worker.clock.time;
  expect(await since()).toBe(linkedAt);
  worker.clock.time += MINUTE_MS;
  await worker.turn(id);
  const completedAt = worker.clock.time;
  expect(await since()).toBe(completedAt);
  worker.clock.time += 60 * MINUTE_MS;
  await worker.turn(id);
  expect(await since()).toBe(completedAt);
  worker.clock.time += 60 * MINUTE_MS;
  worker.script.collect = () => {
    throw new AuthLostError('token_expired', 'Connect again.');
  };
  await worker.turn(id);
  expect(await since()).toBe(worker.clock.time);
  expect((await findLink(worker.db, 't1', link._id))?.status).toBe('Disconnect');
});
