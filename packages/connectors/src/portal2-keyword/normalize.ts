import type { Day, Dimension, Figures, Level, Part } from '@tributary/shared';
import { camelCase } from '../portal2/camel-keys.ts';
import { countOf, malformedRow, microsOf, textOf } from '../portal2/figures.ts';
import { dayOf } from '../portal2/report-day.ts';
import type { ProviderFields, ProviderReportRow, ProviderValue } from '../portal2/schema.ts';
import type { NormalizedRow } from '../rows.ts';
import type { Keyword } from './keyword-book.ts';

/** What the rows of one report must belong to. */
export interface ReportScope {
  account: string;
  from: Day;
  to: Day;
  level: Level;
  part: Part;
  /** The platform's name of the dimension; undefined = totals or keywords. */
  dimension: string | undefined;
  /** The campaign that was asked for; undefined = all. */
  campaign: string | undefined;
  /** Days after the click within which a conversion counts. */
  conversionWindowDays: 1 | 7;
  keywords: ReadonlyMap<string, Keyword>;
}

/** The dimensions' names are not in the platform's documentation; HOUR is verified, the others come from one client. */
export const DIMENSION_NAMES = {
  device: 'DEVICE',
  hour: 'HOUR',
  placement: 'PLACEMENT',
} as const satisfies Partial<Record<Dimension, string>>;

const DEVICE_WORDS: ReadonlyMap<string, string> = new Map([
  ['PC', 'desktop'],
  ['DESKTOP', 'desktop'],
  ['MOBILE', 'mobile'],
  ['TABLET', 'tablet'],
  ['TV', 'tv'],
]);

/**
 * One row of a report in our units and words; undefined for a row that names no value of its dimension: the platform
 * attributes it to none, so sealing finds it as the rest between the list and the totals.
 *
 * @throws RetryableError `malformed_row`, naming the field and the value
 */
export function normalizeRow(
  row: ProviderReportRow,
  scope: ReportScope,
): NormalizedRow | undefined {
  const day = dayOf(row, scope);
  const figures = figuresOf(row.metrics, scope);
  const ids = idsOf(row.dimensions, scope);
  const value = listValueOf(row.dimensions, scope);
  if (value === undefined || ids === undefined) return undefined;
  const own = ids.slice(scope.level === 'a' ? 3 : 'cgd'.indexOf(scope.level));
  return {
    day,
    row: [...ids, value.word, ...figures],
    key: [day, ...own, value.raw].join(' '),
  };
}

/** The id of a keyword row's keyword. */
export function keywordIdOf({ dimensions }: Pick<ProviderReportRow, 'dimensions'>) {
  const adGroup = optionalText(dimensions, 'adGroupId');
  return { id: textOf(dimensions, 'keywordId'), adGroup };
}

/** The account's own report knows delivery only; ppc is computed from the sums, and the rank is of no use in sums. */
function figuresOf(metrics: ProviderFields, scope: ReportScope): Figures {
  const hasSales = scope.level !== 'a';
  const days = scope.conversionWindowDays;
  return [
    countOf(metrics, 'imp'),
    countOf(metrics, 'click'),
    hasSales ? microsOf(metrics, `convPurchase${days}d`) : null,
    hasSales ? microsOf(metrics, `convPurchaseP${days}d`) : null,
    microsOf(metrics, 'spending'),
    hasSales ? countOf(metrics, 'rimp') : null,
    null,
  ];
}

/** undefined = the platform does not tell to which ad group a keyword's row belongs. */
function idsOf(fields: ProviderFields, scope: ReportScope): [string, string, string] | undefined {
  const { level, part, account, campaign: asked } = scope;
  expectId(fields, 'adAccountId', account);
  if (level === 'a') return ['', '', ''];
  if (asked === undefined) return [textOf(fields, 'campaignId'), '', ''];
  expectId(fields, 'campaignId', asked);
  if (part === 'keyword') {
    const { id, adGroup = scope.keywords.get(id)?.adGroup } = keywordIdOf({ dimensions: fields });
    return adGroup === undefined ? undefined : [asked, adGroup, ''];
  }
  if (level === 'g') return [asked, textOf(fields, 'adGroupId'), ''];
  return [asked, optionalText(fields, 'adGroupId') ?? '', textOf(fields, 'creativeLinkId')];
}

/** An id that a row may leave out, as the question named it. */
function expectId(fields: ProviderFields, field: string, asked: string): void {
  const told = optionalText(fields, field);
  if (told !== undefined && told !== asked) throw malformedRow(field, told, `'${asked}'`);
}

function optionalText(fields: ProviderFields, field: string): string | undefined {
  const value = fields[field];
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

function listValueOf(
  fields: ProviderFields,
  { part, dimension, keywords }: ReportScope,
): { raw: string; word: string } | undefined {
  if (part === 'keyword') {
    const { id } = keywordIdOf({ dimensions: fields });
    return { raw: id, word: keywords.get(id)?.text ?? id };
  }
  if (dimension === undefined) return { raw: '', word: '' };
  const field = camelCase(dimension.toLowerCase());
  const value = fields[field];
  // A key that is not there at all is another answer than the one that was asked for.
  if (value === undefined) throw malformedRow(field, value, `the row's ${field}`);
  if (value === null || value === '') return undefined;
  return { raw: String(value), word: wordOf(part, value, field) };
}

function wordOf(part: Part, value: ProviderValue, field: string): string {
  const raw = String(value);
  if (part === 'hour') {
    const hour = raw.padStart(2, '0');
    if (/^([01]\d|2[0-3])$/.test(hour)) return hour;
    throw malformedRow(field, value, 'an hour from 0 to 23');
  }
  if (/^unknown$/i.test(raw)) return 'unknown';
  return part === 'device' ? (DEVICE_WORDS.get(raw.toUpperCase()) ?? 'other') : raw;
}
