import { RetryableError } from '@tributary/runtime';
import {
  countFromText,
  type Exact,
  type Fill,
  isDay,
  type Level,
  microsFromDecimal,
  type ObservationRow,
  type Part,
} from '@tributary/shared';
import { figureOf } from '../figure.ts';
import type { NormalizedRow } from '../rows.ts';
import type { ProviderAction, ProviderInsight } from './schema.ts';

/** What the rows of one insights report must belong to. */
export interface ReportScope {
  account: string;
  from: string;
  to: string;
  fill: Fill;
  /** The one action type that counts. */
  conversion: string;
}

/** The platform's breakdown of each list; its value comes back under the same key. */
export const BREAKDOWNS = {
  age: 'age',
  gender: 'gender',
  country: 'country',
  region: 'region',
  device: 'device_platform',
  hour: 'hourly_stats_aggregated_by_advertiser_time_zone',
} as const satisfies Partial<Record<Part, keyof ProviderInsight>>;
type ReportedPart = keyof typeof BREAKDOWNS;

const DEVICE_WORDS: ReadonlyMap<string, string> = new Map([
  ['desktop', 'desktop'],
  ['mobile_app', 'mobile'],
  ['mobile_web', 'mobile'],
  ['tablet', 'tablet'],
]);

/** Words that several of the platform's values become. */
const MERGED_WORDS: ReadonlySet<string> = new Set(['mobile', 'other', 'unknown']);

/** True when another row of the answer may become the same word, so that the two are added up. */
export function mayMerge(row: ObservationRow): boolean {
  return MERGED_WORDS.has(row[3]);
}

/**
 * One row of the platform in our units and words; undefined for a row of the hour list without an hour: the platform
 * attributes it to none (late clicks, zero delivery), so sealing finds it as the rest between the list and the totals.
 *
 * @throws RetryableError `malformed_row`, naming the field and the value
 */
export function normalizeInsight(
  insight: ProviderInsight,
  scope: ReportScope,
): NormalizedRow | undefined {
  const day = dayOf(insight, scope);
  const { level, part } = scope.fill;
  const figures = figuresOf(insight, scope);
  const raw = isReported(part) ? insight[BREAKDOWNS[part]] : '';
  if (part === 'hour' && raw === undefined) return undefined;
  const value = part === 'base' ? '' : wordOf(part, raw);
  if (part === 'device' && (value === 'mobile' || value === 'other')) figures[6] = null;
  const ids = idsOf(insight, level);
  return { day, row: [...ids, value, ...figures], key: [day, ...ids, raw ?? ''].join(' ') };
}

export function isReported(part: Part): part is ReportedPart {
  return part in BREAKDOWNS;
}

function dayOf(insight: ProviderInsight, { account, from, to }: ReportScope): string {
  const { account_id: id, date_start: day, date_stop: end } = insight;
  if (id !== account) throw malformedRow('account_id', id, `'${account}'`);
  if (!isDay(day) || day < from || day > to) {
    throw malformedRow('date_start', day, `a day from ${from} to ${to}`);
  }
  if (end !== day) throw malformedRow('date_stop', end, `'${day}'`);
  return day;
}

function idsOf(insight: ProviderInsight, level: Level): [string, string, string] {
  const id = (field: 'campaign_id' | 'adset_id' | 'ad_id', levels: string) =>
    levels.includes(level) ? (insight[field] ?? missing(field)) : '';
  return [id('campaign_id', 'cgd'), id('adset_id', 'gd'), id('ad_id', 'd')];
}

type InsightFigures = [Exact, Exact, Exact | null, Exact | null, Exact, null, Exact | null];

function figuresOf(insight: ProviderInsight, { fill, conversion }: ReportScope): InsightFigures {
  const withSales = fill.metrics.includes('conversions');
  // The hourly rows' reach of "0" means that there is none; beyond 13 months the platform leaves the field out.
  const withReach = fill.metrics.includes('reach') && insight.reach !== undefined;
  return [
    read(countFromText, 'impressions', insight.impressions),
    read(countFromText, 'clicks', insight.clicks),
    withSales ? actionOf('actions', insight.actions, conversion) : null,
    withSales ? actionOf('action_values', insight.action_values, conversion) : null,
    read(microsFromDecimal, 'spend', insight.spend),
    null,
    withReach ? read(countFromText, 'reach', insight.reach) : null,
  ];
}

/** The figure of exactly one action type; the platform leaves a type out that did not happen. */
function actionOf(field: string, actions: readonly ProviderAction[] = [], type: string): Exact {
  const found = actions.filter((action) => action.action_type === type);
  if (found.length > 1)
    throw malformedRow(field, `${found.length} x ${type}`, 'one entry per type');
  return found[0] ? read(microsFromDecimal, `${field}.${type}`, found[0].value) : 0;
}

function read(
  convert: (value: string | number) => Exact,
  field: string,
  value: string | number | undefined,
): Exact {
  if (value === undefined) return missing(field);
  const figure = figureOf(convert, value);
  if (figure === undefined) throw malformedRow(field, value, 'a number of at least 0');
  return figure;
}

function wordOf(part: Exclude<Part, 'base'>, raw: string | undefined): string {
  if (!raw) return part === 'country' || part === 'region' ? 'unknown' : missing(part);
  if (/^unknown$/i.test(raw)) return 'unknown';
  if (part === 'device') return DEVICE_WORDS.get(raw) ?? 'other';
  if (part === 'hour') return hourOf(raw);
  return raw;
}

function hourOf(raw: string): string {
  const hour = /^([01]\d|2[0-3]):00:00 - \1:59:59$/.exec(raw)?.[1];
  return hour ?? missing('hour', raw);
}

function missing(field: string, value = 'nothing'): never {
  throw malformedRow(field, value, `the row's ${field}`);
}

function malformedRow(field: string, value: string | number, expected: string): RetryableError {
  const text = `Malformed insights row: '${value}' in ${field}, expected ${expected}`;
  return new RetryableError('malformed_row', text);
}
