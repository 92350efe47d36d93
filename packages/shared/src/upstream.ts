import type { Cell, Cells, Day } from './account.ts';
import { type Channel, type Fill, fillOf, type Source } from './channels.ts';
import { addDays, startOfDay } from './days.ts';
import { createUnpack } from './filled.ts';
import type { LevelSums } from './level-gaps.ts';
import {
  CLICKS,
  CONVERSIONS,
  IMPRESSIONS,
  METRICS,
  SPEND,
  STORED_METRICS,
  type StoredMetric,
  SUM_POSITIONS,
} from './metrics.ts';
import type { Part } from './observation.ts';
import type { SealedDays } from './sealed.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** So many delivering days in a row lack it … */
const EMPTY_DAYS_MIN = 3;
/** … and each of those before them had it. */
const FILLED_DAYS_MIN = 7;
const FILLED_DAYS_MAX = 14;
/** Without a change so many clicks or conversions would have been there: none by chance is one case in 20,000. */
const EVENTS_MIN = 10;
const IMPRESSIONS_MIN = 1000;
/** Conversions come late: a day is judged by a reading of at least so long after its end. */
const MATURE_MS = DAY_MS;
const MICROS = 1_000_000;

/** Something that the platform gave for the whole account and no longer gives, although the account delivers. */
export interface UpstreamChange {
  source: string;
  part: Part;
  /** Absent: the whole list is empty. */
  metric?: StoredMetric;
  /** The first day without it. */
  since: Day;
}

export interface UpstreamInput {
  channel: Channel;
  zone: string;
  cells: Cells;
  sealed: SealedDays;
}

/**
 * The metrics and lists of an account that went empty: over a re-reading (days that had them lost them), or on the newest
 * days. Judged from what is stored alone, so it is said until it comes back. An advertiser may have caused it as well as
 * the platform: it tells a person where to look, and holds nothing back.
 */
export function upstreamChanges(input: UpstreamInput): UpstreamChange[] {
  const days = [...input.cells.keys()].sort();
  return input.channel.sources.flatMap((source) =>
    ownFills(source).flatMap((fill) => changesOfSet(input, { days, source, fill })),
  );
}

/** One fill for each set, the first: its level's totals tell whether the account delivers. */
function ownFills({ fills }: Source): Fill[] {
  return [...new Map(fills.toReversed().map((fill) => [fill.from, fill])).values()];
}

/** A delivering day as one metric or list sees it. */
interface SeenDay {
  day: Day;
  isFilled: boolean;
  /** An earlier reading of this day filled it. */
  isLost: boolean;
  isMature: boolean;
  sums: LevelSums;
}

interface SetOfDays {
  days: readonly Day[];
  source: Source;
  fill: Fill;
}

function changesOfSet(input: UpstreamInput, { days, source, fill }: SetOfDays): UpstreamChange[] {
  if (!fillOf(input.channel, fill.level, 'base')) return [];
  const read = readDays(input, { days, source, fill });
  const named = { source: source.id, part: fill.part };
  const found: UpstreamChange[] = [];
  if (fill.part !== 'base' && mayBeOdd(read, ALL_BITS)) {
    const seen = read.map(({ filled, lost, ...day }) => ({
      ...day,
      isFilled: filled !== 0,
      isLost: filled === 0 && lost !== 0,
    }));
    const since = emptySince(seen, (empty) => impressions(empty) >= IMPRESSIONS_MIN);
    if (since !== undefined) found.push({ ...named, since });
  }
  const listed = read.filter(({ filled }) => filled !== 0);
  for (const metric of fill.metrics) {
    const bit = 1 << STORED_METRICS.indexOf(metric);
    if (!mayBeOdd(listed, bit)) continue;
    const seen = listed.map(({ filled, lost, ...day }) => ({
      ...day,
      isFilled: (filled & bit) !== 0,
      isLost: (lost & bit) !== 0,
    }));
    const since = emptySince(seen, (empty, before) =>
      fill.part === 'base' ? isOdd(metric, empty, before) : isOddInList(metric, empty),
    );
    if (since !== undefined) found.push({ ...named, metric, since });
  }
  return found;
}

interface ReadDay extends Omit<SeenDay, 'isFilled' | 'isLost'> {
  filled: number;
  lost: number;
}

const ALL_BITS = -1;

/** A quick look, as most is as ever: some days lost it, or the newest ones lack it. */
function mayBeOdd(days: readonly ReadDay[], bits: number): boolean {
  const lost = days.filter((day) => (day.lost & bits) !== 0 && (day.filled & bits) === 0);
  if (lost.length >= EMPTY_DAYS_MIN) return true;
  const newest = days.findLast(({ isMature }) => isMature);
  return newest !== undefined && (newest.filled & bits) === 0;
}

/** The days on which the account delivers. */
function readDays(
  { cells, sealed, zone }: UpstreamInput,
  { days, source, fill }: SetOfDays,
): ReadDay[] {
  const bitsOf = createUnpack(source, fill.from);
  return days.flatMap((day) => {
    const cell = cells.get(day)?.get(source.id);
    const sums = sealed.get(day)?.[fill.level]?.sums;
    if (cell?.filled === undefined || !sums || !delivers(sums)) return [];
    const [filled, lost] = [bitsOf(cell.filled), bitsOf(cell.lost ?? 0)];
    return [{ day, sums, filled, lost, isMature: isMature(source, day, { cell, zone }) }];
  });
}

