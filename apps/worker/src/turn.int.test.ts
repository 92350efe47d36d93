import {
  accountKey,
  childTree,
  deleteLink,
  findLink,
  LINK_ACCOUNT,
  wantRange,
} from '@tributary/database';
import { RetryableError } from '@tributary/runtime';
import { openTestWorker, rowsOf, SEOUL, type TestWorker } from './testing/open-test-worker.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SOURCES = 22;

let worker: TestWorker;
beforeEach(async () => {
  worker = await openTestWorker();
});
afterEach(() => worker.close());

async function listed(options?: Parameters<TestWorker['listed']>[0]) {
  const { link, ids } = await worker.listed(options);
  return { link, id: ids[0] ?? '' };
}
const asked = () => worker.script.asked.length;
const accounts = () => worker.db.db.collection<{ _id: string }>('accounts');
const writes = (collection: string) =>
  worker
    .takeCommands()
    .filter((one) =>
      ['insert', 'update', 'delete', 'findAndModify'].some((verb) => one[verb] === collection),
    );

test('a turn collects and seals what is due, and a second one at once finds nothing to do', async () => {
  const { link, id } = await listed();
  expect(await worker.turn(id)).toBe('done');
  expect(asked()).toBe(SOURCES);
  expect(await worker.count('statDays', new RegExp(`^${link._id}\\.[acg]\\.`))).toBe(6);
  expect(await worker.count('adMonths', /./)).toBe(1);
  expect((await findLink(worker.db, 't1', link._id))?.status).toBe('Completed');
  expect(await worker.turn(id)).toBe('done');
  expect(asked()).toBe(SOURCES);
  const { nextPlanAt, lane } = await worker.account(id);
  expect(nextPlanAt).toBeGreaterThan(worker.clock.time);
  expect(lane.fresh).toEqual({ run: expect.any(Number), starts: 0, busyUntil: 0 });
});

test('an unchanged second reading writes no statistics, no observations and no change', async () => {
  const { id } = await listed();
  await worker.turn(id);
  worker.clock.time += 3 * HOUR_MS;
  worker.takeCommands();
  await worker.turn(id);
  const commands = worker.takeCommands();
  expect(asked()).toBe(2 * SOURCES);
  const written = (collection: string) =>
    commands.filter((one) => one.insert === collection || one.update === collection);
  expect(written('coverage').length).toBeGreaterThan(0);
  expect(written('statDays')).toEqual([]);
  expect(written('adMonths')).toEqual([]);
  expect(written('changes')).toEqual([]);
  expect(await worker.count('observations', /./)).toBe(2 * SOURCES);
});

test('a changed reading writes the days that changed and no others', async () => {
  const { link, id } = await listed();
  await worker.turn(id);
  worker.clock.time += 3 * HOUR_MS;
  worker.script.collect = (request) => rowsOf(request, request.source.id === 'c-base' ? 101 : 100);
  worker.takeCommands();
  await worker.turn(id);
  const text = JSON.stringify(writes('statDays'));
  for (const day of ['2026-11-20', '2026-11-21']) {
    // The day before has no reading in between.
    expect(text.includes(`${link._id}.c.c1.${day}`)).toBe(day === '2026-11-21');
  }
  expect(text).not.toContain(`${link._id}.a.`);
});

describe('a turn that dies', () => {
  const die = () => {
    throw new Error('The process is gone');
  };

  test('four times without progress rests its lane for six hours, with an alarm, and goes on then', async () => {
    const { id } = await listed();
    worker.script.collect = die;
    for (let start = 1; start <= 4; start += 1) {
      await expect(worker.turn(id)).rejects.toThrow('The process is gone');
      expect((await worker.account(id)).lane.fresh.starts).toBe(start);
    }
    expect(await worker.turn(id)).toBe('poisoned');
    expect(asked()).toBe(4);
    const { lane } = await worker.account(id);
    expect(lane.fresh).toMatchObject({
      quiet: { until: worker.clock.time + 6 * HOUR_MS },
      starts: 0,
    });
    expect(await worker.deps.metrics.registry.metrics()).toMatch(
      /tributary_poisoned_turns_total\{.*lane="fresh".*\} 1/,
    );
    worker.clock.time += 6 * HOUR_MS;
    worker.script.collect = undefined;
    expect(await worker.turn(id)).toBe('done');
    expect(asked()).toBe(4 + SOURCES);
  });

  test('but stored something goes on, however often', async () => {
    const { id } = await listed();
    for (let start = 1; start <= 8; start += 1) {
      let given = 0;
      worker.script.collect = (request) => {
        given += 1;
        return given > 1 ? die() : rowsOf(request);
      };
      await expect(worker.turn(id)).rejects.toThrow('The process is gone');
    }
    expect((await worker.account(id)).lane.fresh.quiet).toBeUndefined();
    worker.script.collect = undefined;
    expect(await worker.turn(id)).toBe('done');
    expect(new Set(worker.script.asked.map(({ source }) => source)).size).toBe(SOURCES);
    // Eight calls died; no finished one was made again.
    expect(asked()).toBe(SOURCES + 8);
  });
});

