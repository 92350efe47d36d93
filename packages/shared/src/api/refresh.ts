import { z } from 'zod';
import { CHANNEL_TYPES } from '../channels.ts';
import { TAG_MAX } from './comment.ts';
import { DaySchema, rangeMistake } from './day.ts';
import { IdSchema } from './entity.ts';
import { LINK_STATUSES } from './link.ts';
import { CountSchema, MomentSchema } from './scalars.ts';
import { blankableText } from './text.ts';

const SELECTORS = ['id', 'tag', 'type'] as const;

/**
 * POST /refresh: one link, all with a tag (a blank one: those without), or all of a channel; a range of at most 400 days,
 * by default the last three.
 */
export const RefreshBodySchema = z
  .strictObject({
    id: IdSchema.optional(),
    tag: blankableText(TAG_MAX).optional(),
    type: z.enum(CHANNEL_TYPES).optional(),
    start: DaySchema.optional(),
    end: DaySchema.optional(),
  })
  .check((context) => {
    const { start, end, ...selectors } = context.value;
    const refuse = (name: string, input: unknown, message: string) =>
      context.issues.push({ code: 'custom', input, path: [name], message });
    const [first, second] = SELECTORS.filter((name) => selectors[name] !== undefined);
    if (!first) refuse('id', undefined, 'expected exactly one of id, tag, type');
    if (second) refuse(second, selectors[second], `expected nothing beside ${first}`);
    if (start === undefined && end === undefined) return;
    if (start === undefined) refuse('start', start, 'expected it with end');
    else if (end === undefined) refuse('end', end, 'expected it with start');
    else {
      const mistake = rangeMistake(start, end);
      if (mistake) refuse('end', end, mistake);
    }
  });

/** GET /refresh/{run} */
export const RefreshRunParamsSchema = z.strictObject({ run: IdSchema });

/** A refresh by hand, and how far it is. Counted are cells: one source (set of calls) of one account and day. */
export const RefreshRunSchema = z
  .strictObject({
    id: z.string(),
    askedAt: z.string(),
    from: z.string(),
    to: z.string(),
    /** The links that were asked for and are not deleted; `reason` tells why one waits for a person. */
    links: z.array(
      z.strictObject({
        id: z.string(),
        status: z.enum(LINK_STATUSES),
        reason: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
        /** It was paused since; the run goes on when it is resumed. */
        paused: z.literal(true).optional(),
      }),
    ),
    /** Rounded down: 100 means that everything was fetched since it was asked. */
    percent: z.int().min(0).max(100),
    planned: CountSchema,
    done: CountSchema,
    failed: CountSchema,
    /** When the first of what is not done may be tried; null when nothing is left that is known. */
    nextAttemptAt: MomentSchema,
    /** The first 100 of what failed. */
    failures: z.array(
      z.strictObject({
        link: z.string(),
        account: z.string(),
        date: z.string(),
        source: z.string(),
        code: z.string().optional(),
        detail: z.string().optional(),
        nextAttemptAt: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'RefreshRun' });
export type RefreshRunRecord = z.infer<typeof RefreshRunSchema>;
