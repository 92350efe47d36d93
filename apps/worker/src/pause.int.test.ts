import { changeSchedule, findLink, type Link } from '@tributary/database';
import { addDays, CHANNELS } from '@tributary/shared';
import { openTestWorker, rowsOf, type TestWorker } from './testing/open-test-worker.ts';
import { createWaker, type Waker } from './wake.ts';

const HOUR_MS = 3_600_000;

let worker: TestWorker;
let waker: Waker;
let isKnown: boolean;
beforeEach(async () => {
  worker = await openTestWorker();
  isKnown = true;
  const epoch = {
    hasEpoch: async () => isKnown,
    ensureEpoch: async () => {
      isKnown = true;
    },
  };
  waker = createWaker(Object.assign(worker.deps, { epoch }));
});
afterEach(() => worker.close());

async function schedule({ _id }: Link, change: { paused?: boolean; historyDays?: number }) {
  const link = await findLink(worker.db, 't1', _id);
  if (!link) throw new Error('The link is gone');
  await changeSchedule(worker.db, link, { ...change, now: worker.clock.time });
}

/** Wakes, and takes every turn until none is enqueued any more. */
async function workThrough(): Promise<number> {
  for (let turns = 0; turns < 50; ) {
    await waker.wake();
    const jobs = worker.enqueued.splice(0);
    if (jobs.length === 0) return turns;
    for (const { account, lane } of jobs) {
      const outcome = await worker.turn(account, lane);
      await waker.wake(outcome === 'more' ? account : undefined);
    }
    turns += jobs.length;
  }
  throw new Error('Still turns after 50');
}

const datesAsked = () => [
  ...new Set(worker.script.asked.splice(0).flatMap(({ from, to }) => [from, to])),
];

test('nothing of a paused link is planned, taken or called; resumed, it reads what it missed', async () => {
  const { link, ids } = await worker.listed({ historyDays: 5 });
  const [id = ''] = ids;
  await workThrough();
  worker.script.asked.length = 0;
  await schedule(link, { paused: true });
  const called: string[] = [];
  const connector = worker.deps.connectors.SOCIAL_ADS;
  if (!connector) throw new Error('There is no connector');
  worker.deps.connectors.SOCIAL_ADS = {
    ...connector,
    listAccounts: (access) => {
      called.push('accounts');
      return connector.listAccounts(access);
    },
    listEntities: (access) => {
      called.push('tree');
      return connector.listEntities(access);
    },
    renew: async () => {
      called.push('renew');
      return undefined;
    },
  };
  worker.deps.tokenLocks.withTokenLock = (_key, _ms, fn) => fn(new AbortController().signal);
  worker.clock.time += 50 * HOUR_MS;
  expect(await workThrough()).toBe(0);
  isKnown = false; // an emptied queue
  expect(await workThrough()).toBe(0);
  // Turns that were on the queue already.
  for (const lane of ['fresh', 'bulk'] as const) {
    expect(await worker.turn(id, lane)).toBe('stopped');
  }
  expect(await worker.turn(`${link._id}.~`)).toBe('stopped');
  expect([called, worker.script.asked]).toEqual([[], []]);
  expect(await workThrough()).toBe(0);

  await schedule(link, { paused: false });
  expect(await workThrough()).toBeGreaterThan(0);
  expect(called).toContain('accounts');
  expect(called).toContain('tree');
  for (const day of ['2026-11-22', '2026-11-23']) {
    expect(await worker.cell(id, day, 'c-base')).toMatchObject({ state: 'ok' });
  }
  expect(await workThrough()).toBe(0);
});

test('a turn under way stops at its next check, and what it had read is served', async () => {
  const { link, ids } = await worker.listed({ historyDays: 20 });
  const [id = ''] = ids;
  await worker.turn(id);
  worker.script.asked.length = 0;
  const ofAccount = CHANNELS.SOCIAL_ADS.sources.filter(({ fills }) => fills[0]?.level === 'a');
  const served = () => worker.count('statDays', new RegExp(`^${link._id}\\.a\\.`));
  const before = await served();
  worker.script.collect = async (request) => {
    if (worker.script.asked.length === ofAccount.length) await schedule(link, { paused: true });
    return rowsOf(request);
  };
  expect(await worker.turn(id, 'bulk')).toBe('stopped');
  expect(worker.script.asked).toHaveLength(ofAccount.length);
  expect(await served()).toBeGreaterThan(before);
  const { lane, nextPlanAt } = await worker.account(id);
  expect(lane.bulk).toMatchObject({ busyUntil: 0, starts: 0 });
  expect(nextPlanAt).toBeGreaterThan(worker.clock.time + 10_000 * HOUR_MS);

  await schedule(link, { paused: false });
  worker.script.collect = undefined;
  await workThrough();
  expect(await worker.cell(id, addDays('2026-11-21', -20), 'd-base')).toMatchObject({
    state: 'ok',
  });
});

test('more history is read at once, less is no longer read and stays', async () => {
  const { link, ids } = await worker.listed({ historyDays: 3 });
  const [id = ''] = ids;
  await workThrough();
  worker.script.asked.length = 0;
  await schedule(link, { historyDays: 6 });
  expect(await workThrough()).toBeGreaterThan(0);
  expect(datesAsked().sort()).toEqual(['2026-11-15', '2026-11-17']);

  await schedule(link, { historyDays: 2 });
  worker.clock.time += 24 * HOUR_MS; // days of any age would be read again
  await workThrough();
  expect(datesAsked().sort()[0]).toBe('2026-11-19');
  expect(await worker.cell(id, '2026-11-15', 'c-base')).toMatchObject({ state: 'ok' });
});
