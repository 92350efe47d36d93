import { RetryableError } from '@tributary/runtime';
import type { BlogDay, Observed } from '@tributary/shared';
import type { FeedBlogDay } from './schema.ts';

/**
 * Days of the feed as observations.
 *
 * @throws RetryableError `malformed_row` for a day outside the window, `duplicate_row` for one that was seen before
 */
export function normalizeBlogDays(
  days: readonly FeedBlogDay[],
  window: { from: string; to: string },
  seen: Set<string>,
): Observed[] {
  return days.map(({ date, ...figures }) => {
    if (date < window.from || date > window.to) {
      const expected = `a day from ${window.from} to ${window.to}`;
      throw new RetryableError('malformed_row', `Unexpected day '${date}', expected ${expected}`);
    }
    if (seen.has(date)) throw new RetryableError('duplicate_row', `The day '${date}' came twice`);
    seen.add(date);
    return { day: date, set: 'blog', rows: [figures satisfies BlogDay] };
  });
}
