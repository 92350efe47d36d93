import {
  type Account,
  type CellChange,
  type Coverage,
  createCollection,
  type DayOutcome,
  moveCells,
} from '@tributary/database';
import { AppError, RateLimitedError, RetryableError } from '@tributary/runtime';
import {
  CHANNELS,
  type Day,
  eachDay,
  findSource,
  type Lane,
  type Report,
  type Source,
  type Window,
} from '@tributary/shared';
import { checkOwners } from './check-owners.ts';
import { createDeliveringEntities } from './delivering-entities.ts';
import type { WorkerDeps } from './deps.ts';
import type { OpenLink } from './link-access.ts';
import { retryAt, retryLate } from './retry.ts';

/** A platform's report is asked for again after this. */
const REPORT_AGAIN_MS = 20_000;
/** A report that is not done by then is given up and made anew: the platform needs about an hour at most. */
const REPORT_PATIENCE_MS = 3 * 60 * 60_000;

export interface TurnContext {
  account: Account;
  lane: Lane;
  run: number;
  nextSeq(): number;
  signal: AbortSignal;
  open: OpenLink;
  /** Days that could not be sealed: left to a later turn. */
  unsealable: Set<Day>;
}

/**
 * Collects one window of one source: rows into chunks, then the commit. What the platform refuses is written into the
 * cells with its reason and the time of the next attempt.
 *
 * @throws RateLimitedError, AuthLostError: they concern more than this window; nothing was written then
 * @returns the days that were committed; undefined when the window failed and its cells say why
 */
export async function collectWindow(
  deps: WorkerDeps,
  turn: TurnContext,
  { window, cells }: { window: Window; cells: Coverage['cells'] },
): Promise<Day[] | undefined> {
  const source = findSource(CHANNELS[turn.account.channel], window.source);
  if (!source) throw new TypeError(`The channel has no source '${window.source}'`);
  // A report is only good for the days it was made for; what else is due is planned again.
  const report = reportOf(cells, window);
  const { from, to } = report ?? window;
  const attempt: Attempt = { source, from, to, tries: triesOf(cells, window), report };
  const channel = turn.account.channel;
  const labels = { channel, source: source.id };
  const rowsExpected = source.rowsPerDay(turn.account.entities) * eachDay(from, to).length;
  const leave = await deps.gate.enter(rowsExpected, turn.signal);
  try {
    const outcomes = await collectRows(deps, turn, { attempt, rowsExpected });
    deps.metrics.windows.inc({ ...labels, outcome: 'ok' });
    for (const outcome of outcomes.values()) deps.metrics.days.inc({ channel, outcome });
    tellSuspects(deps, turn, { source, outcomes });
    return [...outcomes.keys()];
  } catch (error) {
    if (!(error instanceof AppError) || error instanceof RateLimitedError) throw error;
    if (error.name === 'AuthLostError' || turn.signal.aborted) throw error;
    deps.metrics.windows.inc({ ...labels, outcome: error.code });
    await storeFailure(deps, turn, { attempt, error });
    return undefined;
  } finally {
    leave();
  }
}

function tellSuspects(
  { logger }: WorkerDeps,
  { account }: TurnContext,
  { source, outcomes }: { source: Source; outcomes: ReadonlyMap<Day, DayOutcome> },
): void {
  const days = [...outcomes].flatMap(([day, outcome]) => (outcome === 'suspect' ? [day] : []));
  if (days.length === 0) return;
  logger.warn(
    { account: account._id, source: source.id, days },
    'The platform answered with far less than before: the days are asked for again',
  );
}

interface Attempt {
  source: Source;
  from: Day;
  to: Day;
  /** Attempts in a row that already failed. */
  tries: number;
  /** The platform's report for these days: an earlier turn's, else the one made now, if any. */
  report: Report | undefined;
}

async function collectRows(
  deps: WorkerDeps,
  turn: TurnContext,
  { attempt, rowsExpected }: { attempt: Attempt; rowsExpected: number },
) {
  const { account, open, run, nextSeq, signal } = turn;
  const { source, from, to, report } = attempt;
  const target = { account: account._id, tenant: account.tenant, run, nextSeq };
  // A report holds the figures of its creation: what the platform changed since is read at the next slot.
  const fetchedAt = report?.at ?? deps.clock.now();
  const collection = createCollection(deps.db, {
    ...target,
    source: source.id,
    from,
    to,
    fetchedAt,
    everyDay: source.everyDay === true,
  });
  const { account: id, zone, currency } = account;
  const pages = open.connector.collect({
    ...open.access,
    account: { id, zone, currency },
    source,
    from,
    to,
    rowsExpected,
    signal,
    ...(report && { report }),
    onReport: async (created) => {
      attempt.report = { ...created, at: fetchedAt };
      await storeReport(deps, turn, attempt, attempt.report);
    },
  });
  const delivering = createDeliveringEntities(deps, turn);
  for await (const page of pages) {
    await checkOwners(deps.db, account, { source, page });
    await collection.add(page);
    delivering.note(page);
    const rows = page.reduce((sum, piece) => sum + piece.rows.length, 0);
    deps.metrics.rows.inc({ channel: account.channel, source: source.id }, rows);
  }
  await delivering.store();
  return await collection.commit();
}

/** A report under way is remembered before it is first polled, so that it is made once. */
async function storeReport(
  deps: WorkerDeps,
  turn: TurnContext,
  attempt: Attempt,
  report: Report,
): Promise<void> {
  const now = deps.clock.now();
  await writeCells(deps, turn, attempt, {
    state: 'waiting',
    triedAt: now,
    tries: attempt.tries,
    retryAt: now + REPORT_AGAIN_MS,
    code: 'report_running',
    detail: 'The platform is making the report',
    report,
  });
}

async function storeFailure(
  deps: WorkerDeps,
  turn: TurnContext,
  { attempt, error }: { attempt: Attempt; error: AppError },
): Promise<void> {
  const { report } = attempt;
  const isStuck = report && deps.clock.now() - report.at > REPORT_PATIENCE_MS;
  if (report && error.code === 'report_running' && !isStuck) {
    await storeReport(deps, turn, attempt, report);
    return;
  }
  const now = deps.clock.now();
  const tries = attempt.tries + 1;
  const { code, message: detail } = error;
  const mends = error instanceof RetryableError;
  deps.logger.warn(
    {
      account: turn.account._id,
      source: attempt.source.id,
      from: attempt.from,
      to: attempt.to,
      err: error,
    },
    'A window failed',
  );
  await writeCells(deps, turn, attempt, {
    state: 'failed',
    triedAt: now,
    tries,
    retryAt: mends ? retryAt(now, tries, deps.random) : retryLate(now, deps.random),
    code,
    detail,
    ...(report && code !== 'report_failed' && !isStuck && { report }),
  });
}

async function writeCells(
  { db }: WorkerDeps,
  { account, run, nextSeq }: TurnContext,
  { source, from, to }: Attempt,
  work: CellChange['work'],
): Promise<void> {
  const target = { account: account._id, tenant: account.tenant, run, seq: nextSeq() };
  const changes = eachDay(from, to).map((day) => ({ day, source: source.id, work }));
  await moveCells(db, target, changes);
}

function reportOf(cells: Coverage['cells'], { source, from, to }: Window): Report | undefined {
  const days = eachDay(from, to).toReversed();
  return days.map((day) => cells.get(day)?.get(source)?.report).find((report) => report);
}

function triesOf(cells: Coverage['cells'], { source, to }: Window): number {
  return cells.get(to)?.get(source)?.tries ?? 0;
}
