import type { Day, Fill, Level, Part } from '@tributary/shared';
import { countOf, malformedRow, microsOf, textOf } from '../portal2/figures.ts';
import { dayOf } from '../portal2/report-day.ts';
import type { ProviderFields, ProviderReportRow } from '../portal2/schema.ts';
import type { NormalizedRow } from '../rows.ts';
import type { Placed } from './entities.ts';

/** What the rows of one report must belong to. */
export interface ReportScope {
  account: string;
  from: Day;
  to: Day;
  fill: Fill;
  /** The objects asked for by the id of their level. */
  objects: ReadonlyMap<string, Placed>;
  conversionWindowDays: 1 | 7;
}

/** The platform's dimension of each list, and the field that tells its value. */
export const DIMENSIONS = {
  device: { parameter: 'DEVICE_TYPE', field: 'deviceType' },
  placement: { parameter: 'PLACEMENT', field: 'placement' },
  age: { parameter: 'AGE', field: 'age' },
  gender: { parameter: 'GENDER', field: 'gender' },
  region: { parameter: 'LOCATION', field: 'location' },
  hour: { parameter: 'HOUR', field: 'hour' },
} as const satisfies Partial<Record<Part, { parameter: string; field: string }>>;
type ReportedPart = keyof typeof DIMENSIONS;

const ID_FIELDS: Readonly<Record<Level, string>> = {
  a: 'adAccountId',
  c: 'campaignId',
  g: 'adGroupId',
  d: 'creativeId',
};

const DEVICES: ReadonlyMap<string, string> = new Map([
  ['pc', 'desktop'],
  ['android', 'mobile'],
  ['ios', 'mobile'],
]);
const GENDERS: ReadonlyMap<string, string> = new Map([
  ['m', 'male'],
  ['male', 'male'],
  ['남성', 'male'],
  ['f', 'female'],
  ['female', 'female'],
  ['여성', 'female'],
]);
const UNKNOWN = /^(알\s?수\s?없음|unknown|none|미상|-)$/i;

/**
 * One row of a report in our units and words; undefined for a row of a list whose value is empty: the platform attributes
 * it to none, so sealing finds it as the rest between the list and the totals.
 *
 * @throws RetryableError `malformed_row`, naming the field and the value; also for a row without metrics, which the
 *   platform sends where it does not understand the metrics asked for
 */
export function normalizeRow(
  row: ProviderReportRow,
  scope: ReportScope,
): NormalizedRow | undefined {
  const day = dayOf(row, scope);
  const { part } = scope.fill;
  const id = idOf(row.dimensions, scope);
  const { campaign, adGroup, ad } = placeOf(id, scope);
  const figures = figuresOf(row.metrics, scope);
  if (!isReported(part))
    return { day, row: [campaign, adGroup, ad, '', ...figures], key: `${day} ${id}` };
  const raw = valueIn(row.dimensions, DIMENSIONS[part].field);
  if (raw === '') return undefined;
  const value = wordOf(part, raw);
  return { day, row: [campaign, adGroup, ad, value, ...figures], key: `${day} ${id} ${raw}` };
}

export function isReported(part: Part): part is ReportedPart {
  return part in DIMENSIONS;
}

function valueIn(dimensions: ProviderFields, field: string): string {
  const value = dimensions[field];
  return value === null || value === '' ? '' : textOf(dimensions, field);
}

/** An account's rows need not name it; if they do, it is this one. */
function idOf(dimensions: ProviderFields, { account, fill: { level } }: ReportScope): string {
  const field = ID_FIELDS[level];
  if (level !== 'a') return textOf(dimensions, field);
  return String(dimensions[field] ?? account);
}

function placeOf(id: string, { objects, fill: { level } }: ReportScope): Placed {
  const place = objects.get(id);
  if (place) return place;
  throw malformedRow(ID_FIELDS[level], id, 'an id that was asked for');
}

function figuresOf(metrics: ProviderFields, { conversionWindowDays: days }: ReportScope) {
  const { reach } = metrics;
  return [
    countOf(metrics, 'imp'),
    countOf(metrics, 'click'),
    microsOf(metrics, `convPurchase${days}d`),
    microsOf(metrics, `convPurchaseP${days}d`),
    microsOf(metrics, 'cost'),
    null,
    reach === undefined || reach === null ? null : countOf(metrics, 'reach'),
  ] as const;
}

function wordOf(part: ReportedPart, raw: string): string {
  if (part === 'hour') return hourOf(raw);
  if (UNKNOWN.test(raw)) return 'unknown';
  if (part === 'device') return DEVICES.get(raw.toLowerCase()) ?? 'other';
  if (part === 'gender') return GENDERS.get(raw.toLowerCase()) ?? 'unknown';
  if (part === 'age') return ageOf(raw);
  return raw;
}

/** "09:00~09:59" is 09. */
function hourOf(raw: string): string {
  const hour = /^([01]\d|2[0-3]):00~\1:59$/.exec(raw)?.[1];
  if (hour === undefined) throw malformedRow('hour', raw, 'an hour such as 09:00~09:59');
  return hour;
}

/** Bands of five years stay as they are, in our form: "25~29" is 25-29, "70~" is 70+; other words as they were sent. */
function ageOf(raw: string): string {
  const [, from, to] = /^(\d{1,2})(?:[~-](\d{1,2})?|\+|세 ?이상)세?$/.exec(raw) ?? [];
  if (from === undefined) return raw;
  return to === undefined ? `${from}+` : `${from}-${to}`;
}
