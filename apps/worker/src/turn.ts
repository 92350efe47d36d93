import {
  type Account,
  beginTurn,
  countBusyTurns,
  dropWishes,
  endTurn,
  findAccount,
  LINK_ACCOUNT,
  listAccounts,
  markProgress,
  restLink,
  saveTreeState,
  sealDays,
  setLinkStatus,
  setNextPlan,
} from '@tributary/database';
import { AppError, AuthLostError, RateLimitedError } from '@tributary/runtime';
import {
  CHANNELS,
  type Day,
  groupKey,
  type Lane,
  type TurnJob,
  type Window,
} from '@tributary/shared';
import { collectWindow, type TurnContext } from './collect-window.ts';
import type { WorkerDeps } from './deps.ts';
import { discover } from './discover.ts';
import { findOpenLink, openLink } from './link-access.ts';
import { type AccountPlan, planAccount } from './plan-account.ts';
import { readTree } from './read-tree.ts';
import { retryAt, retryLate } from './retry.ts';

const TURN_MS = 60_000;
const BUSY_MS = 2 * TURN_MS;
const POISON_MS = 6 * 60 * 60_000;
/** Turns of a lane that may begin one after the other without storing anything. */
const STARTS_MAX = 4;
const FAILURES_MAX = 3;
const PAUSE_MS = 5 * 60_000;
const CROWDED_MS = 10_000;
/** Turns of one tenant at once: none starves the others. */
const TENANT_TURNS_MAX: Readonly<Record<Lane, number>> = { fresh: 32, bulk: 8 };

/** Errors of one account, not of the grant: the link's other accounts go on. */
const ACCOUNT_CODES: ReadonlySet<string> = new Set(['object_missing', 'account_closed']);

type Outcome = 'done' | 'more' | 'stopped' | 'poisoned' | 'crowded' | 'failed';

/**
 * One turn: up to a minute of work on one account in one lane, planned anew from what is stored. Doing it twice, at the
 * same time or after a crash, costs two reads.
 */
export async function runTurn(deps: WorkerDeps, job: TurnJob, signal: AbortSignal): Promise<void> {
  const { db, clock, metrics, logger } = deps;
  const { account: id, lane } = job;
  const before = await findAccount(db, id);
  if (!before) return;
  const labels = { channel: before.channel, lane };
  const now = clock.now();
  if ((await countBusyTurns(db, { tenant: before.tenant, lane, now })) >= TENANT_TURNS_MAX[lane]) {
    await setNextPlan(db, { id, wake: before.wake, at: now + CROWDED_MS });
    metrics.turns.inc({ ...labels, outcome: 'crowded' satisfies Outcome });
    return;
  }
  const account = await beginTurn(db, { id, lane, busyUntil: now + BUSY_MS });
  if (!account) return;
  const { run, starts } = account.lane[lane];
  if (starts > STARTS_MAX) {
    metrics.poisoned.inc(labels);
    logger.error(
      { account: id, lane, attempt: starts },
      'Turns keep dying without progress: the lane rests for six hours',
    );
    await rest(deps, account, { lane, run, until: now + POISON_MS });
    metrics.turns.inc({ ...labels, outcome: 'poisoned' satisfies Outcome });
    return;
  }
  const took = metrics.turnSeconds.startTimer(labels);
  const outcome = await workGuarded(deps, { account, lane, run, signal });
  took();
  metrics.turns.inc({ ...labels, outcome });
}

interface Turn {
  account: Account;
  lane: Lane;
  run: number;
  signal: AbortSignal;
}

/** Does the turn's work and translates what it threw into what happens next. */
async function workGuarded(deps: WorkerDeps, turn: Turn): Promise<Outcome> {
  const { db, clock, logger, random } = deps;
  const { account, lane, run } = turn;
  const now = clock.now();
  try {
    return await work(deps, turn);
  } catch (error) {
    if (turn.signal.aborted) {
      await rest(deps, account, { lane, run, until: 0 });
      return 'stopped';
    }
    if (error instanceof RateLimitedError) {
      logger.info({ account: account._id, lane, until: error.until }, 'The platform asks to wait');
      await rest(deps, account, { lane, run, until: error.until });
      return 'stopped';
    }
    if (!(error instanceof AppError)) throw error;
    logger.warn({ account: account._id, lane, err: error }, 'A turn ended early');
    if (error instanceof AuthLostError && (await loseGrant(deps, turn, error))) return 'failed';
    const tries = (account.tree.tries ?? 0) + 1;
    const { code, message: detail } = error;
    const at =
      error.name === 'RetryableError' ? retryAt(now, tries, random) : retryLate(now, random);
    await saveTreeState(db, account._id, {
      tree: { ...account.tree, tries, retryAt: at, code, detail },
    });
    await rest(deps, account, { lane, run, until: at });
    return 'failed';
  }
}

/** Ends the turn with the lane quiet until then, and the account planned at that time. */
async function rest(
  { db, clock }: WorkerDeps,
  account: Account,
  { lane, run, until }: { lane: Lane; run: number; until: number },
): Promise<void> {
  await endTurn(db, { id: account._id, lane, run, until });
  await setNextPlan(db, {
    id: account._id,
    wake: account.wake,
    at: Math.min(until, clock.now() + PAUSE_MS),
  });
}

