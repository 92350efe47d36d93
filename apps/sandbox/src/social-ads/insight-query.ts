import { z } from 'zod';
import { addDays, addMonths, datesOf, daysBetween, isDate, weekdayOf } from '../world/days.ts';
import type { SocialAccount, SocialEntity, SocialKind } from '../world/social-tree.ts';
import { type Breakdown, HOURLY } from './breakdowns.ts';
import { badParameter, GraphError } from './graph-error.ts';
import { INSIGHT_FIELDS } from './insight-fields.ts';
import { jsonParam, listParam, type Params } from './params.ts';

export type InsightLevel = 'account' | SocialKind;
const LEVELS: readonly string[] = ['account', 'campaign', 'adset', 'ad'] satisfies InsightLevel[];

export const HISTORY_MONTHS = 37;
export const DETAIL_MONTHS = 13;

export interface Period {
  start: string;
  stop: string;
}

export interface Filter {
  field: string;
  operator: string;
  value: unknown;
}

export interface InsightQuery {
  account: SocialAccount;
  /** Only what is under this entity; undefined = the whole account. */
  node: SocialEntity | undefined;
  level: InsightLevel;
  fields: string[];
  breakdown: Breakdown;
  periods: Period[];
  since: string;
  until: string;
  filters: Filter[];
  sort: string | undefined;
  windows: string[];
  actionBreakdowns: string[];
  /** reach, frequency and cpp are left out of breakdowns that begin more than 13 months ago. */
  dropsReach: boolean;
}

const RangeSchema = z.object({
  since: z.string().refine(isDate),
  until: z.string().refine(isDate),
});
const FiltersSchema = z.array(
  z.object({ field: z.string(), operator: z.string(), value: z.unknown() }),
);

function readRange(value: unknown, name: string): Period {
  const parsed = RangeSchema.safeParse(value);
  if (!parsed.success) {
    throw badParameter(
      `param ${name} must be {"since":"YYYY-MM-DD","until":"YYYY-MM-DD"}, got ${JSON.stringify(value)}`,
    );
  }
  const { since, until } = parsed.data;
  if (until < since) {
    throw new GraphError({
      code: 100,
      subcode: 1487534,
      message: `(#100) param ${name}: since ${since} comes after until ${until}`,
    });
  }
  return { start: since, stop: until };
}

function presetRange(preset: string, today: string): Period {
  const yesterday = addDays(today, -1);
  const last = /^last_(\d+)d$/.exec(preset)?.[1];
  if (last !== undefined && ['3', '7', '14', '28', '30', '90'].includes(last)) {
    return { start: addDays(today, -Number(last)), stop: yesterday };
  }
  const monthStart = `${today.slice(0, 7)}-01`;
  const weekStart = addDays(today, -((weekdayOf(today) + 6) % 7));
  const known: Record<string, Period> = {
    today: { start: today, stop: today },
    yesterday: { start: yesterday, stop: yesterday },
    this_month: { start: monthStart, stop: today },
    last_month: { start: addMonths(monthStart, -1), stop: addDays(monthStart, -1) },
    this_year: { start: `${today.slice(0, 4)}-01-01`, stop: today },
    this_week_mon_today: { start: weekStart, stop: today },
    maximum: { start: addMonths(today, -HISTORY_MONTHS), stop: today },
  };
  const range = known[preset];
  if (range === undefined) throw badParameter(`date_preset '${preset}' is not a known preset`);
  return range;
}

function readRanges(params: Params, today: string): Period[] {
  const range = jsonParam(params, 'time_range');
  if (range !== undefined) return [readRange(range, 'time_range')];
  const ranges = jsonParam(params, 'time_ranges');
  if (Array.isArray(ranges)) return ranges.map((one) => readRange(one, 'time_ranges'));
  const since = params.get('since') ?? params.get('time_range[since]');
  const until = params.get('until') ?? params.get('time_range[until]');
  if (since !== undefined && until !== undefined)
    return [readRange({ since, until }, 'time_range')];
  return [presetRange(params.get('date_preset') ?? 'last_30d', today)];
}

