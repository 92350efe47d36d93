import { RetryableError } from '@tributary/runtime';
import { countFromText, type Exact, microsFromDecimal } from '@tributary/shared';
import { figureOf } from '../figure.ts';
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
  const figure = typeof value === 'boolean' ? undefined : figureOf(convert, value);
  if (figure === undefined) throw malformedRow(field, value, 'a number of at least 0');
  return figure;
}

function missing(field: string) {
  return malformedRow(field, undefined, `the row's ${field}`);
}