/** True when the link as a whole waits for a person now. */
async function loseGrant(
  { db, logger }: WorkerDeps,
  { account, lane, run }: Turn,
  error: AuthLostError,
): Promise<boolean> {
  const link = await findOpenLink({ db }, account);
  if (!link) return true;
  if (ACCOUNT_CODES.has(error.code) && account.account !== LINK_ACCOUNT) {
    const others = (await listAccounts(db, link._id)).filter(
      ({ _id, status }) => _id !== account._id && status !== 'closed',
    );
    if (others.length > 0) return false;
  }
  const { code, message } = error;
  await setLinkStatus(db, link._id, {
    status: 'Disconnect',
    reason: { code, message },
    gen: link.gen,
  });
  await endTurn(db, { id: account._id, lane, run });
  await restLink(db, link._id);
  logger.warn({ link: link._id, code, detail: message }, 'A link waits for a person');
  return true;
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
  const open = await openLink(deps, link);
  if (account.account === LINK_ACCOUNT) {
    await discover(deps, open, { account, run, signal });
    return 'done';
  }
  let seq = 0;
  const nextSeq = () => {
    seq += 1;
    return seq;
  };
  return await workOnAccount(deps, turn, { account, run, nextSeq, signal, open });
}

async function workOnAccount(deps: WorkerDeps, turn: Turn, context: TurnContext): Promise<Outcome> {
  const { db, clock } = deps;
  const deadline = clock.now() + TURN_MS;
  let planned = await planAccount(db, context.account, clock.now());
  if (planned.tree && turn.lane === 'fresh') {
    const account = await readTree(deps, context.open, context);
    context = { ...context, account };
    planned = await planAccount(db, account, clock.now());
  }
  await sealNow(deps, context, planned.seal);
  const moved = await collectPlanned(deps, turn, context, { planned, deadline });
  if (!moved) return 'stopped';
  return await finish(deps, turn);
}

/** Windows in order until the time is up; a level's month is sealed when the last of its sources is in. False = stop. */
async function collectPlanned(
  deps: WorkerDeps,
  turn: Turn,
  context: TurnContext,
  { planned, deadline }: { planned: AccountPlan; deadline: number },
): Promise<boolean> {
  const { db, clock } = deps;
  const channel = CHANNELS[context.account.channel];
  const unsealed = new Set<Day>();
  let failures = 0;
  let group = '';
  try {
    for (const window of planned[turn.lane]) {
      if (clock.now() >= deadline || turn.signal.aborted || failures >= FAILURES_MAX) break;
      const key = groupKey(window, channel);
      if (key !== group) await sealAndClear(deps, context, unsealed);
      group = key;
      if (!(await isStillOurs(deps, turn, context))) return false;
      const days = await collectOne(deps, context, { window, planned });
      failures = days ? 0 : failures + 1;
      for (const day of days ?? []) unsealed.add(day);
      if (days) await markProgress(db, { id: context.account._id, lane: turn.lane, run: turn.run });
    }
  } finally {
    await sealAndClear(deps, context, unsealed);
  }
  if (failures >= FAILURES_MAX) {
    const { _id: id } = context.account;
    await endTurn(db, { id, lane: turn.lane, run: turn.run, until: clock.now() + PAUSE_MS });
  }
  return true;
}

async function collectOne(
  deps: WorkerDeps,
  context: TurnContext,
  { window, planned }: { window: Window; planned: AccountPlan },
): Promise<Day[] | undefined> {
  return await collectWindow(deps, context, { window, cells: planned.coverage.cells });
}

async function sealAndClear(deps: WorkerDeps, context: TurnContext, days: Set<Day>): Promise<void> {
  const sorted = [...days].sort();
  days.clear();
  await sealNow(deps, context, sorted);
}

async function sealNow(
  deps: WorkerDeps,
  context: TurnContext,
  days: readonly Day[],
): Promise<void> {
  const { account } = context;
  if (days.length === 0) return;
  const { written } = await sealDays(deps.db, { account, now: deps.clock.now() }, days);
  deps.metrics.sealedDocuments.inc({ channel: account.channel }, written);
}

/** False when the work is no longer wanted from this turn: a newer one began, or the link changed, left or was lost. */
async function isStillOurs(
  deps: WorkerDeps,
  { account, lane, run }: Turn,
  { open }: TurnContext,
): Promise<boolean> {
  const [current, link] = await Promise.all([
    findAccount(deps.db, account._id),
    findOpenLink(deps, account),
  ]);
  return current?.lane[lane].run === run && link?.gen === open.link.gen;
}

/** Plans what comes next from what is stored now. */
async function finish(
  { db, clock }: WorkerDeps,
  { account: { _id: id }, lane, run }: Turn,
): Promise<Outcome> {
  const account = await findAccount(db, id);
  if (!account) return 'stopped';
  const now = clock.now();
  const planned = await planAccount(db, account, now);
  const more = planned.tree || planned.seal.length + planned.fresh.length + planned.bulk.length > 0;
  const fulfilled = Math.min(now, ...account.wanted.map(({ at }) => at));
  if (!more && account.wanted.length > 0) await dropWishes(db, id, fulfilled);
  await endTurn(db, { id, lane, run });
  await setNextPlan(db, { id, wake: account.wake, at: more ? now : planned.nextAt });
  return more ? 'more' : 'done';
}
