import { RetryableError } from '@tributary/runtime';
import { compareExact, countFromText, type Exact, microsFromDecimal } from '@tributary/shared';
import type { ProviderFields, ProviderValue } from './schema.ts';

/** A count of a report row. */
export function countOf(metrics: ProviderFields, field: string): Exact {
  return read(countFromText, field, metrics[field]);
}

/** Money or conversions of a report row, in millionths. */
export function microsOf(metrics: ProviderFields, field: string): Exact {
  return read(microsFromDecimal, field, metrics[field]);
}

/** A field that must be there, as text. */
export function textOf(fields: ProviderFields, field: string): string {
  const value = fields[field];
  if (value === undefined || value === null || value === '') throw missing(field);
  return String(value);
}

/** An error that names the field and the value of a report row. */
export function malformedRow(field: string, value: ProviderValue, expected: string) {
  const shown = value === undefined ? 'nothing' : String(value).slice(0, 80);
  const text = `Malformed report row: '${shown}' in ${field}, expected ${expected}`;
  return new RetryableError('malformed_row', text);
}

function read(
  convert: (value: string | number) => Exact,
  field: string,
  value: ProviderValue,
): Exact {
  if (value === undefined || value === null) throw missing(field);
  try {
    if (typeof value !== 'boolean') {
      const figure = convert(value);
      if (compareExact(figure, 0) >= 0) return figure;
    }
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
  }
  throw malformedRow(field, value, 'a number of at least 0');
}

function missing(field: string) {
  return malformedRow(field, undefined, `the row's ${field}`);
}
