import { accountKey, LINK_ACCOUNT } from '@tributary/database';
import { RetryableError } from '@tributary/runtime';
import { openTestWorker, SEOUL, type TestWorker } from './testing/open-test-worker.ts';
import { createWaker, type Waker } from './wake.ts';

const MINUTE_MS = 60_000;

let worker: TestWorker;
let waker: Waker;
let epoch: { known: boolean; hasEpoch(): Promise<boolean>; ensureEpoch(): Promise<void> };
beforeEach(async () => {
  worker = await openTestWorker();
  epoch = {
    known: true,
    hasEpoch: async () => epoch.known,
    ensureEpoch: async () => {
      epoch.known = true;
    },
  };
  // The same object, so that a test may replace what it enqueues to.
  waker = createWaker(Object.assign(worker.deps, { epoch }));
});
afterEach(() => worker.close());

const enqueued = () =>
  worker.enqueued.splice(0).map(({ account, lane }) => `${account.split('.').at(-1)} ${lane}`);

test('a new link is enqueued once, then its accounts, each lane with work once', async () => {
  const link = await worker.link({ historyDays: 10 });
  await waker.wake();
  expect(enqueued()).toEqual(['~ fresh']);
  await worker.turn(accountKey(link._id, LINK_ACCOUNT));
  await waker.wake();
  // The tree comes first: without it nothing of the past is bounded.
  expect(enqueued()).toEqual(['1 fresh']);
  await worker.turn(accountKey(link._id, '1'));
  await waker.wake();
  expect(enqueued()).toEqual(['1 bulk']);
  await waker.wake();
  expect(enqueued()).toEqual([]);
});

test('an account without work is planned again at its next slot, not before', async () => {
  const { ids } = await worker.listed();
  const [id = ''] = ids;
  await worker.turn(id);
  const { nextPlanAt } = await worker.account(id);
  await waker.wake();
  expect(enqueued()).toEqual([]);
  worker.clock.time = nextPlanAt;
  await waker.wake();
  expect(enqueued()).toEqual(['1 fresh']);
});

test('an account that cannot be planned or enqueued stops no other, and is tried again soon', async () => {
  worker.script.accounts = ['1', '2', '3'].map((id) => ({ ...SEOUL, id }));
  const { ids } = await worker.listed();
  const [first = '', second = ''] = ids;
  await worker.db.db
    .collection<{ _id: string }>('accounts')
    .updateOne({ _id: first }, { $set: { zone: 'Nowhere/At_All' } });
  const { enqueue } = worker.deps.queues;
  worker.deps.queues = {
    async enqueue(channel, job) {
      if (job.account === second) throw new RetryableError('queue_unavailable', 'No answer');
      await enqueue(channel, job);
    },
  };
  await waker.wake();
  expect(enqueued()).toEqual(['3 fresh']);
  for (const id of [first, second]) {
    expect((await worker.account(id)).nextPlanAt).toBe(worker.clock.time + 15_000);
  }
});

test('an emptied queue makes every account due, and the mark is set only after that', async () => {
  const { ids } = await worker.listed({ historyDays: 10 });
  const [id = ''] = ids;
  await worker.turn(id);
  await waker.wake();
  expect(enqueued()).toEqual(['1 bulk']);
  epoch.known = false;
  await waker.wake();
  expect(enqueued().sort()).toEqual(['1 bulk', '~ fresh']);
  expect(epoch.known).toBe(true);
  await waker.wake();
  expect(enqueued()).toEqual([]);
});

test('a turn whose work goes on is enqueued although another wake met it in the queue', async () => {
  const { ids } = await worker.listed({ historyDays: 10 });
  const [id = ''] = ids;
  expect(await worker.turn(id)).toBe('more');
  await waker.wake(); // the turn is not off its queue yet: this one is dropped there
  worker.enqueued.splice(0);
  await waker.wake();
  expect(enqueued()).toEqual([]); // until the watchdog
  await waker.wake(id);
  expect(enqueued()).toEqual(['1 bulk']);
});

test('waking while a wake runs makes one more round and no second one at once', async () => {
  const { ids } = await worker.listed();
  let running = 0;
  let most = 0;
  let rounds = 0;
  epoch.hasEpoch = async () => {
    running += 1;
    rounds += 1;
    most = Math.max(most, running);
    await new Promise((done) => setTimeout(done, 20));
    running -= 1;
    return true;
  };
  await Promise.all(Array.from({ length: 10 }, () => waker.wake(ids[0])));
  expect([most, rounds]).toEqual([1, 2]);
});

test('without Redis a wake claims nothing and the next one goes on', async () => {
  await worker.listed();
  epoch.hasEpoch = async () => {
    throw new Error('Connection is closed');
  };
  await waker.wake();
  expect(enqueued()).toEqual([]);
  epoch.hasEpoch = async () => true;
  await waker.wake();
  expect(enqueued()).toEqual(['1 fresh']);
});

test('a closed waker wakes no more', async () => {
  await worker.listed();
  await waker.close();
  await waker.wake();
  expect(enqueued()).toEqual([]);
});

test('a throttled account list is asked for again when the platform allows it', async () => {
  const link = await worker.link();
  const key = accountKey(link._id, LINK_ACCOUNT);
  const until = worker.clock.time + 10 * MINUTE_MS;
  await worker.db.db
    .collection<{ _id: string }>('accounts')
    .updateOne({ _id: key }, { $set: { 'lane.fresh.quiet.until': until } });
  await waker.wake();
  expect(enqueued()).toEqual([]);
  expect((await worker.account(key)).nextPlanAt).toBe(until);
  worker.clock.time = until;
  await waker.wake();
  expect(enqueued()).toEqual(['~ fresh']);
});
