import type { Cells, Day, Millis, PlanAccount } from './account.ts';
import { type Channel, type Dimension, fillOf, type Source, sourcesOf } from './channels.ts';
import { addDays, eachDay, startOfDay } from './days.ts';
import { type Calendar, createCalendar } from './due.ts';
import { type SealedDays, type SealedMark, type SealedPart, sealTag } from './sealed.ts';
import { isFinalReading } from './slots.ts';

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
  const { from, to } = input;
  const days = eachDay(from, to).flatMap((date) => collectedDay(input, date) ?? []);
  return { from, to, days };
}

/** The sources that a level is sealed from; the blog has one. */
function partSources(channel: Channel, part: SealedPart): readonly Source[] {
  return part === 'blog' ? channel.sources : sourcesOf(channel, part);
}

/** The lists that belong into a level's answer: those that the platform gives there. */
function givenLists(channel: Channel, part: SealedPart): Dimension[] {
  if (part === 'blog' || part === 'd') return [];
  return channel.lists.filter((list) => fillOf(channel, part, list) !== undefined);
}

function collectedDay(input: CollectedInput, date: Day): CollectedDay | undefined {
  const { account, part } = input;
  const { channel } = account;
  const mark = input.sealed.get(date)?.[part];
  if (!mark) return undefined;
  const cells = input.cells.get(date);
  const readings = partSources(channel, part).flatMap((source) => {
    const fetchedAt = cells?.get(source.id)?.fetchedAt;
    return fetchedAt === undefined ? [] : [{ source, day: date, fetchedAt, account }];
  });
  // Between a commit and its sealing the cells are ahead of the sealed day: then only the day's start is sure.
  const isSealed = sealTag({ channel, account, day: date, cells }, part) === mark.tag;
  return {
    date,
    tag: mark.tag,
    asOf: isSealed
      ? Math.min(...readings.map(({ fetchedAt }) => fetchedAt))
      : startOfDay(date, account.zone),
    isFinal: isSealed && readings.every(isFinalReading),
    lacking: lackingLists(channel, part, mark),
  };
}

/** Read from the mark and not from the cells: it alone says what the sealed day holds. */
function lackingLists(channel: Channel, part: SealedPart, mark: SealedMark): Dimension[] {
  const [, bases = '', ...lagging] = mark.tag.split(':');
  const absent = new Set(
    bases.split('.').flatMap((base, index) => {
      const source = base === '-' ? partSources(channel, part)[index] : undefined;
      return source ? [source.id] : [];
    }),
  );
  return givenLists(channel, part).filter((list) => {
    const source = part === 'blog' ? undefined : fillOf(channel, part, list)?.source;
    return (
      (source && absent.has(source.id)) ||
      lagging.includes(list) ||
      (mark.over?.[list] ?? 0) > EXCESS_MAX
    );
  });
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
  const wanted = wantedDays(account, part, range, calendar);
  const collected = new Set(range.days.map(({ date }) => date));
  const absent = wanted.filter((date) => !collected.has(date));
  const gaps = [
    { what: 'days' as const, days: absent },
    ...givenLists(account.channel, part).map((list) => ({
      what: list,
      days: lackingDays(account.channel, part, list, range, calendar),
    })),
  ];
  const gapDays = gaps.reduce((count, { days }) => count + days.length, 0);
  return {
    state: stateOf(range, gapDays),
    asOf: range.days.length > 0 ? Math.min(...range.days.map(({ asOf }) => asOf)) : undefined,
    gaps: gaps.flatMap(({ what, days }) => spans(days).map((span) => ({ what, ...span }))),
    gapDays,
    wanted: wanted.length,
    collected: wanted.length - absent.length,
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

function wantedDays(
  { channel, historyFrom }: StateAccount,
  part: SealedPart,
  { from, to }: CollectedRange,
  calendar: Calendar,
): Day[] {
  const source = baseSource(channel, part);
  if (!source) return [];
  const first = from < historyFrom ? historyFrom : from;
  const last = to < calendar.today ? to : calendar.today;
  return eachDay(first, last).filter((day) => calendar.isWanted(source, day));
}

function lackingDays(
  channel: Channel,
  part: SealedPart,
  list: Dimension,
  { days }: CollectedRange,
  calendar: Calendar,
): Day[] {
  const source = part === 'blog' ? undefined : fillOf(channel, part, list)?.source;
  if (!source) return [];
  return days
    .filter(({ date, lacking }) => lacking.includes(list) && calendar.isWanted(source, date))
    .map(({ date }) => date);
}

/** Ascending days as contiguous spans. */
function spans(days: readonly Day[]): { from: Day; to: Day }[] {
  const found: { from: Day; to: Day }[] = [];
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
