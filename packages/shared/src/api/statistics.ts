import { z } from 'zod';
import { CHANNEL_TYPES, CHANNELS, type ChannelType } from '../channels.ts';
import { withRange } from './day.ts';
import { IdSchema } from './entity.ts';

/** GET /data/adAccount, /data/campaign, /data/adGroup, /data/ads. */
export const StatisticsQuerySchema = withRange({ id: IdSchema, value: IdSchema });

/** GET /data/blog-portal1 and GET /link/coverage: a range without a `value`. */
export const LinkRangeQuerySchema = withRange({ id: IdSchema });

const SupportedSchema = z.number().nullable();

/** The interface's DataObject (2.3), fields in the order in which they are sent. */
export const DataObjectSchema = z
  .strictObject({
    impressions: z.number(),
    clicks: z.number(),
    conversions: SupportedSchema,
    amount: SupportedSchema,
    spend: z.number(),
    reach: SupportedSchema,
    ppc: SupportedSchema,
    rimp: SupportedSchema,
    ctr: z.number(),
    cpc: z.number(),
    cpm: z.number(),
  })
  .meta({ id: 'DataObject' });
export type DataObject = z.infer<typeof DataObjectSchema>;

/** One day of a channel: `date`, `total` and all lists of the channel's row in the interface's 2.4. */
export function breakdownSchema(type: ChannelType) {
  const lists = CHANNELS[type].lists.map((list) => [
    list,
    z.array(z.strictObject({ [list]: z.string(), data: DataObjectSchema })),
  ]);
  return z
    .strictObject({ date: z.string(), total: DataObjectSchema, ...Object.fromEntries(lists) })
    .meta({ id: `${type}_day` });
}

/** `data` has exactly one key, the record's channel type. */
export const StatisticsSchema = z
  .strictObject({
    date: z.string(),
    data: z.union(
      CHANNEL_TYPES.filter((type) => CHANNELS[type].kind === 'ads').map((type) =>
        z.strictObject({ [type]: z.array(breakdownSchema(type)) }),
      ),
    ),
  })
  .meta({ id: 'Statistics' });

export const AdStatisticsSchema = z
  .strictObject({ date: z.string(), data: DataObjectSchema })
  .meta({ id: 'AdStatistics' });

const RefererShareSchema = z.strictObject({ title: z.string(), percent: z.string() });

export const BlogStatisticsSchema = z
  .strictObject({
    date: z.string(),
    data: z.strictObject({
      visit_pv_cnt: z.number(),
      uv_cnt: z.number(),
      visit_cnt: z.number(),
      referer: z.array(RefererShareSchema.extend({ detail: z.array(RefererShareSchema) })),
      rank_pv: z.array(
        z.strictObject({
          rank: z.number(),
          title: z.string(),
          views: z.number(),
          type: z.string(),
          date: z.string(),
        }),
      ),
      average_duration: z.number(),
      relation_dist: z.strictObject({
        both_way_neighborhood: z.number(),
        one_way_neighborhood: z.number(),
        other: z.number(),
      }),
    }),
  })
  .meta({ id: 'BlogStatistics' });
export type BlogStatistics = z.infer<typeof BlogStatisticsSchema>;
