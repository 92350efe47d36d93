import {
  type Channel,
  countFromText,
  type Dimension,
  type Exact,
  type Figures,
  fillOf,
  isDay,
  LEVEL_WORDS,
  LEVELS,
  type Level,
  microsFromDecimal,
  type ObservationRow,
  type Observed,
  type Part,
  type SetId,
  type Source,
  type StoredMetric,
} from '@tributary/shared';
import { figureOf } from '../figure.ts';
import type { NormalizedRow } from '../rows.ts';
import { dimensionWord } from './dimension-words.ts';
import { addOnce, asMalformed, checkDay, type FeedDays } from './normalize-blog-days.ts';
import { type FeedObservation, FeedObservationSchema } from './observation-schema.ts';
import { parseRow } from './parse-row.ts';
import { FeedRowError, wrongField } from './row-error.ts';

/** Which rows of a feed or an import may be taken. */
export interface ObservationScope extends FeedDays {
  channel: Channel;
  /** The ad account that rows of that level must name; undefined = any. */
  account?: string | undefined;
}

export interface NormalizedObservation extends NormalizedRow {
  level: Level;
  /** The platform's id that the row names. */
  entity: string;
  /** The feed source that stores the row. */
  source: Source;
  set: SetId;
}

/**
 * One row in our units and words. A row names the entity it belongs to and not those above it: each level is sealed from
 * rows of its own, so the ids above stay empty.
 *
 * @throws FeedRowError naming field and value
 */
export function normalizeObservation(row: unknown, scope: ObservationScope): NormalizedObservation {
  return normalizeParsed(parseRow(row, FeedObservationSchema), scope);
}

function normalizeParsed(sent: FeedObservation, scope: ObservationScope): NormalizedObservation {
  const { date } = sent;
  if (!isDay(date)) throw wrongField('date', date, 'a date YYYY-MM-DD');
  checkDay(date, scope);
  const level = levelOf(sent);
  const part = partOf(sent, scope.channel);
  const { source, metrics } = feedFill(scope.channel, level, part);
  const entity = entityOf(sent, level, scope);
  const value = part === 'base' ? '' : dimensionWord(part, sentValue(sent, part));
  const ids: [string, string, string] = [
    level === 'c' ? entity : '',
    level === 'g' ? entity : '',
    level === 'd' ? entity : '',
  ];
  return {
    day: date,
    level,
    entity,
    source,
    set: `${level}-${part}`,
    row: [...ids, value, ...figuresOf(sent, metrics, scope.channel)],
    key: JSON.stringify([date, level, entity, part, String(sent.value ?? '')]),
  };
}

/**
 * The rows of one source on a page of the feed; other levels and lists are left to their own sources.
 *
 * @throws RetryableError `malformed_row` for a row that cannot be taken, `duplicate_row` for one that was seen before
 */
export function normalizeObservations(
  rows: readonly unknown[],
  { source, ...scope }: ObservationScope & { source: Source },
  seen: Set<string>,
): Observed[] {
  const sets = new Set(source.fills.map(({ from }) => from));
  const pieces = new Map<string, Observed & { rows: ObservationRow[] }>();
  for (const one of rows) {
    const sent = asMalformed(() => parseRow(one, FeedObservationSchema));
    const part = asMalformed(() => partOf(sent, scope.channel));
    if (!sets.has(`${levelOf(sent)}-${part}`)) continue;
    const { day, set, row, key } = asMalformed(() => normalizeParsed(sent, scope));
    addOnce(seen, key, `The row ${key}`);
    const piece = pieces.get(`${day}.${set}`) ?? { day, set, rows: [] };
    pieces.set(`${day}.${set}`, piece);
    piece.rows.push(row);
  }
  return [...pieces.values()];
}

function levelOf({ level }: FeedObservation): Level {
  return LEVELS.find((one) => LEVEL_WORDS[one] === level) ?? 'a'; // the schema knows the words
}

function partOf({ dimension, value }: FeedObservation, { lists, type }: Channel): Part {
  if (!dimension) {
    if ((value ?? '') === '') return 'base';
    // A row of a list that does not say which one is no total.
    throw wrongField('value', value, 'nothing in a row without a dimension');
  }
  const list = lists.find((one) => one === dimension);
  if (!list) throw wrongField('dimension', dimension, `a list of ${type}: ${lists.join(', ')}`);
  return list;
}

function feedFill(
  channel: Channel,
  level: Level,
  part: Part,
): { source: Source; metrics: readonly StoredMetric[] } {
  const found = fillOf(channel, level, part);
  if (found?.source.feed) return { source: found.source, metrics: found.fill.metrics };
  const { type, sources } = channel;
  const what = part === 'base' ? 'totals' : part;
  throw new FeedRowError(
    'dimension',
    `${what} of level ${LEVEL_WORDS[level]} are not taken: a feed or file of ${type} gives ${fedLists(sources)}`,
  );
}

/** `age, gender at adAccount, campaign` in the order of the table. */
function fedLists(sources: readonly Source[]): string {
  const fills = sources.flatMap(({ feed, fills }) => (feed ? fills : []));
  const words = (all: readonly string[]) => [...new Set(all)].join(', ');
  const levels = words(fills.map(({ level }) => LEVEL_WORDS[level]));
  return `${words(fills.map(({ part }) => part))} at ${levels}`;
}

const ID_MAX = 200;

function entityOf(
  { entityId }: FeedObservation,
  level: Level,
  { account }: ObservationScope,
): string {
  const isRounded = typeof entityId === 'number' && !Number.isSafeInteger(entityId);
  const id = String(entityId).trim();
  if (isRounded || id === '' || id.length > ID_MAX || /\p{Cc}|\p{Surrogate}/u.test(id)) {
    throw wrongField('entityId', entityId, "the platform's id");
  }
  if (level === 'a' && account !== undefined && id !== account) {
    throw wrongField('entityId', id, `the ad account '${account}' that was asked for`);
  }
  return id;
}

function sentValue({ value }: FeedObservation, part: Dimension): string {
  if (value === undefined || value === null) throw wrongField('value', undefined, `the ${part}`);
  return String(value);
}

function figuresOf(
  sent: FeedObservation,
  metrics: readonly StoredMetric[],
  { type }: Channel,
): Figures {
  const optional = (field: 'conversions' | 'amount' | 'reach', read: typeof countFromText) => {
    const value = sent[field] ?? undefined;
    if (metrics.includes(field)) return figure(field, value, read);
    if (value === undefined || value === '') return null;
    // A figure that nobody would ever see is told and not dropped.
    throw wrongField(field, value, `nothing: ${type} knows no ${field} here`);
  };
  return [
    figure('impressions', sent.impressions, countFromText),
    figure('clicks', sent.clicks, countFromText),
    optional('conversions', microsFromDecimal),
    optional('amount', microsFromDecimal),
    figure('spend', sent.spend, microsFromDecimal),
    null,
    optional('reach', countFromText),
  ];
}

const EXPECTED: ReadonlyMap<unknown, string> = new Map([
  [countFromText, 'a whole number of at least 0'],
  [microsFromDecimal, 'a decimal number of at least 0'],
]);

function figure(
  field: string,
  value: string | number | undefined,
  read: (value: string | number) => Exact,
): Exact {
  const found = value === undefined ? undefined : figureOf(read, value);
  if (found === undefined) throw wrongField(field, value, EXPECTED.get(read) ?? 'a number');
  return found;
}
