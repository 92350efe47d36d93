import { type Day, isDay } from '@tributary/shared';
import { malformedRow } from './figures.ts';
import type { ProviderReportRow } from './schema.ts';

/** `2026-11-18` as the platforms spell it: `20261118`. */
export function compactDay(day: Day): string {
  return day.replaceAll('-', '');
}

/**
 * The one day of a report row (`timeUnit=DAY`); it is spelled with or without dashes.
 *
 * @throws RetryableError `malformed_row` when it is no day of the window, or the row spans several
 */
export function dayOf(
  { start, end }: Pick<ProviderReportRow, 'start' | 'end'>,
  window: { from: Day; to: Day },
): Day {
  const day = start.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  if (!isDay(day) || day < window.from || day > window.to) {
    throw malformedRow('start', start, `a day from ${window.from} to ${window.to}`);
  }
  if (end !== start) throw malformedRow('end', end, `'${start}'`);
  return day;
}
