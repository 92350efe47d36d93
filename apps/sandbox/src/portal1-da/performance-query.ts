import { addMonths, daysBetween, HOUR_MS, isDate, type Zone } from '../world/days.ts';
import { statsRefusal } from './refusal.ts';

export const AGGREGATIONS = ['campaigns', 'adSets', 'creatives'] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];
export type TimeUnit = 'daily' | 'hourly';

/** One question for past performance. */
export interface PerformanceQuery {
  account: string;
  aggregation: Aggregation;
  startDate: string;
  endDate: string;
  timeUnit: TimeUnit;
  limit: number;
}

const DAYS_MAX = 31;
const HISTORY_MONTHS = 24;
const ROWS_MAX = 1_000;
/** Hours after midnight from which the day before is told. */
const YESTERDAY_FROM_HOURS = 2;

export function isAggregation(text: string): text is Aggregation {
  return AGGREGATIONS.some((one) => one === text);
}

/** Reads the question and throws the platform's refusal of the first thing that is wrong with it. */
export function readPerformanceQuery(
  params: URLSearchParams,
  { account, aggregation }: Pick<PerformanceQuery, 'account' | 'aggregation'>,
): PerformanceQuery {
  const startDate = dateOf(params, 'startDate', 'START_DATE');
  const endDate = dateOf(params, 'endDate', 'END_DATE');
  if (endDate < startDate) {
    throw statsRefusal('TOO_EARLY_END_DATE', 'The endDate must be after than the startDate.');
  }
  if (daysBetween(startDate, endDate) >= DAYS_MAX) {
    throw statsRefusal('TOO_LONG_PERIOD', 'The data retrieval period is limited to 31 days.');
  }
  const timeUnit = params.get('timeUnit') ?? 'daily';
  if (timeUnit !== 'daily' && timeUnit !== 'hourly') {
    throw statsRefusal('INVALID_REQUEST', `The request is not valid. (timeUnit: ${timeUnit})`);
  }
  const limit = params.get('limit') ?? String(ROWS_MAX);
  if (!/^[1-9]\d{0,8}$/.test(limit)) {
    throw statsRefusal('INVALID_LIMIT', 'The limit field value is not valid.');
  }
  if (Number(limit) > ROWS_MAX) {
    throw statsRefusal('TOO_LARGE_LIMIT', 'The limit field value must not exceed 1000.');
  }
  return { account, aggregation, startDate, endDate, timeUnit, limit: Number(limit) };
}

function dateOf(params: URLSearchParams, name: string, word: string): string {
  const text = params.get(name);
  if (text === null) {
    throw statsRefusal(`MISSING_${word}`, `The ${name} field value is missing.`);
  }
  if (!isDate(text)) {
    throw statsRefusal(`INVALID_${word}`, `The ${name} field value is not valid.`);
  }
  return text;
}

/** Throws unless the days lie from two years ago to yesterday, and yesterday from two o'clock on. */
export function checkDates(
  { startDate, endDate }: PerformanceQuery,
  zone: Zone,
  now: number,
): void {
  const today = zone.dateAt(now);
  if (startDate < addMonths(today, -HISTORY_MONTHS)) {
    throw statsRefusal(
      'TOO_EARLY_START_DATE',
      'Only data from the past two years can be retrieved.',
    );
  }
  if (endDate >= today) {
    throw statsRefusal('TOO_LATE_END_DATE', 'The endDate must be before today.');
  }
  const isYesterday = daysBetween(endDate, today) === 1;
  if (isYesterday && now < zone.day(today).startMs + YESTERDAY_FROM_HOURS * HOUR_MS) {
    throw statsRefusal(
      'ACCESS_BEFORE_AVAILABLE',
      'Data from the previous day is available for retrieval beginning at 2 AM.',
    );
  }
}