function isMature(
  { settleHours }: Source,
  day: Day,
  { cell: { fetchedAt = 0 }, zone }: { cell: Cell; zone: string },
): boolean {
  const after = (settleHours ?? 0) * HOUR_MS + MATURE_MS;
  const about = Date.parse(day) + DAY_MS + after;
  // A zone is at most 14 hours from UTC: most days need no calendar.
  if (Math.abs(fetchedAt - about) > DAY_MS) return fetchedAt > about;
  return fetchedAt >= startOfDay(addDays(day, 1), zone) + after;
}

/** The additive metrics come first in a row, so a sum lies at its metric's own position. */
type Position = (typeof SUM_POSITIONS)[number];

function sumAt(sums: LevelSums, position: Position): number {
  const value = Number(sums[position] ?? 0);
  return METRICS[STORED_METRICS[position]].unit === 'micros' ? value / MICROS : value;
}

function delivers(sums: LevelSums): boolean {
  return [sums[IMPRESSIONS], sums[CLICKS], sums[SPEND]].some((sum) => (sum ?? 0) > 0);
}

function total(days: readonly SeenDay[], position: Position): number {
  return days.reduce((sum, { sums }) => sum + sumAt(sums, position), 0);
}

function impressions(days: readonly SeenDay[]): number {
  return total(days, IMPRESSIONS);
}

type IsOdd = (empty: readonly SeenDay[], before: readonly SeenDay[]) => boolean;

/** The first day of the emptiness that is odd; undefined when none is. */
function emptySince(days: readonly SeenDay[], isOdd: IsOdd): Day | undefined {
  const lost = emptyRuns(days)
    .map((run) => run.filter(({ isLost }) => isLost))
    .find((run) => run.length >= EMPTY_DAYS_MIN && isOdd(run, filledNear(days, run)));
  if (lost) return lost[0]?.day;
  const mature = days.filter((day) => day.isMature);
  const newest = emptyRuns(mature).at(-1);
  if (!newest || newest.length < EMPTY_DAYS_MIN || newest.at(-1) !== mature.at(-1))
    return undefined;
  const end = mature.length - newest.length;
  const before = mature.slice(Math.max(0, end - FILLED_DAYS_MAX), end);
  if (before.length < FILLED_DAYS_MIN || !before.every(({ isFilled }) => isFilled))
    return undefined;
  return isOdd(newest, before) ? newest[0]?.day : undefined;
}

/** Days in a row that lack it; days without delivery lie in no row. */
function emptyRuns(days: readonly SeenDay[]): SeenDay[][] {
  const runs: SeenDay[][] = [];
  days.forEach((day, index) => {
    if (day.isFilled) return;
    const run = days[index - 1]?.isFilled === false ? runs.at(-1) : undefined;
    if (run) run.push(day);
    else runs.push([day]);
  });
  return runs;
}

/** Filled days to compare a re-reading with: those before it, else those after it. */
function filledNear(days: readonly SeenDay[], run: readonly SeenDay[]): SeenDay[] {
  const first = run[0]?.day ?? '';
  const filled = days.filter(({ isFilled }) => isFilled);
  const before = filled.filter(({ day }) => day < first).slice(-FILLED_DAYS_MAX);
  return before.length > 0 ? before : filled.slice(0, FILLED_DAYS_MAX);
}

/** The metric whose events show that another one must have happened. */
const EVENTS: Partial<Record<StoredMetric, typeof CLICKS | typeof CONVERSIONS>> = {
  clicks: CLICKS,
  conversions: CONVERSIONS,
  amount: CONVERSIONS,
};

/** Whether totals without the metric are no chance: by its rate on the days before, and at least one event a lost day. */
function isOdd(
  metric: StoredMetric,
  empty: readonly SeenDay[],
  before: readonly SeenDay[],
): boolean {
  if (metric === 'impressions') return total(empty, CLICKS) >= EVENTS_MIN;
  const event = EVENTS[metric];
  if (event === undefined) return impressions(empty) >= IMPRESSIONS_MIN;
  const rate = total(before, event) / Math.max(1, impressions(before));
  const known = empty.filter(({ isLost }) => isLost).length;
  return Math.max(known, rate * impressions(empty)) >= EVENTS_MIN;
}

/** Whether a list without the metric is no chance: the totals of the same days have it. */
function isOddInList(metric: StoredMetric, empty: readonly SeenDay[]): boolean {
  const event = EVENTS[metric];
  const position = SUM_POSITIONS.find((one) => STORED_METRICS[one] === metric);
  if (position !== undefined && total(empty, position) <= 0) return false;
  return event === undefined
    ? impressions(empty) >= IMPRESSIONS_MIN
    : total(empty, event) >= EVENTS_MIN;
}

/** What a change is counted and shown as. */
export function upstreamKind({ metric }: Pick<UpstreamChange, 'metric'>): 'metric' | 'list' {
  return metric === undefined ? 'list' : 'metric';
}
