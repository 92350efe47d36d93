import { z } from 'zod';
import { daysBetween, isDay } from '../days.ts';

/** Days that one request may span. */
export const RANGE_DAYS_MAX = 400;

const FIRST_DAY = '2000-01-01';
const LAST_DAY = '2099-12-31';

/** A real calendar date `YYYY-MM-DD` of this century. */
export const DaySchema = z
  .string()
  .refine((value) => isDay(value) && value >= FIRST_DAY && value <= LAST_DAY, {
    error: `expected a calendar date YYYY-MM-DD from ${FIRST_DAY} to ${LAST_DAY}`,
    abort: true, // a range is checked only between two real dates
  })
  .meta({ format: 'date' });

/** What is wrong with a range of two real dates, in words that complete "Invalid end,"; undefined = nothing. */
export function rangeMistake(start: string, end: string): string | undefined {
  const days = daysBetween(start, end) + 1;
  if (days < 1) return `expected a date not before start '${start}'`;
  if (days <= RANGE_DAYS_MAX) return undefined;
  return `expected at most ${RANGE_DAYS_MAX} days from start '${start}', not ${days}`;
}

/**
 * A query with `start` and `end`: `end` is not before `start` and the range is at most {@link RANGE_DAYS_MAX} days.
 * Not checked while one of the two is no date, so that each mistake is named once.
 */
export function withRange<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject({ ...shape, start: DaySchema, end: DaySchema }).check((context) => {
    const { start, end } = context.value as { start: string; end: string }; // both are in every shape built here
    const message = rangeMistake(start, end);
    if (message) context.issues.push({ code: 'custom', input: end, path: ['end'], message });
  });
}
