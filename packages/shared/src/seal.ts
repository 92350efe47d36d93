import type { Day } from './account.ts';
import { type Channel, type Dimension, type Fill, fillOf } from './channels.ts';
import { add, compareExact, type Exact, subtract } from './exact.ts';
import { type LevelSums, levelSums } from './level-gaps.ts';
import type { Level } from './levels.ts';
import {
  dataObjectJson,
  type Figures,
  hasDelivery,
  METRICS,
  mergeFigures,
  STORED_METRICS,
  type StoredMetric,
  zeroFigures,
} from './metrics.ts';
import { entityOf, FIRST_FIGURE, type ObservationRow, type SetId } from './observation.ts';

const IMPRESSIONS = STORED_METRICS.indexOf('impressions');
const SPEND = STORED_METRICS.indexOf('spend');
const UNATTRIBUTED = 'unattributed';

export interface SealInput {
  channel: Channel;
  level: Level;
  date: Day;
  /** Rows of the sets that were collected; a set that is absent was not. */
  sets: ReadonlyMap<SetId, readonly ObservationRow[]>;
  /** Lists read at another moment than the totals: they go out without `unattributed`. */
  lagging: ReadonlySet<Dimension>;
}

/** One entity's day, ready to be sent. */
export interface SealedEntity {
  totals: Figures;
  /** The breakdown object of the interface; only `total` carries meaning at level ad. */
  json: string;
}

export interface SealResult {
  /** By entity id ('' for the account itself); only entities with delivery. */
  entities: Map<string, SealedEntity>;
  /** Lists whose entries exceed the total, with the largest excess as a share of it. */
  over: Partial<Record<Dimension, number>>;
}

/**
 * Seals one level of one day: sums rows upward, adds up values that share a word, closes every list with what the
 * platform did not attribute, orders the entries and writes the JSON. Pure, so it can be repeated at any time.
 */
export function seal({ sets, ...input }: SealInput): SealResult {
  const sealing = createSealing({ ...input, sets: new Set(sets.keys()) });
  for (const [set, rows] of sets) sealing.add(set, rows);
  const entities = new Map<string, SealedEntity>();
  for (const id of sealing.ids()) {
    const sealed = sealing.sealEntity(id);
    if (sealed) entities.set(id, sealed);
  }
  return { entities, over: sealing.over };
}

export interface SealingInput extends Omit<SealInput, 'sets'> {
  /** The sets that were collected. */
  sets: ReadonlySet<SetId>;
}

/**
 * {@link seal} piece by piece, for accounts whose rows and texts are too many to be held at once: rows are summed up as
 * they are given, in any order, and texts are made one by one.
 */
export interface Sealing {
  add(set: SetId, rows: readonly ObservationRow[]): void;
  /** Every entity of the rows, the totals' first. */
  ids(): Set<string>;
  /** Once all rows are added; undefined = no delivery. */
  sealEntity(id: string): SealedEntity | undefined;
  /** What the entities' totals add up to, once all rows are added. */
  sums(): LevelSums;
  /** As in {@link SealResult}, of the entities that were sealed. */
  readonly over: Partial<Record<Dimension, number>>;
}

interface List {
  part: Dimension;
  /** undefined = the platform does not give the list, or it was not collected. */
  fill: Fill | undefined;
  /** Metrics that its rows may lack, and whether they do: all of a day's rows or none; undefined = no row yet. */
  mayLack: readonly StoredMetric[];
  lacks?: boolean;
  /** By entity and value. */
  entries: Map<string, Map<string, Figures>>;
}

