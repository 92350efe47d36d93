import type { Call } from '../http/call.ts';
import { addDays, addMonths, datesOf, isDate, weekdayOf } from '../world/days.ts';
import { badParameter, refusedByPlatform } from './answers.ts';

export const REPORTS = {
  'adAccounts/report': 'account',
  'campaigns/report': 'campaign',
  'adGroups/report': 'adGroup',
  'keywords/report': 'keyword',
  'creatives/report': 'creative',
} as const;
export type ReportLevel = (typeof REPORTS)[keyof typeof REPORTS];

const METRICS_GROUPS = ['BASIC', 'ADDITION', 'PIXEL_SDK_CONVERSION'] as const;
export type MetricsGroup = (typeof METRICS_GROUPS)[number];

const TIME_UNITS = { NONE: 31, DAY: 31, WEEK: 62, MONTH: 366 } as const;
type TimeUnit = keyof typeof TIME_UNITS;

/** The dimensions that this sandbox has figures for, by the key under which a row tells the value. */
const DIMENSIONS = {
  NONE: undefined,
  HOUR: 'hour',
  DEVICE: 'device',
  PLACEMENT: 'placement',
} as const;
export type DimensionKey = 'hour' | 'device' | 'placement';

const PRESETS: Readonly<Record<string, [from: number, to: number]>> = {
  TODAY: [0, 0],
  YESTERDAY: [1, 1],
  LAST_7DAY: [7, 1],
  LAST_14DAY: [14, 1],
  LAST_30DAY: [30, 1],
};

export interface ReportQuery {
  level: ReportLevel;
  groups: readonly MetricsGroup[];
  start: string;
  end: string;
  dimension: DimensionKey | undefined;
  campaignId: string | undefined;
  adGroupId: string | undefined;
  /** The piece of time that a day is told in, cut to the range. */
  periodOf(date: string): { start: string; end: string };
}

const HISTORY_MONTHS = 24;

/** Reads a report's parameters as the platform does, refusing what it refuses. */
export function readReportQuery(level: ReportLevel, call: Call, today: string): ReportQuery {
  const { query } = call;
  const groups = groupsOf(query.get('metricsGroups'), level);
  const unit = wordOf(query.get('timeUnit') ?? 'NONE', 'timeUnit', TIME_UNITS);
  const dimension = DIMENSIONS[wordOf(query.get('dimension') ?? 'NONE', 'dimension', DIMENSIONS)];
  const { start, end } = rangeOf(query, today);
  if (datesOf(start, end).length > TIME_UNITS[unit]) {
    throw refusedByPlatform(400, `조회기간은 최대 ${TIME_UNITS[unit]}일입니다.`);
  }
  if (start < addMonths(today, -HISTORY_MONTHS)) {
    throw refusedByPlatform(400, '최근 2년간의 데이터만 조회할 수 있습니다.');
  }
  const campaignId = query.get('campaignId') ?? undefined;
  if (campaignId === undefined && (level === 'adGroup' || level === 'keyword')) {
    throw badParameter('campaignId is required');
  }
  const periodOf = (date: string) => clipped(periodsOf[unit](date), { start, end });
  const adGroupId = query.get('adGroupId') ?? undefined;
  return { level, groups, start, end, dimension, campaignId, adGroupId, periodOf };
}

function groupsOf(text: string | null, level: ReportLevel): MetricsGroup[] {
  if (!text) throw badParameter('metricsGroups is required');
  const groups = text.split(',').map((name) => {
    const group = METRICS_GROUPS.find((one) => one === name);
    if (!group) throw badParameter(`metricsGroups: ${name}`);
    return group;
  });
  if (level === 'account' && groups.some((group) => group !== 'BASIC')) {
    throw badParameter('metricsGroups: only BASIC is supported');
  }
  return groups;
}

function wordOf<T extends object>(word: string, name: string, known: T): keyof T {
  if (Object.hasOwn(known, word)) return word as keyof T; // the check has just proved it
  throw badParameter(`${name}: ${word}`);
}

/** With one of start and end missing the preset holds, and without a preset today. */
function rangeOf(query: URLSearchParams, today: string): { start: string; end: string } {
  const [start, end] = [query.get('start'), query.get('end')];
  if (start === null || end === null) {
    const preset = query.get('datePreset') ?? 'TODAY';
    const days = PRESETS[preset];
    if (!days) throw badParameter(`datePreset: ${preset}`);
    return { start: addDays(today, -days[0]), end: addDays(today, -days[1]) };
  }
  const range = { start: dashed(start, 'start'), end: dashed(end, 'end') };
  if (range.end < range.start) throw badParameter(`end: ${end}`);
  return range;
}

function dashed(text: string, name: string): string {
  const date = text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
  if (date === text || !isDate(date)) throw badParameter(`${name}: ${text}`);
  return date;
}

type Period = { start: string; end: string };

const periodsOf: Readonly<Record<TimeUnit, (date: string) => Period>> = {
  NONE: () => ({ start: '0000-01-01', end: '9999-12-31' }),
  DAY: (date) => ({ start: date, end: date }),
  WEEK: (date) => {
    const monday = addDays(date, -((weekdayOf(date) + 6) % 7));
    return { start: monday, end: addDays(monday, 6) };
  },
  MONTH: (date) => {
    const first = `${date.slice(0, 7)}-01`;
    return { start: first, end: addDays(addMonths(first, 1), -1) };
  },
};

function clipped(period: Period, range: Period): Period {
  return {
    start: period.start < range.start ? range.start : period.start,
    end: period.end > range.end ? range.end : period.end,
  };
}
