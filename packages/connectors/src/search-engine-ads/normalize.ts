import { RetryableError } from '@tributary/runtime';
import {
  countFromText,
  type Exact,
  type Fill,
  isDay,
  type Level,
  microsFromDecimal,
  type Part,
} from '@tributary/shared';
import { figureOf } from '../figure.ts';
import type { NormalizedRow } from '../rows.ts';
import type { ProviderRow } from './schema.ts';

/** What the rows of one answer must belong to. */
export interface Scope {
  account: string;
  from: string;
  to: string;
  fill: Fill;
}

const DEVICE_WORDS: ReadonlyMap<string, string> = new Map([
  ['MOBILE', 'mobile'],
  ['DESKTOP', 'desktop'],
  ['TABLET', 'tablet'],
  ['CONNECTED_TV', 'tv'],
]);
const UNKNOWN_WORDS: ReadonlySet<string> = new Set(['UNKNOWN', 'UNSPECIFIED', 'UNDETERMINED']);

/**
 * One row of the platform in our units and words.
 *
 * @throws RetryableError `malformed_row`, naming the field and the value
 */
export function normalizeRow(row: ProviderRow, scope: Scope): NormalizedRow {
  const { level, part } = scope.fill;
  const day = dayOf(row, scope);
  const ids = idsOf(row, level);
  const { value, raw } = VALUES[part]?.(row) ?? missing(part);
  return {
    day,
    row: [...ids, value, ...figuresOf(row)],
    key: [day, ...ids, ...raw].join(' '),
  };
}

function dayOf({ customer, segments }: ProviderRow, { account, from, to }: Scope): string {
  const { date } = segments;
  if (customer.id !== account) throw malformedRow('customer.id', customer.id, `'${account}'`);
  if (!isDay(date) || date < from || date > to) {
    throw malformedRow('segments.date', date, `a day from ${from} to ${to}`);
  }
  return date;
}

function idsOf(row: ProviderRow, level: Level): [string, string, string] {
  const id = (field: string, levels: string, node: { id: string } | undefined) =>
    levels.includes(level) ? (node?.id ?? missing(field)) : '';
  return [
    id('campaign.id', 'cgd', row.campaign),
    id('ad_group.id', 'gd', row.adGroup),
    id('ad_group_ad.ad.id', 'd', row.adGroupAd?.ad),
  ];
}

/** A value in our words, and all that tells its row from others. */
interface Value {
  value: string;
  raw: readonly string[];
}

const VALUES: Readonly<Partial<Record<Part, (row: ProviderRow) => Value>>> = {
  base: () => ({ value: '', raw: [] }),
  device: ({ segments: { device = 'UNSPECIFIED' } }) => ({
    value: deviceOf(device),
    raw: [device],
  }),
  // A number that is 0 may be left out of an answer; the row of midnight is no row without an hour.
  hour: ({ segments: { hour = 0 } }) => ({
    value: String(hour).padStart(2, '0'),
    raw: [String(hour)],
  }),
  age: (row) =>
    ofCriterion(row, ageOf(row.adGroupCriterion?.ageRange?.type ?? missing('age_range.type'))),
  gender: (row) =>
    ofCriterion(row, genderOf(row.adGroupCriterion?.gender?.type ?? missing('gender.type'))),
  keyword: (row) => ofCriterion(row, row.adGroupCriterion?.keyword?.text || criterionOf(row)),
  region: ({ segments: { geoTargetRegion }, userLocationView }) => {
    const value = geoTargetRegion === undefined ? 'unknown' : placeIdOf(geoTargetRegion);
    const { countryCriterionId = '', targetingLocation = false } = userLocationView ?? {};
    return { value, raw: [countryCriterionId, String(targetingLocation), value] };
  },
};

function ofCriterion(row: ProviderRow, value: string): Value {
  return { value, raw: [criterionOf(row)] };
}

function criterionOf({ adGroupCriterion }: ProviderRow): string {
  return adGroupCriterion?.criterionId ?? missing('ad_group_criterion.criterion_id');
}

function deviceOf(device: string): string {
  return UNKNOWN_WORDS.has(device) ? 'unknown' : (DEVICE_WORDS.get(device) ?? 'other');
}

function ageOf(type: string): string {
  const word = type.replace(/^AGE_RANGE_/, '');
  if (UNKNOWN_WORDS.has(word)) return 'unknown';
  const [, from, to] = /^(\d+)_(\d+|UP)$/.exec(word) ?? missing('age_range.type', type);
  return to === 'UP' ? `${from}+` : `${from}-${to}`;
}

function genderOf(type: string): string {
  return type === 'MALE' || type === 'FEMALE' ? type.toLowerCase() : 'unknown';
}

function placeIdOf(name: string): string {
  return /^geoTargetConstants\/(\d+)$/.exec(name)?.[1] ?? missing('geo_target_region', name);
}

type RowFigures = [Exact, Exact, Exact, Exact, Exact, null, null];

function figuresOf({ metrics }: ProviderRow): RowFigures {
  return [
    read(countFromText, 'impressions', metrics.impressions),
    read(countFromText, 'clicks', metrics.clicks),
    read(microsFromDecimal, 'conversions', metrics.conversions),
    read(microsFromDecimal, 'conversions_value', metrics.conversionsValue),
    read(countFromText, 'cost_micros', metrics.costMicros),
    null,
    null,
  ];
}

function read(
  convert: (value: string | number) => Exact,
  field: string,
  value: string | number,
): Exact {
  const figure = figureOf(convert, value);
  if (figure === undefined) throw malformedRow(`metrics.${field}`, value, 'a number of at least 0');
  return figure;
}

function missing(field: string, value = 'nothing'): never {
  throw malformedRow(field, value, `the row's ${field}`);
}

function malformedRow(field: string, value: string | number, expected: string): RetryableError {
  return new RetryableError(
    'malformed_row',
    `Malformed search row: '${value}' in ${field}, expected ${expected}`,
  );
}