export function createSealing({ channel, level, date, sets, lagging }: SealingInput): Sealing {
  const totalFill = fillOf(channel, level, 'base')?.fill;
  const totals = new Map<string, Figures>();
  const lists = level === 'd' || !totalFill ? [] : channel.lists.map(openList);
  const over: SealResult['over'] = {};

  function openList(part: Dimension): List {
    const { fill, source } = fillOf(channel, level, part) ?? {};
    const mayLack = source?.newestDaysOnly?.metrics ?? [];
    const given = fill && sets.has(fill.from) ? fill : undefined;
    return { part, fill: given, mayLack, entries: new Map() };
  }

  function closedJson(list: List, id: string, total: Figures): string {
    const { part, entries } = list;
    const fill = dayFill(list);
    const values = entries.get(id) ?? new Map<string, Figures>();
    if (!fill || lagging.has(part)) return listJson(part, values, channel.ppc);
    const { closed, excess } = closeList(values, total, fill);
    if (excess > 0) over[part] = Math.max(over[part] ?? 0, excess);
    return listJson(part, closed, channel.ppc);
  }

  return {
    over,
    add(set, rows) {
      if (totalFill?.from === set) addTotals(totals, rows, { level, fill: totalFill });
      for (const list of lists) if (list.fill?.from === set) addEntries(list, rows, level);
    },
    ids: () => new Set([...totals.keys(), ...lists.flatMap(({ entries }) => [...entries.keys()])]),
    sums: () => levelSums(totals.values(), totalFill?.metrics ?? []),
    sealEntity(id) {
      const total = totals.get(id) ?? zeroFigures(new Set(totalFill?.metrics));
      const texts = lists.map((list) => ({ part: list.part, text: closedJson(list, id, total) }));
      if (!hasDelivery(total) && texts.every(({ text }) => text === '[]')) return undefined;
      return { totals: total, json: dayJson(date, total, texts, channel.ppc) };
    },
  };
}

/** A collected day without delivery: zeros and empty lists. */
export function zeroDay(channel: Channel, level: Level, date: Day): string {
  const fill = fillOf(channel, level, 'base')?.fill;
  const texts = channel.lists.map((part) => ({ part, text: '[]' }));
  return dayJson(date, zeroFigures(new Set(fill?.metrics)), texts, channel.ppc);
}

function dayJson(
  date: Day,
  total: Figures,
  lists: readonly { part: Dimension; text: string }[],
  ppc: boolean,
): string {
  const fields = lists.map(({ part, text }) => `,"${part}":${text}`).join('');
  return `{"date":"${date}","total":${dataObjectJson(total, ppc)}${fields}}`;
}

/** Figures of a row with everything null that the platform does not support there, whatever the row says. */
function supportedFigures(row: ObservationRow, fill: Fill): Figures {
  const figures = row.slice(FIRST_FIGURE) as unknown as Figures; // the row's tail is the figures tuple
  STORED_METRICS.forEach((metric, index) => {
    if (!fill.metrics.includes(metric)) {
      figures[index] = null as never; // impressions, clicks and spend are supported by every fill
    } else if (figures[index] === null && METRICS[metric].kind === 'sum') {
      throw new TypeError(`A ${fill.from} row lacks '${metric}', which the channel supports there`);
    }
  });
  return figures;
}

interface RowPlace {
  level: Level;
  fill: Fill;
}

/** Adds rows to the totals of a level's entities, summed upward where the platform gives the rows of a lower level. */
export function addTotals(
  totals: Map<string, Figures>,
  rows: readonly ObservationRow[],
  { level, fill }: RowPlace,
): void {
  for (const row of rows) {
    const id = entityOf(row, level);
    const figures = supportedFigures(row, fill);
    const known = totals.get(id);
    totals.set(id, known ? mergeFigures(known, figures) : figures);
  }
}

/** What the list gives on this day: less than on others where its rows lack what they may lack. */
function dayFill({ fill, mayLack, lacks }: List): Fill | undefined {
  if (!fill || !lacks) return fill;
  return { ...fill, metrics: fill.metrics.filter((metric) => !mayLack.includes(metric)) };
}

/** @throws TypeError for a day of which only some rows lack a metric */
function noteLacking(list: List, row: ObservationRow): void {
  if (list.mayLack.length === 0) return;
  const lacks = list.mayLack.every(
    (metric) => row[FIRST_FIGURE + STORED_METRICS.indexOf(metric)] === null,
  );
  if (list.lacks !== undefined && list.lacks !== lacks) {
    throw new TypeError(`Only some ${list.fill?.from} rows lack ${list.mayLack.join(', ')}`);
  }
  list.lacks = lacks;
}

