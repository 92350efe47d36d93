import {
  type Account,
  dropWishes,
  endTurn,
  findAccount,
  findLinkById,
  isOpenLink,
  isUnavailable,
  markProgress,
  planAccountOf,
  sealDays,
  setNextPlan,
  stayBusy,
} from '@tributary/database';
import { FatalError, RetryableError } from '@tributary/runtime';
import {
  CHANNELS,
  type Day,
  failingSources,
  findSource,
  groupKey,
  LANES,
  type Lane,
} from '@tributary/shared';
import { collectWindow, type TurnContext } from './collect-window.ts';
import type { WorkerDeps } from './deps.ts';
import type { OpenLink } from './link-access.ts';
import { noteUpstreamChanges } from './note-upstream.ts';
import { type AccountPlan, planAccount } from './plan-account.ts';
import { readFailing } from './read-failing.ts';
import { readTree } from './read-tree.ts';
import { saveTreeFailure } from './save-tree-failure.ts';

/** How long a turn begins new windows. */
const TURN_MS = 60_000;
/** After that long without a sign the turn's process is taken to be gone. */
export const BUSY_MS = 2 * TURN_MS;
const FAILURES_MAX = 3;
const FAILURES = { code: 'failures', detail: 'Three readings in a row failed' } as const;
/** After that many windows in a row that failed, or a day that could not be sealed. */
export const PAUSE_MS = 5 * 60_000;

/** One turn of a lane, under way. */
export interface Turn {
  account: Account;
  lane: Lane;
  run: number;
  signal: AbortSignal;
}

export type Outcome = 'done' | 'more' | 'stopped' | 'poisoned' | 'crowded' | 'failed';

/**
 * Reads the account's tree when it is due, seals what is stored and not sealed, and collects the lane's windows.
 *
 * @throws RateLimitedError, AuthLostError, and what reading the first tree fails with
 */
export async function workOnAccount(
  deps: WorkerDeps,
  turn: Turn,
  open: OpenLink,
): Promise<Outcome> {
  const { db, clock } = deps;
  const { run, signal, lane } = turn;
  const deadline = clock.now() + TURN_MS;
  let seq = 0;
  const nextSeq = () => {
    seq += 1;
    return seq;
  };
  let context: TurnContext = {
    account: turn.account,
    lane,
    run,
    nextSeq,
    signal,
    open,
    unsealable: new Set(),
  };
  let planned = await planAccount(db, context.account, clock.now(), lane);
  if (planned.tree && lane === 'fresh') {
    await readTreeOrGoOn(deps, context);
    context = { ...context, account: (await findAccount(db, turn.account._id)) ?? turn.account };
    planned = await planAccount(db, context.account, clock.now(), lane);
  }
  await sealNow(deps, context, planned.seal);
  if (await collectPlanned(deps, turn, context, { planned, deadline }))
    return await finish(deps, turn, context.unsealable);
  const failing = await readFailing(deps, context.account);
  await endTurn(db, { id: context.account._id, lane, run, failing });
  return 'stopped';
}

/** An account whose tree is known goes on with it when the platform does not tell the new one. */
async function readTreeOrGoOn(deps: WorkerDeps, context: TurnContext): Promise<void> {
  const { account, open, signal } = context;
  try {
    await readTree(deps, open, { account, signal });
  } catch (error) {
    const passes = error instanceof RetryableError || error instanceof FatalError;
    if (!passes || signal.aborted || account.tree.fetchedAt === undefined) throw error;
    deps.logger.warn({ account: account._id, err: error }, 'The entity tree could not be read');
    await saveTreeFailure(deps, account._id, error);
  }
}

/**
 * Windows in order until the time is up; a level's month is sealed when the last of its sources is in. Three failures in a
 * row end the platform's windows, or the feed's: trouble with one never keeps the other from being read. False = stop.
 */
