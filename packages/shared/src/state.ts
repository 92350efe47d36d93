import type { Cells, Day, Millis, PlanAccount } from './account.ts';
import { type Channel, type Dimension, fillOf, type Source, sourcesOf } from './channels.ts';
import { addDays, daysBetween, eachDay, startOfDay } from './days.ts';
import { type Calendar, createCalendar } from './due.ts';
import { type SealedDays, type SealedMark, type SealedPart, sealTag } from './sealed.ts';
import { isFinalReading, slotsKey } from './slots.ts';

/**
 * How good an answer is: no day collected; a day or a list lacking; complete but may still be restated; complete for
 * good.
 */
export const DATA_STATES = ['missing', 'partial', 'provisional', 'final'] as const;
export type DataState = (typeof DATA_STATES)[number];

/** Entries that exceed their total by more than this share make a list incomplete. */
const EXCESS_MAX = 0.01;

/** One collected day of one level (or of the blog), as it is sealed. */
export interface CollectedDay {
  date: Day;
  /** Names the bytes that are sealed. */
  tag: string;
  /** No figure of the day is older than this. */
  asOf: Millis;
  isFinal: boolean;
  /** Lists of the channel that are not in the sealed day, or not in one pass with its totals. */
  lacking: readonly Dimension[];
}

/** What coverage says about a level over a range; depends on nothing but the store. */
export interface CollectedRange {
  from: Day;
  to: Day;
  days: readonly CollectedDay[];
}

export interface StateAccount extends Pick<PlanAccount, 'id' | 'zone' | 'historyFrom'> {
  channel: Channel;
}

export interface CollectedInput {
  account: StateAccount;
  part: SealedPart;
  from: Day;
  to: Day;
  cells: Cells;
  sealed: SealedDays;
}

/** The collected days of a range, ascending: days whose totals were read and sealed. */
export function collectedRange(input: CollectedInput): CollectedRange {
  const { account, part, from, to } = input;
  const sources = partSources(account.channel, part);
  const lists = givenLists(account.channel, part);
  const days = eachDay(from, to).flatMap((date) => {
    const mark = input.sealed.get(date)?.[part];
    return mark ? collectedDay(input, { date, mark, sources, lists }) : [];
  });
  return { from, to, days };
}

/** The sources that a level is sealed from; the blog has one. */
function partSources(channel: Channel, part: SealedPart): readonly Source[] {
  return part === 'blog' ? channel.sources : sourcesOf(channel, part);
}

/** A list that belongs into a level's answer, with the source that fills it. */
interface GivenList {
  list: Dimension;
  source: Source;
}

/** The lists that the platform gives at a level. */
function givenLists(channel: Channel, part: SealedPart): GivenList[] {
  if (part === 'blog' || part === 'd') return [];
  return channel.lists.flatMap((list) => {
    const source = fillOf(channel, part, list)?.source;
    return source ? { list, source } : [];
  });
}

interface SealedDay {
  date: Day;
  mark: SealedMark;
  sources: readonly Source[];
  lists: readonly GivenList[];
}

function collectedDay({ account, part, cells: all }: CollectedInput, day: SealedDay): CollectedDay {
  const { date, mark, sources } = day;
  const { channel } = account;
  const cells = all.get(date);
  // Sources with the same slots become final together: the oldest reading of each kind decides.
  const oldest = new Map<string, { source: Source; fetchedAt: Millis }>();
  for (const source of sources) {
    const fetchedAt = cells?.get(source.id)?.fetchedAt;
    const key = slotsKey(source);
    if (fetchedAt !== undefined && fetchedAt < (oldest.get(key)?.fetchedAt ?? Infinity)) {
      oldest.set(key, { source, fetchedAt });
    }
  }
  const readings = [...oldest.values()];
  // Between a commit and its sealing the cells are ahead of the sealed day: then only the day's start is sure.
  const isSealed = sealTag({ channel, account, day: date, cells }, part) === mark.tag;
  return {
    date,
    tag: mark.tag,
    asOf: isSealed
      ? Math.min(...readings.map(({ fetchedAt }) => fetchedAt))
      : startOfDay(date, account.zone),
    isFinal:
      isSealed && readings.every((reading) => isFinalReading({ ...reading, day: date, account })),
    lacking: lackingLists(day),
  };
}

/** Read from the mark and not from the cells: it alone says what the sealed day holds. */
function lackingLists({ mark, sources, lists }: SealedDay): Dimension[] {
  const [, bases = '', ...lagging] = mark.tag.split(':');
  const absent = new Set(
    bases.split('.').flatMap((base, index) => (base === '-' ? (sources[index]?.id ?? []) : [])),
  );
  return lists
    .filter(
      ({ list, source }) =>
        absent.has(source.id) || lagging.includes(list) || (mark.over?.[list] ?? 0) > EXCESS_MAX,
    )
    .map(({ list }) => list);
}

