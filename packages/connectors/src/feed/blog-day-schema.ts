import { z } from 'zod';

const DaySchema = z.iso.date();
/** Unlike the platforms' figures these are JSON numbers: a blog never counts beyond 2^53. */
const CountSchema = z.number().int().nonnegative();
const IdSchema = z.union([z.string().min(1), z.number().int().nonnegative()]).transform(String);

/** One day of the feed; nothing else is accepted, so that a misspelt field is not taken for a zero. */
export const FeedBlogDaySchema = z.strictObject({
  date: DaySchema,
  pageViews: CountSchema,
  visitors: CountSchema,
  visits: CountSchema,
  averageDurationSeconds: z.number().nonnegative().max(Number.MAX_SAFE_INTEGER),
  referrers: z.array(
    z.strictObject({
      id: IdSchema.optional(),
      title: z.string(),
      count: CountSchema,
      detail: z.array(z.strictObject({ title: z.string(), count: CountSchema })).default([]),
    }),
  ),
  posts: z.array(
    z.strictObject({
      id: IdSchema,
      title: z.string(),
      views: CountSchema,
      type: z.string(),
      writtenOn: DaySchema,
    }),
  ),
  neighbours: z.strictObject({ mutual: CountSchema, oneWay: CountSchema, other: CountSchema }),
});
export type FeedBlogDay = z.infer<typeof FeedBlogDaySchema>;

export const FeedBlogPageSchema = z.strictObject({
  days: z.array(FeedBlogDaySchema),
  /** The cursor of the next page; absent on the last one. */
  next: z.string().min(1).nullish(),
});
