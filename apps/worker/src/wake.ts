import {
  type Account,
  claimDueAccounts,
  findAccount,
  LINK_ACCOUNT,
  setNextPlan,
  wakeAllAccounts,
} from '@tributary/database';
import type { Epoch } from '@tributary/queue';
import { LANES, type Lane } from '@tributary/shared';
import type { WorkerDeps } from './deps.ts';
import { planAccount } from './plan-account.ts';

/** Where the queue did not take a turn, the account is planned again after this. */
const AGAIN_MS = 15_000;
const ROUNDS_MAX = 50;

/** Plans the due accounts of all tenants and enqueues at most one turn per lane for each. */
export interface Waker {
  /**
   * Runs now, or once more after the running one; never twice at once. Errors are logged, the first of a row: the next wake tries again.
   *
   * @param unfinished an account whose turn left work and is off its queue: planned even if another wake took it while
   *   the turn was still in its place
   */
  wake(unfinished?: string): Promise<void>;
  /** Wakes no more and waits for the running wake. */
  close(): Promise<void>;
}

export function createWaker(deps: WorkerDeps & { epoch: Epoch }): Waker {
  const unfinished = new Set<string>();
  let running: Promise<void> | undefined;
  let again = false;
  let isClosed = false;
  let isFailing = false;

  async function wakeOrTell(ids: readonly string[]): Promise<void> {
    try {
      await wakeOnce(deps, ids);
      if (isFailing) deps.logger.info({}, 'Waking goes on');
      isFailing = false;
    } catch (err) {
      if (!isFailing) deps.logger.error({ err }, 'Waking failed'); // every second of an outage would say the same
      isFailing = true;
    }
  }

  async function run(): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX && !isClosed; round += 1) {
      again = false;
      const ids = [...unfinished];
      unfinished.clear();
      await wakeOrTell(ids);
      if (!again) return;
    }
  }

  return {
    async wake(id) {
      if (isClosed) return;
      if (id !== undefined) unfinished.add(id);
      again = true;
      running ??= run().finally(() => {
        running = undefined;
      });
      await running;
    },
    async close() {
      isClosed = true;
      await running;
    },
  };
}

async function wakeOnce(
  deps: WorkerDeps & { epoch: Epoch },
  unfinished: readonly string[],
): Promise<void> {
  const { db, clock, logger, epoch, random } = deps;
  if (!(await epoch.hasEpoch())) {
    const count = await wakeAllAccounts(db, clock.now());
    await epoch.ensureEpoch();
    logger.info({ count }, 'The queue was empty: every account is planned anew');
  }
  const claimed = await claimDueAccounts(db, { now: clock.now(), random });
  const left = unfinished.filter((id) => !claimed.some(({ _id }) => _id === id));
  const found = await Promise.all(left.map((id) => findAccount(db, id)));
  for (const account of [...claimed, ...found.filter((one) => one !== undefined)]) {
    try {
      await planAndEnqueue(deps, account);
    } catch (err) {
      logger.warn({ err, account: account._id }, 'An account could not be planned');
      await setNextPlan(db, { id: account._id, wake: account.wake, at: clock.now() + AGAIN_MS });
    }
  }
}

async function planAndEnqueue(deps: WorkerDeps, account: Account): Promise<void> {
  const { db, clock, queues } = deps;
  const lanes = await dueLanes(deps, account);
  if (Array.isArray(lanes)) {
    for (const lane of lanes)
      await queues.enqueue(account.channel, { v: 1, account: account._id, lane });
    return;
  }
  await setNextPlan(db, {
    id: account._id,
    wake: account.wake,
    at: Math.max(lanes.nextAt, clock.now()),
  });
}

/** The lanes with work, or when there will be some. */
async function dueLanes(
  { db, clock }: WorkerDeps,
  account: Account,
): Promise<Lane[] | { nextAt: number }> {
  const now = clock.now();
  if (account.account === LINK_ACCOUNT) {
    const { until = 0 } = account.lane.fresh.quiet ?? {};
    return until > now ? { nextAt: until } : ['fresh'];
  }
  const planned = await planAccount(db, account, now);
  const work: Record<Lane, boolean> = {
    fresh: planned.tree || planned.seal.length > 0 || planned.fresh.length > 0,
    // Without its tree an account's windows cannot be bounded: the fresh lane reads it first.
    bulk: planned.bulk.length > 0 && account.tree.fetchedAt !== undefined,
  };
  const lanes = LANES.filter((lane) => work[lane]);
  return lanes.length > 0 ? lanes : { nextAt: planned.nextAt };
}
