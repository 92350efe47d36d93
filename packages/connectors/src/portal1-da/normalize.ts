import { RetryableError } from '@tributary/runtime';
import {
  countFromText,
  type Exact,
  type Figures,
  isDay,
  type Level,
  microsFromDecimal,
} from '@tributary/shared';
import { figureOf } from '../figure.ts';
import type { NormalizedRow } from '../rows.ts';
import type { ProviderPerformance } from './schema.ts';

/** What the rows of one listing must belong to. */
export interface PerformanceScope {
  level: Exclude<Level, 'a'>;
  part: 'base' | 'hour';
  from: string;
  to: string;
}

/**
 * One row of the platform in our units and words.
 *
 * @throws RetryableError `malformed_row`, naming the field and the value
 */
export function normalizePerformance(
  sent: ProviderPerformance,
  scope: PerformanceScope,
): NormalizedRow {
  const day = dayOf(sent.targetDate, scope);
  const value = scope.part === 'hour' ? hourOf(sent.hour) : '';
  const ids = idsOf(sent, scope.level);
  const own = ids['cgd'.indexOf(scope.level)] ?? '';
  return { day, row: [...ids, value, ...figuresOf(sent)], key: `${day} ${own} ${value}` };
}

/** The platform writes `2026-11-18` and `20261118`. */
function dayOf(text: string, { from, to }: PerformanceScope): string {
  const day = text.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  if (!isDay(day) || day < from || day > to) {
    throw malformedRow('targetDate', text, `a day from ${from} to ${to}`);
  }
  return day;
}

function hourOf(sent: string | number | null | undefined): string {
  const text = String(sent ?? 'nothing');
  if (!/^(\d|[01]\d|2[0-3])$/.test(text)) throw malformedRow('hour', text, 'an hour, 0 to 23');
  return text.padStart(2, '0');
}

function idsOf(
  { campaignNo, adSetNo, creativeNo }: ProviderPerformance,
  level: PerformanceScope['level'],
): [string, string, string] {
  const fields = { c: campaignNo, g: adSetNo, d: creativeNo };
  const names = { c: 'campaignNo', g: 'adSetNo', d: 'creativeNo' };
  if (!fields[level]) throw malformedRow(names[level], 'nothing', "the row's own number");
  return [
    campaignNo ?? '',
    level === 'c' ? '' : (adSetNo ?? ''),
    level === 'd' ? (creativeNo ?? '') : '',
  ];
}

function figuresOf({
  impCount,
  clickCount,
  convCount,
  convSales,
  sales,
}: ProviderPerformance): Figures {
  return [
    read(countFromText, 'impCount', impCount),
    read(countFromText, 'clickCount', clickCount),
    read(microsFromDecimal, 'convCount', convCount),
    read(microsFromDecimal, 'convSales', convSales),
    read(microsFromDecimal, 'sales', sales),
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
  if (figure === undefined) throw malformedRow(field, value, 'a number of at least 0');
  return figure;
}

function malformedRow(field: string, value: string | number, expected: string): RetryableError {
  const text = `Malformed performance row: '${value}' in ${field}, expected ${expected}`;
  return new RetryableError('malformed_row', text);
}