describe('a turn stops before its next call', () => {
  /** Does something while a source is asked, by default the second one. */
  function during(act: () => Promise<unknown>, source = 'a-gender') {
    worker.script.collect = async (request) => {
      if (request.source.id === source) await act();
      return rowsOf(request);
    };
  }
  const stopped = async (id: string) => {
    expect(await worker.turn(id)).toBe('stopped');
    expect(asked()).toBe(2);
  };

  test('and seals nothing when its link was deleted', async () => {
    const { link, id } = await listed();
    // The account's totals: with them its days could be sealed.
    during(() => deleteLink(worker.db, link, worker.clock.time), 'a-base');
    expect(await worker.turn(id)).toBe('stopped');
    expect(worker.script.asked.at(-1)?.source).toBe('a-base');
    const made = asked();
    expect(await worker.count('statDays', /./)).toBe(0);
    expect(await worker.turn(id)).toBe('stopped');
    expect(asked()).toBe(made);
    expect((await worker.account(id)).nextPlanAt).toBe(4e15);
  });

  test('when the link has new credentials, and is no death', async () => {
    const { link, id } = await listed();
    during(() => worker.giveCredentials(link));
    await stopped(id);
    expect((await worker.account(id)).lane.fresh).toMatchObject({ starts: 0, busyUntil: 0 });
    worker.script.collect = undefined;
    expect(await worker.turn(id)).toBe('done');
    expect(asked()).toBe(SOURCES);
  });

  test('when a newer turn of its lane began, and leaves that one its place', async () => {
    const { id } = await listed();
    during(async () => {
      const name = 'lane.fresh.run';
      await accounts().updateOne(
        { _id: id },
        { $inc: { run: 1, [name]: 1, 'lane.fresh.starts': 1 } },
      );
    });
    await stopped(id);
    expect((await worker.account(id)).lane.fresh).toMatchObject({ run: 2, starts: 1 });
    expect((await worker.account(id)).lane.fresh.busyUntil).toBeGreaterThan(worker.clock.time);
  });

  test('when it is aborted: what was stored is sealed by the next, which goes on where it stopped', async () => {
    const { id } = await listed();
    const stop = new AbortController();
    worker.script.collect = async (request) => {
      if (request.source.id === 'c-age') {
        stop.abort(new Error('The worker is stopping'));
        request.signal.throwIfAborted();
      }
      return rowsOf(request);
    };
    expect(await worker.turn(id, 'fresh', stop.signal)).toBe('stopped');
    expect(await worker.cell(id, '2026-11-21', 'c-age')).toBeUndefined();
    const { lane, nextPlanAt } = await worker.account(id);
    expect(lane.fresh).toEqual({ run: expect.any(Number), starts: 0, busyUntil: 0 });
    expect(nextPlanAt - worker.clock.time).toBeLessThanOrEqual(5_000);
    worker.script.collect = undefined;
    await worker.turn(id);
    expect(asked()).toBe(SOURCES + 1);
  });
});

test('three failures in a row pause the lane for five minutes, and what was asked for by hand is not forgotten', async () => {
  const { id } = await listed();
  await worker.turn(id);
  worker.clock.time += 10 * MINUTE_MS;
  const wish = { from: '2026-11-21', to: '2026-11-21', at: worker.clock.time };
  await wantRange(worker.db, id, wish);
  worker.script.collect = () => {
    throw new RetryableError('platform_error', 'Not now');
  };
  await worker.turn(id);
  expect(asked()).toBe(SOURCES + 3);
  const { lane, wanted } = await worker.account(id);
  expect(lane.fresh.quiet?.until).toBe(worker.clock.time + 5 * MINUTE_MS);
  expect(wanted).toEqual([wish]);
  worker.clock.time += 5 * MINUTE_MS;
  worker.script.collect = undefined;
  await worker.turn(id);
  expect(asked()).toBe(2 * SOURCES + 3);
  expect((await worker.account(id)).wanted).toEqual([]);
});

