import { z } from 'zod';

export const BlogCredentialsSchema = z.strictObject({
  /** Sent as a bearer token to the feed. */
  feedToken: z.string().min(1).optional(),
});
export type BlogCredentials = z.infer<typeof BlogCredentialsSchema>;

export const BlogSettingsSchema = z.strictObject({
  /** The owner's exporter; without it the blog's days are imported as a file. */
  feedUrl: z.string().min(1).max(2_000).optional(),
  timezone: z
    .string()
    .refine(isTimeZone, { error: 'expected an IANA time zone such as Asia/Seoul' })
    .optional(),
  historyDays: z.number().int().min(1).max(1120).optional(),
});
export type BlogSettings = z.infer<typeof BlogSettingsSchema>;

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
  averageDurationSeconds: z.number().nonnegative(),
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

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
