import {
  accountKey,
  createRun,
  findLink,
  LINK_ACCOUNT,
  readRunProgress,
} from '@tributary/database';
import { AuthLostError } from '@tributary/runtime';
import type { EntityStatus } from '@tributary/shared';
import { openTestWorker, SEOUL, type TestWorker } from './testing/open-test-worker.ts';
import { createWaker } from './wake.ts';

const DAY_MS = 86_400_000;
let worker: TestWorker;
beforeEach(async () => {
  worker = await openTestWorker();
  worker.script.accounts = [SEOUL, { ...SEOUL, id: '2' }];
});
afterEach(() => worker.close());

/** The accounts that a waking enqueues turns of. */
async function woken(): Promise<Set<string>> {
  const epoch = { hasEpoch: async () => true, ensureEpoch: async () => undefined };
  worker.enqueued.splice(0);
  await createWaker(Object.assign(worker.deps, { epoch })).wake();
  return new Set(worker.enqueued.map(({ account }) => account.split('.').at(-1) ?? ''));
}

/** The platform lists the second account so from now on. */
async function list(link: string, status: EntityStatus): Promise<void> {
  worker.script.accounts = [SEOUL, { ...SEOUL, id: '2', status }];
  await worker.turn(accountKey(link, LINK_ACCOUNT));
}

describe.each(['closed', 'removed'] as const)('an account that is %s', (status) => {
  test('is not planned, whatever wakes it, and is planned again when it opens', async () => {
    const { link, ids } = await worker.listed();
    const [one = '', two = ''] = ids;
    for (const id of ids) await worker.turn(id);
    await list(link._id, status);
    worker.clock.time += DAY_MS;
    expect(await woken()).toEqual(new Set(['1', '~']));
    await worker.giveCredentials(link);
    expect(await woken()).toEqual(new Set(['1', '~']));
    worker.clock.time += 10 * DAY_MS;
    expect(await woken()).toEqual(new Set(['1', '~']));
    const asked = worker.script.asked.length;
    expect(await worker.turn(two)).toBe('done');
    expect(worker.script.asked).toHaveLength(asked);

    await list(link._id, 'active');
    expect((await worker.account(two)).nextPlanAt).toBe(worker.clock.time);
    await worker.turn(one);
    expect(await woken()).toContain('2');
    await worker.turn(two);
    expect(worker.script.asked.slice(asked).some(({ account }) => account === '2')).toBe(true);
  }, 60_000);

  test('neither fails the link nor keeps it from being Completed', async () => {
    const { link, ids } = await worker.listed();
    const [one = '', two = ''] = ids;
    await worker.turn(one);
    expect((await findLink(worker.db, 't1', link._id))?.status).toBe('Linking');
    await list(link._id, status);
    expect((await findLink(worker.db, 't1', link._id))?.status).toBe('Completed');
    worker.script.treeFails = new AuthLostError('grant_revoked', 'Connect it again');
    expect(await worker.turn(two)).toBe('done');
    expect((await findLink(worker.db, 't1', link._id))?.status).toBe('Completed');
  }, 60_000);

  test('keeps no refresh under 100 percent, also one that was asked before', async () => {
    const { link, ids } = await worker.listed();
    const [one = ''] = ids;
    for (const id of ids) await worker.turn(id);
    worker.clock.time += 60_000;
    const answer = await createRun(worker.db, 't1', { links: [link], now: worker.clock.time });
    if (answer.state !== 'asked') throw new Error(answer.state);
    const percent = async () =>
      (await readRunProgress(worker.db, answer.run, worker.clock.time)).percent;
    for (const lane of ['fresh', 'bulk'] as const) {
      for (let count = 0; count < 20 && (await worker.turn(one, lane)) === 'more'; count += 1);
    }
    expect(await percent()).toBeLessThan(100);
    await list(link._id, status);
    expect(await percent()).toBe(100);
  }, 60_000);
});

test('what was collected before it closed is sealed all the same', async () => {
  const { link, ids } = await worker.listed();
  const two = ids[1] ?? '';
  await worker.turn(two);
  await list(link._id, 'closed');
  const marks = () =>
    worker.db.db
      .collection<{ _id: string; d: Record<string, Record<string, unknown>> }>('coverage')
      .find({ _id: new RegExp(`^${two}[.]`) })
      .toArray();
  const days = Object.keys((await marks())[0]?.d ?? {});
  expect(days.length).toBeGreaterThan(0);
  await worker.db.db
    .collection('coverage')
    .updateMany({}, { $unset: Object.fromEntries(days.map((day) => [`d.${day}.sealed`, ''])) });
  expect(await worker.turn(two)).toBe('done');
  for (const day of days) expect((await marks())[0]?.d[day]?.sealed).toMatchObject({ a: { s: 1 } });
}, 60_000);
