import { addDays, addMonths, datesOf, isDate } from '../world/days.ts';
import { badParameter, badPeriod } from './moment-error.ts';
import { DIMENSIONS, type Dimension } from './world.ts';

const DAYS_MAX = 31;
const HISTORY_MONTHS = 24;
const METRICS_GROUPS = [
  'BASIC',
  'ADDITION',
  'MESSAGE',
  'MESSAGE_ADDITION',
  'MESSAGE_CLICK',
  'PLUS_FRIEND',
  'VIDEO',
  'PIXEL_SDK_CONVERSION',
];
export const LEVELS = ['AD_ACCOUNT', 'CAMPAIGN', 'AD_GROUP', 'CREATIVE'] as const;
export type ReportLevel = (typeof LEVELS)[number];

export interface ReportQuery {
  ids: readonly string[];
  level: ReportLevel;
  dates: readonly string[];
  dimension: Dimension | undefined;
  /** Empty when the call names none: the rows come without metrics then. */
  metricsGroups: readonly string[];
}

/** What one of the four reports is asked. */
export interface ReportKind {
  level: ReportLevel;
  idParameter: string;
  idsMax: number;
}

/** The values of a list parameter, repeated or joined by commas. */
export function listOf(query: URLSearchParams, name: string): string[] {
  return query.getAll(name).flatMap((text) => text.split(',').filter((one) => one !== ''));
}

/** Reads a report's parameters; `today` is the account's. @throws MomentError */
export function readReportQuery(
  query: URLSearchParams,
  kind: ReportKind,
  today: string,
): ReportQuery {
  const ids = listOf(query, kind.idParameter);
  if (ids.length === 0) throw badParameter(`${kind.idParameter}: 필수 값입니다.`);
  if (ids.length > kind.idsMax || new Set(ids).size < ids.length) {
    throw badParameter(`${kind.idParameter}: 최대 ${kind.idsMax}개`);
  }
  const unit = query.get('timeUnit') ?? 'DAY';
  if (unit !== 'DAY') throw badParameter(`timeUnit=${unit}`);
  const metricsGroups = listOf(query, 'metricsGroup');
  const unknown = metricsGroups.find((group) => !METRICS_GROUPS.includes(group));
  if (unknown !== undefined) throw badParameter(`metricsGroup=${unknown}`);
  return {
    ids,
    level: levelOf(query, kind),
    dates: datesAsked(query, today),
    dimension: dimensionOf(query),
    metricsGroups,
  };
}

/** A report tells of its own level or of one below. */
function levelOf(query: URLSearchParams, kind: ReportKind): ReportLevel {
  const asked = query.get('level') ?? kind.level;
  const level = LEVELS.find((one) => one === asked);
  if (level === undefined || LEVELS.indexOf(level) < LEVELS.indexOf(kind.level)) {
    throw badParameter(`level=${asked}`);
  }
  return level;
}

function dimensionOf(query: URLSearchParams): Dimension | undefined {
  const asked = query.get('dimension') ?? 'NONE';
  if (asked === 'NONE') return undefined;
  if (asked in DIMENSIONS) return asked as Dimension; // one of its keys
  throw badParameter(`dimension=${asked}`);
}

function datesAsked(query: URLSearchParams, today: string): string[] {
  const preset = query.get('datePreset');
  if (preset !== null) return datesOfPreset(preset, today);
  const [start, end] = [dateOf(query.get('start')), dateOf(query.get('end'))];
  if (start === undefined || end === undefined || end >= today) throw badPeriod();
  const dates = datesOf(start, end);
  const isOld = start < addMonths(today, -HISTORY_MONTHS);
  if (dates.length === 0 || dates.length > DAYS_MAX || isOld) throw badPeriod();
  return dates;
}

/** All presets but TODAY leave today out. */
function datesOfPreset(preset: string, today: string): string[] {
  const yesterday = addDays(today, -1);
  switch (preset) {
    case 'TODAY':
      return [today];
    case 'YESTERDAY':
      return [yesterday];
    case 'LAST_7DAY':
    case 'LAST_14DAY':
    case 'LAST_30DAY':
      return datesOf(addDays(today, -Number(preset.replace(/\D/g, ''))), yesterday);
    case 'THIS_MONTH':
      return datesOf(`${today.slice(0, 8)}01`, yesterday);
    case 'LAST_MONTH': {
      const first = `${addMonths(today, -1).slice(0, 8)}01`;
      return datesOf(first, addDays(`${today.slice(0, 8)}01`, -1));
    }
    default:
      throw badParameter(`datePreset=${preset}`);
  }
}

/** 20261118 as 2026-11-18; undefined when it is no such date. */
function dateOf(text: string | null): string | undefined {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(text ?? '') ?? [];
  const date = `${year}-${month}-${day}`;
  return isDate(date) ? date : undefined;
}
