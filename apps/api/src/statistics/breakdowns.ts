import { type AuthorizedLink, findStatDays, makePiece } from '@tributary/database';
import { AppError } from '@tributary/runtime';
import {
  addDays,
  CHANNELS,
  type CollectedDay,
  type Day,
  LEVEL_WORDS,
  type ListedLevel,
  SEAL_VERSION,
  zeroDay,
} from '@tributary/shared';
import type { Deps } from '../deps.ts';
import { matchesEtag } from '../http/accept.ts';
import type { RequestContext } from '../http/define-route.ts';
import { ProblemError } from '../http/problem.ts';
import { Reply } from '../http/reply.ts';
import { csvDaysReply, csvTag } from './csv-answer.ts';
import { joinGzip, type Segment, storedSegment } from './gzip-join.ts';
import type { Place } from './place.ts';
import { plainChunks } from './plain-text.ts';
import { answerHeaders, etagOf, type Range, rangeText, readRange } from './range.ts';

const JSON_TYPE = 'application/json';
const PLAIN_MAX = 64 * 1024 * 1024;
/** So many days are read at once. */
const WHOLE_DAYS = 100;
/** Days read at once of longer ranges: bounds what arrives together, and what is held before an answer is known to be too large. */
const SLICE_DAYS = 50;
/**
 * Ad groups and days read at once above the ad groups: their keywords make a day of a large account a megabyte, and so much
 * in one message of the database holds up all other answers.
 */
const SLICE_AD_GROUP_DAYS = 5_000;
const COMMA = storedSegment(',');
const END = storedSegment(']}}');

export interface BreakdownsQuestion {
  link: AuthorizedLink;
  level: ListedLevel;
  place: Place;
  range: Range;
  context: RequestContext;
}

/** The answer of /data/adAccount, /data/campaign and /data/adGroup: the sealed days of the range, joined as they are. */
export async function answerBreakdowns(deps: Deps, question: BreakdownsQuestion): Promise<Reply> {
  const { level, place, range, context } = question;
  const { account, entity } = place;
  const collected = await readRange(deps, account, level, { ...range, now: context.now });
  const encoding = context.acceptsGzip ? 'gzip' : 'identity';
  const names = [account._id, level, entity, rangeText(range), collected.tags];
  const etag = etagOf(SEAL_VERSION, JSON_TYPE, encoding, ...names, ...csvTag(context));
  const headers = answerHeaders(etag, collected.state);
  if (matchesEtag(context.ifNoneMatch, etag)) return new Reply({ status: 304, headers });
  const segments = await readSegments(deps, question, collected.days);
  if (encoding === 'identity' || context.answerType === 'text/csv') {
    const length = segments.reduce((sum, { n }) => sum + n, 0);
    const chunks = await plainChunks(segments, deps.caches.plainTexts);
    if (context.answerType === 'text/csv') {
      const table = { headers, names: [LEVEL_WORDS[level], entity, range] as const, context };
      return csvDaysReply(table, { length, chunks }, deps.caches.tableTurns);
    }
    return new Reply({ headers, bytes: { type: JSON_TYPE, length, chunks } });
  }
  return new Reply({
    headers: { ...headers, 'Content-Encoding': 'gzip' },
    bytes: { type: JSON_TYPE, ...joinGzip(segments) },
  });
}

/** @throws ProblemError `range_too_large` naming the last end that fits */
async function readSegments(
  deps: Deps,
  { link, level, place, range, context }: BreakdownsQuestion,
  days: readonly CollectedDay[],
): Promise<Segment[]> {
  const head = storedSegment(`{"date":"${rangeText(range)}","data":{"${link.type}":[`);
  const segments = [head];
  let plainLength = head.n + END.n;
  const sliceDays = sliceDaysOf(level, place, days.length);
  for (let start = 0; start < days.length; start += sliceDays) {
    const slice = days.slice(start, start + sliceDays);
    const read = async () => {
      if (context.isAbandoned()) throw abandoned();
      return await readStored(deps, link, level, place.entity, slice);
    };
    const stored = await (days.length > sliceDays ? deps.caches.largeReads(read) : read());
    for (const { date } of slice) {
      const piece = stored.get(date);
      const day = piece ? [piece] : zeroSegments(deps, link, level, date);
      if (segments.length > 1) day.unshift(COMMA);
      plainLength += day.reduce((sum, { n }) => sum + n, 0);
      if (plainLength > PLAIN_MAX) throw tooLarge(range, date);
      segments.push(...day);
    }
  }
  segments.push(END);
  return segments;
}

/** Nobody gets to see it: it only ends the work. */
function abandoned(): AppError {
  return new AppError('abandoned', 'The client is gone');
}

function sliceDaysOf(level: ListedLevel, { account }: Place, rangeDays: number): number {
  const daysMax = rangeDays <= WHOLE_DAYS ? WHOLE_DAYS : SLICE_DAYS;
  if (level === 'g') return daysMax;
  const days = Math.floor(SLICE_AD_GROUP_DAYS / Math.max(1, account.entities.g));
  return Math.min(daysMax, Math.max(1, days));
}

async function readStored(
  { db }: Deps,
  link: AuthorizedLink,
  level: ListedLevel,
  entity: string,
  days: readonly CollectedDay[],
): Promise<Map<Day, Segment>> {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return new Map();
  const range = { level, entity, from: first.date, to: last.date };
  const found = await findStatDays(db, link, range);
  return new Map(found.map((day) => [day.date, day]));
}

/** A collected day without a document is a day of zeros; only its date differs from any other. */
function zeroSegments(
  { caches }: Deps,
  { type }: AuthorizedLink,
  level: ListedLevel,
  date: Day,
): Segment[] {
  const head = `{"date":"${date}"`;
  const key = `${type} ${level}`;
  let tail = caches.zeroTails.get(key);
  if (!tail) {
    const text = zeroDay(CHANNELS[type], level, date).slice(head.length);
    tail = { ...makePiece(text), plain: Buffer.from(text) };
    caches.zeroTails.set(key, tail);
  }
  return [storedSegment(head), tail];
}

function tooLarge({ start, end }: Range, firstUnsent: Day): ProblemError {
  const last = addDays(firstUnsent, -1);
  const advice = last < start ? 'no range from there fits' : `the last end that fits is ${last}`;
  const message = `The answer for ${start}/${end} is larger than ${PLAIN_MAX} bytes, ${advice}`;
  return new ProblemError('range_too_large', message, {
    errors: [{ in: 'query', name: 'end', message }],
  });
}
