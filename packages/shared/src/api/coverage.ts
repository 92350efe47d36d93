import { z } from 'zod';
import { ENTITY_STATUSES } from '../levels.ts';
import { STORED_METRICS } from '../metrics.ts';
import { OPTIONAL_METRICS } from '../not-given.ts';
import { DATA_STATES } from '../state.ts';
import { LevelWordSchema } from './entity.ts';
import { LINK_STATUSES } from './link.ts';
import { CountSchema } from './scalars.ts';

/** How well a range of a link is collected: counted over its accounts, and day by day. */
export const LinkCoverageSchema = z
  .strictObject({
    id: z.string(),
    status: z.enum(LINK_STATUSES),
    /** Why the link waits for a person; null when it does not. */
    reason: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    /** Since when it is paused: no day is read and no attempt is planned. Absent when it is not. */
    pausedSince: z.string().optional(),
    from: z.string(),
    to: z.string(),
    /** Days of the range that should be there, are there with all their totals, and will not change any more. */
    days: z.strictObject({ wanted: CountSchema, collected: CountSchema, final: CountSchema }),
    accounts: z.array(
      z.strictObject({
        id: z.string(),
        title: z.string(),
        zone: z.string(),
        currency: z.string(),
        status: z.enum(ENTITY_STATUSES),
        /**
         * What nobody gives, and why: a list that stays empty, or metrics that stay null. Without `list` the totals are meant
         * and everything below them, without `metrics` the whole list. Absent when there is nothing of that kind.
         */
        notGiven: z
          .array(
            z.strictObject({
              levels: z.array(LevelWordSchema),
              list: z.string().optional(),
              metrics: z.array(z.enum(OPTIONAL_METRICS)).optional(),
              code: z.enum(['not_supported', 'no_feed']),
              detail: z.string(),
            }),
          )
          .optional(),
        /**
         * What was there for the whole account and is no longer, although the account delivers: a list, `total` for the
         * totals, or one metric of it, since the first day without it. Gone when it comes back; absent when there are none.
         */
        upstreamChanges: z
          .array(
            z.strictObject({
              source: z.string(),
              list: z.string(),
              metric: z.enum(STORED_METRICS).optional(),
              since: z.string(),
            }),
          )
          .optional(),
        days: z.array(
          z.strictObject({
            date: z.string(),
            state: z.enum(DATA_STATES),
            /** What the day lacks: the level's word and the list, `total` for the totals. */
            parts: z
              .array(
                z.strictObject({
                  level: z.string(),
                  list: z.string(),
                  /** Only these metrics, which are null for good: the day counts as it would with them. Absent = all of it. */
                  metrics: z.array(z.enum(STORED_METRICS)).optional(),
                  /**
                   * Why the newest attempt gave nothing, and when the next is made; absent when none was made. `cut_off`: what is
                   * there was read before the day was over.
                   */
                  code: z.string().optional(),
                  detail: z.string().optional(),
                  nextAttemptAt: z.string().optional(),
                }),
              )
              .optional(),
            /**
             * Where the entities of a level add up to something else than those of the level above: this level minus the
             * one above, so below zero where entities lack. Only metrics that differ. `lag`: the two were not read at one
             * moment, so a part of it may be what was delivered in between. Absent when there are none.
             */
            gaps: z
              .array(
                z.strictObject({
                  level: LevelWordSchema,
                  above: LevelWordSchema,
                  lag: z.literal(true).optional(),
                  metrics: z.partialRecord(z.enum(STORED_METRICS), z.number()),
                }),
              )
              .optional(),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'LinkCoverage' });
export type LinkCoverage = z.infer<typeof LinkCoverageSchema>;
