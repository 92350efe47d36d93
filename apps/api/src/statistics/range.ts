import { createHash } from 'node:crypto';
import { setImmediate as yieldTurn } from 'node:timers/promises';
import { type Account, readCoverage } from '@tributary/database';
import {
  type AnswerState,
  addDays,
  answerState,
  CHANNELS,
  type CollectedDay,
  collectedRange,
  type Day,
  type Millis,
  type SealedPart,
  type StateAccount,
  stateHeaders,
} from '@tributary/shared';
import type { Deps } from '../deps.ts';
import { ProblemError } from '../http/problem.ts';
import type { RangeSummary } from './caches.ts';

export interface Range {
  start: Day;
  end: Day;
}

/** The interface's `date` of an answer: the day, or the interval. */
export function rangeText({ start, end }: Range): string {
  return start === end ? start : `${start}/${end}`;
}

export function stateAccount(account: Account): StateAccount {
  const { historyFrom, frozenBefore = historyFrom } = account;
  return {
    id: account._id,
    zone: account.zone,
    withoutFeed: account.withoutFeed === true,
    // Days counted by another measure are never read again, so they are not waited for.
    historyFrom: frozenBefore > historyFrom ? frozenBefore : historyFrom,
    channel: CHANNELS[account.channel],
  };
}

/** Time passes and fetch times move without a new version: both are looked at anew this often. */
const KEPT_MS = 60_000;

/**
 * What coverage says about a part of an account over a range. The account was read before: a version that is newer than
 * what is read here only makes the next request look again.
 */
export async function readRange(
  { db, caches }: Pick<Deps, 'db' | 'caches'>,
  account: Account,
  part: SealedPart,
  { start, end, now }: Range & { now: Millis },
): Promise<RangeSummary> {
  const period = Math.floor(now / KEPT_MS);
  const key = `${account._id} ${account.cv} ${period} ${part} ${start} ${end}`;
  const known = caches.ranges.get(key) ?? caches.rangesUnderWay.get(key);
  if (known !== undefined) return await known;
  const work = summarize(db, account, part, { start, end, now });
  caches.rangesUnderWay.set(key, work);
  try {
    const summary = await work;
    caches.ranges.set(key, summary);
    return summary;
  } finally {
    caches.rangesUnderWay.delete(key);
  }
}

/** So many days take a few milliseconds, also in a new process; then other requests get their turn. */
const SLICE_DAYS = 60;

async function summarize(
  db: Deps['db'],
  account: Account,
  part: SealedPart,
  { start, end, now }: Range & { now: Millis },
): Promise<RangeSummary> {
  const owner = stateAccount(account);
  const days: CollectedDay[] = [];
  for (let from = start; from <= end; from = addDays(from, SLICE_DAYS)) {
    const last = addDays(from, SLICE_DAYS - 1);
    const to = last < end ? last : end;
    const { cells, sealed } = await readCoverage(db, account._id, from, to);
    await yieldTurn();
    days.push(...collectedRange({ account: owner, part, from, to, cells, sealed }).days);
  }
  await yieldTurn();
  const tags = digest(days.map(({ date, tag }) => `${date} ${tag}`));
  return { days, tags, state: answerState(owner, part, { from: start, to: end, days }, now) };
}

function digest(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('base64url').slice(0, 22);
}

/** Names an answer: equal tags, equal bytes up to the encoding. Weak, because the state in the headers may move. */
export function etagOf(...parts: readonly (string | number)[]): string {
  return `W/"${digest(parts.map(String))}"`;
}

/** Headers of every answer with statistics, also of a 304. */
export function answerHeaders(etag: string, state: AnswerState): Record<string, string> {
  return { ETag: etag, Vary: 'Accept, Accept-Encoding', ...stateHeaders(state) };
}

/** The refusal of an answer that needs at least one collected day; `retryAt` only where something is planned. */
export function notCollected(
  range: Range,
  { state, retryAt, now }: { state: AnswerState; retryAt: Millis | undefined; now: Millis },
): ProblemError {
  return new ProblemError('not_collected', `No day of ${rangeText(range)} is collected`, {
    headers: {
      ...stateHeaders(state),
      ...(retryAt === undefined
        ? {}
        : { 'Retry-After': String(Math.max(1, Math.ceil((retryAt - now) / 1000))) }),
    },
  });
}