test('a failure between successes pauses nothing', async () => {
  const { id } = await listed();
  worker.script.collect = (request) => {
    if (worker.script.asked.length % 2 === 0) throw new RetryableError('platform_error', 'Not now');
    return rowsOf(request);
  };
  await worker.turn(id);
  expect(asked()).toBe(SOURCES);
  expect((await worker.account(id)).lane.fresh.quiet).toBeUndefined();
});

test('a tenant with 32 fresh turns under way gets no further one; other tenants and lanes do', async () => {
  const { id } = await listed({ historyDays: 5 });
  const { id: other } = await listed({ tenant: 't2' });
  const busyUntil = worker.clock.time + MINUTE_MS;
  await accounts().insertMany(
    Array.from({ length: 32 }, (_, index) => ({
      _id: `busy${index}.1`,
      tenant: 't1',
      nextPlanAt: 4e15,
      lane: { fresh: { busyUntil }, bulk: { busyUntil: 0 } },
    })),
  );
  expect(await worker.turn(id)).toBe('crowded');
  expect(asked()).toBe(0);
  expect((await worker.account(id)).nextPlanAt).toBe(worker.clock.time + 10_000);
  expect((await worker.account(id)).run).toBe(0);
  expect(await worker.turn(other)).toBe('done');
  expect(await worker.turn(id, 'bulk')).toBe('more');
  worker.clock.time = busyUntil; // the processes of those turns are gone
  expect(await worker.turn(id)).toBe('done');
});

test('what vanishes from the tree stays as removed, and a tree that cannot be read stops no figures', async () => {
  const campaign = { level: 'c', id: 'c2', parent: '1', title: 'C2', status: 'active' } as const;
  worker.script.entities = [...worker.script.entities, campaign];
  const { link, id } = await listed();
  await worker.turn(id);
  worker.script.entities = worker.script.entities.slice(0, 1);
  worker.clock.time += 7 * HOUR_MS;
  await worker.turn(id);
  const stored = await worker.db.db
    .collection<{ _id: string; status: string }>('entities')
    .find({ _id: /\.c\./ })
    .sort({ _id: 1 })
    .toArray();
  expect(stored.map(({ _id, status }) => [_id, status])).toEqual([
    [`${link._id}.c.c1`, 'active'],
    [`${link._id}.c.c2`, 'removed'],
  ]);
  expect((await worker.account(id)).entities.c).toBe(1);

  worker.script.treeFails = new RetryableError('html_answer', 'A page of HTML');
  worker.clock.time += 7 * HOUR_MS;
  const before = asked();
  expect(await worker.turn(id)).toBe('done');
  expect(asked()).toBeGreaterThan(before);
  expect((await worker.account(id)).tree).toMatchObject({ code: 'html_answer', tries: 1 });
});

test('without its first tree an account collects nothing, and asks for it again later', async () => {
  const { link, id } = await listed();
  worker.script.treeFails = new RetryableError('html_answer', 'A page of HTML');
  expect(await worker.turn(id)).toBe('failed');
  expect(asked()).toBe(0);
  expect((await findLink(worker.db, 't1', link._id))?.status).toBe('Linking');
  const retryAt = worker.clock.time + 5 * MINUTE_MS;
  expect((await worker.account(id)).tree.retryAt).toBe(retryAt);
  worker.script.treeFails = undefined;
  worker.clock.time = retryAt;
  expect(await worker.turn(id)).toBe('done');
});

test('a link is Completed when every open account has its tree, not before', async () => {
  worker.script.accounts = [SEOUL, { ...SEOUL, id: '2' }, { ...SEOUL, id: '3', status: 'closed' }];
  const { link, ids } = await worker.listed();
  const statusOf = async () => (await findLink(worker.db, 't1', link._id))?.status;
  await worker.turn(ids[0] ?? '');
  expect(await statusOf()).toBe('Linking');
  await worker.turn(ids[1] ?? '');
  expect(await statusOf()).toBe('Completed');
});

test('an account list read again brings new accounts and closes those that left, whose figures stay', async () => {
  const { link, id } = await listed();
  await worker.turn(id);
  worker.script.accounts = [{ ...SEOUL, id: '2' }];
  await worker.turn(accountKey(link._id, LINK_ACCOUNT));
  expect((await worker.account(id)).status).toBe('closed');
  expect((await worker.account(accountKey(link._id, '2'))).status).toBe('active');
  expect(await worker.count('statDays', /./)).toBe(6);
  const shown = (await childTree(worker.db, link)).map((one) => [one.id, one.status]);
  expect(shown).toEqual([
    ['1', 'removed'],
    ['2', 'active'],
  ]);
});

test('a turn of an account that is not there does nothing', async () => {
  expect(await worker.turn('nobody.1')).toBe('stopped');
  expect(asked()).toBe(0);
});
