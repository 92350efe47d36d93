import {
  type Account,
  beginTurn,
  countBusyTurns,
  endTurn,
  findAccount,
  type LaneQuiet,
  LINK_ACCOUNT,
  setNextPlan,
} from '@tributary/database';
import { AppError, AuthLostError, RateLimitedError } from '@tributary/runtime';
import type { Lane, TurnJob } from '@tributary/shared';
import type { WorkerDeps } from './deps.ts';
import { discover } from './discover.ts';
import { findOpenLink, openLink } from './link-access.ts';
import { loseGrant } from './lose-grant.ts';
import { outlastOutage } from './outlast-outage.ts';
import { readFailing } from './read-failing.ts';
import { saveTreeFailure } from './save-tree-failure.ts';
import { BUSY_MS, type Outcome, PAUSE_MS, type Turn, workOnAccount } from './work-on-account.ts';

const POISON_MS = 6 * 60 * 60_000;
/** Turns of a lane that may begin one after the other without storing anything. */
const STARTS_MAX = 4;
const POISON = {
  code: 'poisoned',
  detail: 'Turns keep dying without progress: the lane rests for six hours',
} as const;
const CROWDED_MS = 10_000;
/** Another process plans an aborted turn's account when the turn is off its queue; before, it could not be enqueued. */
const HANDOVER_MS = 2_000;
/** Turns of one tenant at once: none starves the others. */
const TENANT_TURNS_MAX: Readonly<Record<Lane, number>> = { fresh: 32, bulk: 8 };

/**
 * One turn: up to a minute of work on one account in one lane, planned anew from what is stored. Doing it twice, at the
 * same time or after a crash, costs two reads.
 *
 * @returns what became of it; `more` = there is work left, to be enqueued once this turn is off its queue
 */
export async function runTurn(
  deps: WorkerDeps,
  job: TurnJob,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return await takeTurn(deps, job, signal);
  } catch (error) {
    await outlastOutage(deps, job, { error, signal });
    return 'failed';
  }
}

async function takeTurn(deps: WorkerDeps, job: TurnJob, signal: AbortSignal): Promise<Outcome> {
  const { db, clock, metrics, logger } = deps;
  const { account: id, lane } = job;
  const before = await findAccount(db, id);
  if (!before) return 'stopped';
  const count = (outcome: Outcome) => {
    metrics.turns.inc({ channel: before.channel, lane, outcome });
    return outcome;
  };
  const labels = { channel: before.channel, lane };
  const now = clock.now();
  if ((await countBusyTurns(db, { tenant: before.tenant, lane, now })) >= TENANT_TURNS_MAX[lane]) {
    await setNextPlan(db, { id, wake: before.wake, at: now + CROWDED_MS });
    return count('crowded');
  }
  const account = await beginTurn(db, { id, lane, busyUntil: now + BUSY_MS });
  if (!account) return 'stopped';
  const { run, starts } = account.lane[lane];
  if (starts > STARTS_MAX) {
    metrics.poisoned.inc(labels);
    logger.error({ account: id, lane, attempt: starts }, POISON.detail);
    await rest(deps, account, { lane, run, quiet: { until: now + POISON_MS, ...POISON } });
    return count('poisoned');
  }
  const took = metrics.turnSeconds.startTimer(labels);
  const outcome = await workGuarded(deps, { account, lane, run, signal });
  took();
  return count(outcome);
}

/** Does the turn's work and translates what it threw into what happens next. */
async function workGuarded(deps: WorkerDeps, turn: Turn): Promise<Outcome> {
  const { db, clock, logger } = deps;
  const { account, lane, run } = turn;
  const now = clock.now();
  try {
    return await work(deps, turn);
  } catch (error) {
    if (turn.signal.aborted) {
      await endTurn(db, { id: account._id, lane, run });
      const at = now + HANDOVER_MS;
      await setNextPlan(db, { id: account._id, wake: account.wake, at });
      return 'stopped';
    }
    if (error instanceof RateLimitedError) {
      logger.info({ account: account._id, lane, until: error.until }, 'The platform asks to wait');
      const { code, message: detail, until } = error;
      await rest(deps, account, { lane, run, quiet: { until, code, detail } });
      return 'stopped';
    }
    if (!(error instanceof AppError)) throw error;
    logger.warn({ account: account._id, lane, err: error }, 'A turn ended early');
    const { retryAt: until = now } = await saveTreeFailure(deps, account._id, error);
    const quiet = { until, code: error.code, detail: error.message };
    await rest(deps, account, { lane, run, quiet });
    return 'failed';
  }
}

/** Ends the turn with the lane quiet until then, and the account planned at that time. */
async function rest(
  deps: WorkerDeps,
  account: Account,
  end: { lane: Lane; run: number; quiet: LaneQuiet },
): Promise<void> {
  const { db, clock } = deps;
  const failing = await readFailing(deps, account);
  await endTurn(db, { id: account._id, ...end, failing });
  await setNextPlan(db, {
    id: account._id,
    wake: account.wake,
    at: Math.min(end.quiet.until, clock.now() + PAUSE_MS),
  });
}

async function work(deps: WorkerDeps, turn: Turn): Promise<Outcome> {
  const { db } = deps;
  const { account, run, signal, lane } = turn;
  const link = await findOpenLink(deps, account);
  if (!link) {
    await endTurn(db, { id: account._id, lane, run });
    await setNextPlan(db, { id: account._id, wake: account.wake, at: Infinity });
    return 'stopped';
  }
  try {
    const open = await openLink(deps, link);
    if (account.account !== LINK_ACCOUNT) return await workOnAccount(deps, turn, open);
    await discover(deps, open, { account, run, signal });
    return 'done';
  } catch (error) {
    const isLost = error instanceof AuthLostError && !signal.aborted;
    if (isLost && (await loseGrant(deps, turn, { link, error }))) return 'failed';
    throw error;
  }
}
