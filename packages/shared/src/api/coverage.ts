import { z } from 'zod';
import { ENTITY_STATUSES } from '../levels.ts';
import { DATA_STATES } from '../state.ts';
import { LINK_STATUSES } from './link.ts';

const CountSchema = z.int().min(0);

/** How well a range of a link is collected: counted over its accounts, and day by day. */
export const LinkCoverageSchema = z
  .strictObject({
    id: z.string(),
    status: z.enum(LINK_STATUSES),
    /** Why the link waits for a person; null when it does not. */
    reason: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
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
        /** Lists that are empty because nobody gives them, and why; absent when there are none. */
        notGiven: z
          .array(z.strictObject({ list: z.string(), code: z.string(), detail: z.string() }))
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
                  /** Why the newest attempt gave nothing, and when the next is made; absent when none was made. */
                  code: z.string().optional(),
                  detail: z.string().optional(),
                  nextAttemptAt: z.string().optional(),
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