/** Contiguous days that lack one thing: the whole day, or a list. */
export interface Gap {
  what: 'days' | Dimension;
  from: Day;
  to: Day;
}

export interface AnswerState {
  state: DataState;
  asOf: Millis | undefined;
  gaps: readonly Gap[];
  /** Days without anything plus days per list. */
  gapDays: number;
  /** Days of the range that should be there by now, and how many of those are. */
  wanted: number;
  collected: number;
}

/**
 * How complete an answer over a range is at one moment. Counted are the days from the account's first wanted day to the
 * newest that the channel can have; what the platform does not give (any more, or not yet) never counts.
 */
export function answerState(
  account: StateAccount,
  part: SealedPart,
  range: CollectedRange,
  now: Millis,
): AnswerState {
  const calendar = createCalendar({ account, now });
  const wanted = wantedSpan(baseSource(account.channel, part), account, range, calendar);
  const absent = absentDays(range, wanted);
  const gaps = [
    { what: 'days' as const, days: absent },
    ...givenLists(account.channel, part).map(({ list, source }) => ({
      what: list,
      days: range.days
        .filter(({ date, lacking }) => lacking.includes(list) && calendar.isWanted(source, date))
        .map(({ date }) => date),
    })),
  ];
  const gapDays = gaps.reduce((count, { days }) => count + days.length, 0);
  const wantedDays = wanted ? daysBetween(wanted.from, wanted.to) + 1 : 0;
  return {
    state: stateOf(range, gapDays),
    asOf: range.days.length > 0 ? Math.min(...range.days.map(({ asOf }) => asOf)) : undefined,
    gaps: gaps.flatMap(({ what, days }) => spans(days).map((span) => ({ what, ...span }))),
    gapDays,
    wanted: wantedDays,
    collected: wantedDays - absent.length,
  };
}

function stateOf({ days }: CollectedRange, gapDays: number): DataState {
  if (days.length === 0) return 'missing';
  if (gapDays > 0) return 'partial';
  return days.every(({ isFinal }) => isFinal) ? 'final' : 'provisional';
}

function baseSource(channel: Channel, part: SealedPart): Source | undefined {
  return part === 'blog' ? channel.sources[0] : fillOf(channel, part, 'base')?.source;
}

interface Span {
  from: Day;
  to: Day;
}

/** The days of a range that should be there by now; they lie together. Asks the calendar about the newest ones only. */
function wantedSpan(
  source: Source | undefined,
  { historyFrom }: StateAccount,
  range: Span,
  calendar: Calendar,
): Span | undefined {
  if (!source) return undefined;
  const reach = addDays(calendar.today, -source.historyDays);
  const from = [range.from, historyFrom, reach].reduce((a, b) => (a > b ? a : b));
  let to = range.to < calendar.today ? range.to : calendar.today;
  while (from <= to && !calendar.isWanted(source, to)) to = addDays(to, -1);
  return from <= to ? { from, to } : undefined;
}

function absentDays({ days }: CollectedRange, wanted: Span | undefined): Day[] {
  if (!wanted) return [];
  const { from, to } = wanted;
  const collected = days.filter(({ date }) => from <= date && date <= to);
  if (collected.length === daysBetween(from, to) + 1) return [];
  const known = new Set(collected.map(({ date }) => date));
  return eachDay(from, to).filter((date) => !known.has(date));
}

/** Ascending days as contiguous spans. */
function spans(days: readonly Day[]): Span[] {
  const found: Span[] = [];
  for (const day of days) {
    const last = found.at(-1);
    if (last && addDays(last.to, 1) === day) last.to = day;
    else found.push({ from: day, to: day });
  }
  return found;
}

const GAPS_SHOWN_MAX = 10;

/** The headers that say how good an answer is: `Data-State`, `Data-As-Of`, `Data-Missing`. */
export function stateHeaders({ state, asOf, gaps, gapDays }: AnswerState): Record<string, string> {
  const items = gaps
    .slice(0, GAPS_SHOWN_MAX)
    .map(({ what, from, to }) => `${what}=${from === to ? from : `${from}..${to}`}`);
  return {
    'Data-State': state,
    ...(asOf === undefined ? {} : { 'Data-As-Of': new Date(asOf).toISOString() }),
    ...(gapDays === 0 ? {} : { 'Data-Missing': `${items.join(', ')}; count=${gapDays}` }),
  };
}