function addEntries(list: List, rows: readonly ObservationRow[], level: Level): void {
  for (const row of rows) noteLacking(list, row);
  const fill = dayFill(list);
  if (!fill) return;
  const { entries } = list;
  for (const row of rows) {
    const figures = supportedFigures(row, fill);
    if (!hasDelivery(figures)) continue;
    const id = entityOf(row, level);
    const values = entries.get(id) ?? new Map<string, Figures>();
    entries.set(id, values);
    const known = values.get(row[3]);
    values.set(row[3], known ? mergeFigures(known, figures) : figures);
  }
}

/**
 * Adds the entry `unattributed` where the total exceeds the entries, and answers by what share the entries exceed the
 * total (0 when they don't). Entries stay as sent; nothing is made negative.
 */
function closeList(
  values: ReadonlyMap<string, Figures>,
  total: Figures,
  fill: Fill,
): { closed: ReadonlyMap<string, Figures>; excess: number } {
  let excess = 0;
  const rest = zeroFigures(new Set(fill.metrics));
  rest[STORED_METRICS.indexOf('reach')] = null as never; // people who were not attributed cannot be counted
  for (const [index, metric] of STORED_METRICS.entries()) {
    const whole = total[index] ?? null;
    if (METRICS[metric].kind !== 'sum' || whole === null || !fill.metrics.includes(metric))
      continue;
    const sum = sumOf(values, index);
    const difference = subtract(whole, sum);
    if (difference < 0) excess = Math.max(excess, share(sum, whole));
    else rest[index] = difference as never; // same position, same metric
  }
  if (!hasDelivery(rest)) return { closed: values, excess };
  const named = values.get(UNATTRIBUTED); // an advertiser may have a keyword of that name
  const entry = named ? mergeFigures(named, rest) : rest;
  return { closed: new Map(values).set(UNATTRIBUTED, entry), excess };
}

function sumOf(values: ReadonlyMap<string, Figures>, index: number): Exact {
  let sum: Exact = 0;
  for (const figures of values.values()) sum = add(sum, figures[index] ?? 0);
  return sum;
}

function share(sum: Exact, whole: Exact): number {
  return Number(whole) === 0 ? 1 : (Number(sum) - Number(whole)) / Number(whole);
}

const ASCENDING: ReadonlySet<Dimension> = new Set(['hour', 'age']);
const LAST = new Map([
  ['unknown', 1],
  [UNATTRIBUTED, 2],
]);

/** Entries whose texts are joined at once. */
const JOINED = 200;

function listJson(part: Dimension, values: ReadonlyMap<string, Figures>, ppc: boolean): string {
  const entries = [...values.entries()].sort(([a, figuresA], [b, figuresB]) => {
    const last = (LAST.get(a) ?? 0) - (LAST.get(b) ?? 0);
    if (last !== 0) return last;
    return (ASCENDING.has(part) ? 0 : byDelivery(figuresA, figuresB)) || byCodePoint(a, b);
  });
  const texts: string[] = [];
  for (let start = 0; start < entries.length; start += JOINED) {
    // A text put together of many holds all of them until it is joined: long lists took ten times their length.
    const some = entries
      .slice(start, start + JOINED)
      .map(
        ([value, figures]) =>
          `{"${part}":${JSON.stringify(value)},"data":${dataObjectJson(figures, ppc)}}`,
      );
    texts.push(some.join(','));
  }
  return `[${texts.join(',')}]`;
}

function byDelivery(a: Figures, b: Figures): number {
  return (
    compareExact(b[SPEND] ?? 0, a[SPEND] ?? 0) ||
    compareExact(b[IMPRESSIONS] ?? 0, a[IMPRESSIONS] ?? 0)
  );
}

/** UTF-16 order differs from code point order only where surrogates meet other units. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let index = 0;
  while (index < length && a.charCodeAt(index) === b.charCodeAt(index)) index += 1;
  if (index === length) return a.length - b.length;
  const difference = (at: number) => (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0);
  // Before the first difference there may be the first half of a pair, which belongs to it.
  return difference(Math.max(0, index - 1)) || difference(index);
}

/** The metrics of a level's totals; what is not among them is null there. */
export function metricsOf(channel: Channel, level: Level): readonly StoredMetric[] {
  return fillOf(channel, level, 'base')?.fill.metrics ?? [];
}
