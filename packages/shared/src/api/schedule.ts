import { z } from 'zod';
import { HistoryDaysSchema } from './credentials.ts';
import { MomentSchema } from './scalars.ts';

/** PUT /link/schedule: pauses or resumes, says how far back days are wanted, or both. */
export const UpdateScheduleBodySchema = z
  .strictObject({
    paused: z.boolean().optional(),
    historyDays: HistoryDaysSchema.optional(),
  })
  .refine(({ paused, historyDays }) => paused !== undefined || historyDays !== undefined, {
    error: 'expected paused, historyDays or both',
    path: ['paused'],
  });

/** When and how far back a link is collected. Times are ISO 8601 UTC. */
export const LinkScheduleSchema = z
  .strictObject({
    id: z.string(),
    /** Nothing is planned or called; what is stored stays readable. */
    paused: z.boolean(),
    pausedSince: MomentSchema,
    /** Days wanted before the one on which an account was first listed. */
    historyDays: HistoryDaysSchema,
    /** When the link is looked at next; null while it is paused or waits for a person. */
    nextPlanAt: MomentSchema,
    /** By id; empty before they are known. */
    accounts: z.array(
      z.strictObject({
        id: z.string(),
        /** The first day that is wanted: days before it are not collected and do not count as missing. */
        historyFrom: z.string(),
        /** When its work is planned next; null when it never is. */
        nextPlanAt: MomentSchema,
      }),
    ),
  })
  .meta({ id: 'LinkSchedule' });
export type LinkSchedule = z.infer<typeof LinkScheduleSchema>;
