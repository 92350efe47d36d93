import { RetryableError } from '@tributary/runtime';
import type { BlogDay, Day, Observed } from '@tributary/shared';
import type { NormalizedRow } from '../rows.ts';
import { type FeedBlogDay, FeedBlogDaySchema } from './blog-day-schema.ts';
import { parseRow } from './parse-row.ts';
import { FeedRowError, wrongField } from './row-error.ts';

/** Days that rows may belong to, both included. */
export interface FeedDays {
  from: Day;
  to: Day;
}

/**
 * One day of a blog, as a feed or a file has it.
 *
 * @throws FeedRowError naming field and value
 */
export function normalizeBlogDay(row: unknown, days: FeedDays): NormalizedRow<BlogDay> {
  const { date, ...figures } = parseRow(row, FeedBlogDaySchema);
  checkDay(date, days);
  return { day: date, row: figures, key: date };
}

/** @throws FeedRowError for a day outside of those that are wanted */
export function checkDay(day: Day, { from, to }: FeedDays): void {
  if (day < from || day > to) throw wrongField('date', day, `a day from ${from} to ${to}`);
}

/**
 * Days of the feed as observations.
 *
 * @throws RetryableError `malformed_row` for a day outside the window, `duplicate_row` for one that was seen before
 */
export function normalizeBlogDays(
  days: readonly FeedBlogDay[],
  window: FeedDays,
  seen: Set<string>,
): Observed[] {
  return days.map((one) => {
    const { day, row, key } = asMalformed(() => normalizeBlogDay(one, window));
    addOnce(seen, key, `The day '${day}'`);
    return { day, set: 'blog', rows: [row] };
  });
}

/** What a person can mend in a file is a malformed answer of a feed. */
export function asMalformed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FeedRowError)) throw error;
    throw new RetryableError('malformed_row', error.message, { cause: error });
  }
}

/** @throws RetryableError `duplicate_row`: two rows of one key are a mistake, never a sum */
export function addOnce(seen: Set<string>, key: string, what: string): void {
  if (seen.has(key)) throw new RetryableError('duplicate_row', `${what} came twice`);
  seen.add(key);
}
