import { RetryableError } from '@tributary/runtime';
import { countFromText, type Exact, microsFromDecimal } from '@tributary/shared';
import { figureOf } from '../figure.ts';
import { REPORT_LAYOUTS, type ReportLayout, type ReportType } from './layouts.ts';

/** What the rows of one file must belong to. */
export interface ReportScope {
  type: ReportType;
  /** The customer whose data was asked for. */
  account: string;
  day: string;
}

/** One line of a file, its columns by name. */
export interface ReportRow {
  /** What the platform calls this row; coming twice means that the file is broken. */
  key: string;
  campaign: string;
  group: string;
  keyword: string;
  ad: string;
  criterion: string;
  hour: string;
  region: string;
  device: string;
  figures:
    | { impressions: Exact; clicks: Exact; spend: Exact }
    | { method: string; type: string; conversions: Exact; amount: Exact };
}

/**
 * Reads one line. Ids are held against their form, so that a column too many is noticed.
 *
 * @throws RetryableError `malformed_row`, naming the column and the value
 */
export function readReportRow(line: string, { type, account, day }: ReportScope): ReportRow {
  const layout: ReportLayout = REPORT_LAYOUTS[type];
  const columns = line.split('\t');
  if (columns.length < layout.columnsMin) {
    throw malformedRow(type, 'columns', String(columns.length), `at least ${layout.columnsMin}`);
  }
  const at = (index: number | undefined) => (index === undefined ? '' : (columns[index] ?? ''));
  const id = (name: 'campaign' | 'group' | 'ad', form: RegExp) => {
    const value = at(layout[name]);
    if (layout[name] === undefined || form.test(value)) return value;
    throw malformedRow(type, name, value, 'its id');
  };
  const number = (name: keyof ReportLayout, read: (text: string) => Exact) => {
    const value = at(layout[name]);
    const figure = figureOf(read, value);
    if (figure === undefined) throw malformedRow(type, name, value, 'a number of at least 0');
    return figure;
  };
  const [date = '', customer = ''] = columns;
  if (date.slice(0, 10).replaceAll('-', '') !== day.replaceAll('-', '')) {
    throw malformedRow(type, 'date', date, `'${day}'`);
  }
  if (customer !== account) throw malformedRow(type, 'customer', customer, `'${account}'`);
  return {
    key: columns.slice(0, layout.keyColumns).join('\t'),
    campaign: id('campaign', /^cmp-\S+$/),
    group: id('group', /^grp-\S+$/),
    keyword: at(layout.keyword),
    ad: id('ad', /^nad-\S+$/),
    criterion: at(layout.criterion),
    hour: at(layout.hour),
    region: at(layout.region),
    device: at(layout.device),
    figures:
      layout.method === undefined
        ? {
            impressions: number('impressions', countFromText),
            clicks: number('clicks', countFromText),
            spend: number('cost', micros),
          }
        : {
            method: at(layout.method),
            type: at(layout.type),
            conversions: number('count', micros),
            amount: number('sales', micros),
          },
  };
}

export function malformedRow(
  type: ReportType,
  column: string,
  value: string,
  expected: string,
): RetryableError {
  const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value;
  const text = `Malformed row of ${type}: '${shown}' in ${column}, expected ${expected}`;
  return new RetryableError('malformed_row', text);
}

function micros(text: string): Exact {
  return microsFromDecimal(withoutExponent(text));
}

/** The files write money as Java writes a double: from ten millions on, `1.2345E7`. */
function withoutExponent(text: string): string {
  const match = /^(\d)\.(\d+)E(-?\d{1,2})$/.exec(text);
  if (!match) return text;
  const [, first = '', fraction = '', exponent = ''] = match;
  const shift = Number(exponent);
  if (shift < 0) return `0.${'0'.repeat(-shift - 1)}${first}${fraction}`;
  const digits = first + fraction.padEnd(shift, '0');
  const point = shift + 1;
  return digits.length > point ? `${digits.slice(0, point)}.${digits.slice(point)}` : digits;
}