async function collectPlanned(
  deps: WorkerDeps,
  turn: Turn,
  context: TurnContext,
  { planned, deadline }: { planned: AccountPlan; deadline: number },
): Promise<boolean> {
  const { db, clock } = deps;
  const { cells } = planned.coverage;
  const channel = CHANNELS[context.account.channel];
  const unsealed = new Set<Day>();
  const failures = { platform: 0, feed: 0 };
  let group = '';
  try {
    for (const window of planned[turn.lane]) {
      if (clock.now() >= deadline || turn.signal.aborted) break;
      const giver = findSource(channel, window.source)?.feed ? 'feed' : 'platform';
      if (failures[giver] >= FAILURES_MAX) continue;
      const standing = await standingOf(deps, turn, context);
      if (standing === 'lost') unsealed.clear();
      if (standing !== 'ours') return false;
      const key = groupKey(window, channel);
      if (key !== group) await sealAndClear(deps, context, unsealed);
      group = key;
      const days = await collectWindow(deps, context, { window, cells });
      failures[giver] = days ? 0 : failures[giver] + 1;
      for (const day of days ?? []) unsealed.add(day);
      if (days) {
        const { lane, run } = turn;
        await markProgress(db, { id: context.account._id, lane, run, readAt: clock.now() });
      }
    }
  } finally {
    await sealAndClear(deps, context, unsealed);
  }
  if (Math.max(failures.platform, failures.feed) >= FAILURES_MAX) {
    const { _id: id } = context.account;
    const quiet = { until: clock.now() + PAUSE_MS, ...FAILURES };
    await endTurn(db, { id, lane: turn.lane, run: turn.run, quiet });
  }
  return true;
}

async function sealAndClear(deps: WorkerDeps, context: TurnContext, days: Set<Day>): Promise<void> {
  const sorted = [...days].sort();
  days.clear();
  await sealNow(deps, context, sorted);
}

/** What cannot be sealed is told of and tried again by a later turn; the other days do not wait for it. */
async function sealNow(
  deps: WorkerDeps,
  context: TurnContext,
  days: readonly Day[],
): Promise<void> {
  const { account, lane, run, signal } = context;
  const [first] = days;
  if (first === undefined) return;
  const hold = async (rows: number) => {
    const busyUntil = deps.clock.now() + BUSY_MS;
    await stayBusy(deps.db, { id: account._id, lane, run, busyUntil });
    return await deps.gate.enter(rows, signal);
  };
  try {
    const { written } = await sealDays(deps.db, { account, now: deps.clock.now(), hold }, days);
    deps.metrics.sealedDocuments.inc({ channel: account.channel }, written);
    for (const day of days) context.unsealable.delete(day);
  } catch (err) {
    if (isUnavailable(err) || signal.aborted) throw err;
    if (days.length > 1) {
      for (const day of days) await sealNow(deps, context, [day]);
      return;
    }
    deps.logger.error({ account: account._id, day: first, err }, 'A day could not be sealed');
    deps.metrics.unsealed.inc({ channel: account.channel });
    context.unsealable.add(first);
  }
}

/**
 * Whether the work is still wanted from this turn. It is lost to it when a newer one began, or the link changed, left or
 * waits for a person; when the link was paused, what was read is sealed and nothing more is read.
 */
async function standingOf(
  deps: WorkerDeps,
  { account, lane, run }: Turn,
  { open }: TurnContext,
): Promise<'ours' | 'paused' | 'lost'> {
  const [current, link] = await Promise.all([
    findAccount(deps.db, account._id),
    findLinkById(deps.db, account.link),
  ]);
  if (current?.lane[lane].run !== run || link?.gen !== open.link.gen) return 'lost';
  if (isOpenLink(link)) return 'ours';
  return link.pausedAt === undefined ? 'lost' : 'paused';
}

/** Plans what comes next from what is stored now. */
async function finish(
  deps: WorkerDeps,
  { account: { _id: id }, lane, run }: Turn,
  unsealable: ReadonlySet<Day>,
): Promise<Outcome> {
  const { db, clock } = deps;
  const account = await findAccount(db, id);
  if (!account) return 'stopped';
  const now = clock.now();
  const planned = await planAccount(db, account, now, lane);
  await noteUpstreamChanges(deps, account, planned.coverage);
  const seal = planned.seal.filter((day) => !unsealable.has(day));
  const more = planned.tree || seal.length + planned.fresh.length + planned.bulk.length > 0;
  // While a lane is quiet, what it would do is not planned: a wish may be open still.
  const isQuiet = LANES.some((one) => (account.lane[one].quiet?.until ?? 0) > now);
  const { wake, wanted } = account;
  if (!more && !isQuiet && wanted.length > 0) await dropWishes(db, { id, wake });
  const { cells } = planned.coverage;
  const failing = {
    at: now,
    sources: failingSources({ account: planAccountOf(account), cells, now }),
  };
  await endTurn(db, { id, lane, run, failing });
  const nextAt = unsealable.size > 0 ? Math.min(planned.nextAt, now + PAUSE_MS) : planned.nextAt;
  await setNextPlan(db, { id, wake, at: more ? now : nextAt });
  return more ? 'more' : 'done';
}