function cut(range: Period, increment: string): Period[] {
  if (increment === 'all_days') return [range];
  if (increment === 'monthly') {
    const months = new Set(datesOf(range.start, range.stop).map((date) => date.slice(0, 7)));
    return [...months].map((month) => {
      const last = addDays(addMonths(`${month}-01`, 1), -1);
      const start = `${month}-01` < range.start ? range.start : `${month}-01`;
      return { start, stop: last > range.stop ? range.stop : last };
    });
  }
  const days = Number(increment);
  if (!/^\d+$/.test(increment) || days < 1 || days > 90) {
    throw badParameter(`time_increment must be 1 to 90, monthly or all_days, got '${increment}'`);
  }
  const count = Math.ceil((daysBetween(range.start, range.stop) + 1) / days);
  return Array.from({ length: count }, (_, i) => {
    const start = addDays(range.start, i * days);
    const stop = addDays(start, days - 1);
    return { start, stop: stop > range.stop ? range.stop : stop };
  });
}

function checkHistory(since: string, today: string, breakdown: Breakdown): void {
  const months = breakdown.keys.includes(HOURLY) ? DETAIL_MONTHS : HISTORY_MONTHS;
  if (since >= addMonths(today, -months)) return;
  throw new GraphError({
    code: 3018,
    message: `(#3018) The start date of the time range cannot be beyond ${months} months from the current date`,
  });
}

function readFields(params: Params, breakdown: Breakdown): string[] {
  const fields = listParam(params, 'fields');
  for (const field of fields) {
    if (breakdown.keys.includes(field) || !INSIGHT_FIELDS.has(field)) {
      throw badParameter(
        `${field} is not valid for fields param. please check https://developers.facebook.com/docs/marketing-api/reference/ads-insights/ for all valid values`,
      );
    }
  }
  return fields.length > 0 ? fields : ['account_id', 'impressions', 'spend'];
}

function readFilters(params: Params): Filter[] {
  const parsed = FiltersSchema.safeParse(jsonParam(params, 'filtering') ?? []);
  if (!parsed.success)
    throw badParameter('param filtering must be an array of {field, operator, value}');
  return parsed.data;
}

/** Reads the parameters of an insights call on an account or on one of its entities. */
export function readInsightQuery(
  params: Params,
  target: { account: SocialAccount; node: SocialEntity | undefined; breakdown: Breakdown },
  today: string,
): InsightQuery {
  const { account, node, breakdown } = target;
  const level = params.get('level') ?? node?.kind ?? 'account';
  if (!LEVELS.includes(level))
    throw badParameter(`level must be one of ${LEVELS.join(', ')}, got '${level}'`);
  if (node !== undefined && LEVELS.indexOf(level) < LEVELS.indexOf(node.kind)) {
    throw badParameter(`level '${level}' lies above the ${node.kind} ${node.id}`);
  }
  const ranges = readRanges(params, today);
  const since = ranges.reduce(
    (min, range) => (range.start < min ? range.start : min),
    '9999-12-31',
  );
  const until = ranges.reduce((max, range) => (range.stop > max ? range.stop : max), '0000-01-01');
  checkHistory(since, today, breakdown);
  const increment = params.get('time_increment') || 'all_days';
  return {
    account,
    node,
    level: level as InsightLevel,
    fields: readFields(params, breakdown),
    breakdown,
    periods: ranges.flatMap((range) => cut(range, increment)),
    since,
    until,
    filters: readFilters(params),
    sort: listParam(params, 'sort')[0],
    windows: listParam(params, 'action_attribution_windows'),
    actionBreakdowns: listParam(params, 'action_breakdowns'),
    dropsReach: breakdown.keys.length > 0 && since < addMonths(today, -DETAIL_MONTHS),
  };
}

/** Rows that a call may come to at most: what the platform weighs when it refuses "too much data". */
export function estimateRows(query: InsightQuery): number {
  const { account, level } = query;
  const present = ({ createdOn, endedOn }: SocialEntity): boolean =>
    createdOn <= query.until && (endedOn === undefined || endedOn > query.since);
  const entities = level === 'account' ? 1 : account[`${level}s`].filter(present).length;
  const days = daysBetween(query.since, query.until) + 1;
  return entities * days * Math.max(1, query.breakdown.rows.length);
}
