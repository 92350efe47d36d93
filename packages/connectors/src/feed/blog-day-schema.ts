import { z } from 'zod';

const DaySchema = z.iso.date();
/** Unlike the platforms' figures these are JSON numbers: a blog never counts beyond 2^53. */
const CountSchema = z.number().int().nonnegative();
const IdSchema = z.union([z.string().min(1), z.number().int().nonnegative()]).transform(String);

/** As it can be stored and read back. */
const TitleSchema = z.string().refine((text) => !/\p{Surrogate}/u.test(text), {
  error: 'expected text without lone surrogates',
});

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
      title: TitleSchema,
      count: CountSchema,
      detail: z.array(z.strictObject({ title: TitleSchema, count: CountSchema })).default([]),
    }),
  ),
  posts: z.array(
    z.strictObject({
      id: IdSchema,
      title: TitleSchema,
      views: CountSchema,
      type: TitleSchema,
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
