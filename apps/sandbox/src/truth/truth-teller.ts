import { z } from 'zod';
import { parse } from '../control/parse.ts';
import { datesOf, isDate } from '../world/days.ts';

/** What the control endpoints know of a channel's world, apart from its dialect. */
export interface TruthTeller {
  /** All that exists at a moment, removed objects included; absent for the blog. */
  tree?(now: number): unknown[];
  /** What a correct product comes out with; `now` is the default of `at`. */
  truth(query: Record<string, string>, now: number): unknown[];
}

export const TRUTH_LEVELS = ['account', 'campaign', 'adGroup', 'ad'] as const;
export type TruthLevel = (typeof TRUTH_LEVELS)[number];

const TRUTH_DAYS_MAX = 400;

const date = z.string().refine(isDate, 'expected YYYY-MM-DD');
/** The fields that every channel's question has. */
export const RANGE_FIELDS = {
  channel: z.string(),
  start: date,
  end: date,
  at: z.coerce.number().int().optional(),
};
/** The fields of a question about advertising. */
export const ADS_FIELDS = {
  ...RANGE_FIELDS,
  account: z.string(),
  level: z.enum(TRUTH_LEVELS).default('account'),
  id: z.string().optional(),
};

/** Reads a question for some days. */
export function parseRange<T extends z.ZodType<{ start: string; end: string }>>(
  schema: T,
  query: Record<string, string>,
): z.infer<T> {
  const bounded = schema
    .refine(({ start, end }) => start <= end, 'end comes before start')
    .refine(
      ({ start, end }) => datesOf(start, end).length <= TRUTH_DAYS_MAX,
      `at most ${TRUTH_DAYS_MAX} days`,
    );
  return parse(bounded, query) as z.infer<T>;
}
