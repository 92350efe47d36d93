import type { Day, Millis } from './account.ts';
import type { Dimension, Source } from './channels.ts';
import {
  baseSource,
  type CollectedDay,
  type CollectedRange,
  givenLists,
  type StateAccount,
} from './collected.ts';
import { addDays, daysBetween, eachDay } from './days.ts';
import { type Calendar, createCalendar } from './due.ts';
import type { SealedPart } from './sealed.ts';

/**
 * How good an answer is: no day collected; a day or a list lacking; complete but may still be restated; complete for
 * good.
 */
export const DATA_STATES = ['missing', 'partial', 'provisional', 'final'] as const;
export type DataState = (typeof DATA_STATES)[number];

/** Contiguous days that lack one thing: the whole day or the end of it, or a list. */
export interface Gap {
  what: 'days' | Dimension;
  from: Day;
  to: Day;
}

export interface AnswerState {
  state: DataState;
  asOf: Millis | undefined;
  gaps: readonly Gap[];
  /** Days without anything or cut off, plus days per list. */
  gapDays: number;
  /** Days of the range that should be there by now, and how many of those are, as a whole. */
  wanted: number;
  collected: number;
}

/**
 * How complete an answer over a range is at one moment. Counted are the days from the account's first wanted day to the
 * newest that the channel can have; what the platform does not give (any more, or not yet) never counts. A day that was
 * read last before it was over lacks its end, once it should have been read as a whole.
 */
export function answerState(
  account: StateAccount,
  part: SealedPart,
  range: CollectedRange,
  now: Millis,
): AnswerState {
  const calendar = createCalendar({ account, now });
  const base = baseSource(account.channel, part);
  const wanted = wantedSpan(base, account, range, calendar);
  const isCutOff = ({ date, cutOff }: CollectedDay, what: Gap['what'], source: Source) =>
    cutOff.includes(what) && calendar.isWanted(source, date) && calendar.isOver(source, date);
  const cut = base ? range.days.filter((day) => isCutOff(day, 'days', base)) : [];
  const absent = [...absentDays(range, wanted), ...cut.map(({ date }) => date)].sort();
  const gaps = [
    { what: 'days' as const, days: absent },
    ...givenLists(account.channel, part).map(({ list, source }) => ({
      what: list,
      days: range.days
        .filter(
          (day) =>
            (day.lacking.includes(list) && calendar.isWanted(source, day.date)) ||
            isCutOff(day, list, source),
        )
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
