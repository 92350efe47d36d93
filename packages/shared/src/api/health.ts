import { z } from 'zod';
import { LANES } from '../account.ts';
import { ENTITY_STATUSES } from '../levels.ts';
import { LINK_STATUSES } from './link.ts';
import { CountSchema, MomentSchema } from './scalars.ts';

/** What may be wrong with a link. These words stay; `cause` is the word of what failed. */
const HEALTH_PROBLEMS = [
  /** It waits for a person: the grant is rejected, a scope is missing, no account is left open, … */
  'disconnected',
  /** The platform does not tell the link's accounts. */
  'accounts_unreadable',
  /** An account as a whole gives nothing, or its campaigns cannot be read. */
  'account_failing',
  /** Figures of a source could not be read for some days, or were not believed. */
  'source_failing',
  /** Turns keep dying without progress: the lane rests. */
  'poisoned',
  /** The platform asked to wait, or a lane rests after failures. */
  'waiting',
  /** Nothing more is read of an account that was closed or left the list. */
  'account_closed',
  /** Zone or currency changed: the days before are never read again. */
  'figures_frozen',
] as const;

const HealthProblemSchema = z.strictObject({
  code: z.enum(HEALTH_PROBLEMS),
  /** error: wanted figures do not come; notice: nothing has to be done. */
  severity: z.enum(['error', 'notice']),
  cause: z.string().optional(),
  /** A sentence a person can act on. */
  message: z.string(),
  account: z.string().optional(),
  source: z.string().optional(),
  lane: z.enum(LANES).optional(),
  since: z.string().optional(),
  nextAttemptAt: z.string().optional(),
});
export type HealthProblem = z.infer<typeof HealthProblemSchema>;

const AccountHealthSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  status: z.enum(ENTITY_STATUSES),
  zone: z.string(),
  currency: z.string(),
  /** Days before it were counted in another zone or currency and are never read again. */
  frozenBefore: z.string().nullable(),
  /** When the platform last answered with figures. */
  lastReadAt: MomentSchema,
  /** A turn is under way. */
  working: z.boolean(),
  /** When its work is planned next; null when nothing is. */
  nextPlanAt: MomentSchema,
  /** What fails, as the last turn left it at `asOf`; days of each source, and when the first is tried again. */
  failing: z.strictObject({
    asOf: MomentSchema,
    sources: z.array(
      z.strictObject({
        source: z.string(),
        code: z.string(),
        detail: z.string(),
        cells: CountSchema,
        from: z.string(),
        to: z.string(),
        nextAttemptAt: MomentSchema,
      }),
    ),
  }),
  /** Lanes in which nothing is called before `until`. fresh: the last days; bulk: restatement and history. */
  quiet: z.array(
    z.strictObject({
      lane: z.enum(LANES),
      until: z.string(),
      code: z.string(),
      detail: z.string(),
    }),
  ),
  /** The platform allows no call before `waitsUntil`. How many calls are left is not known. */
  budget: z.strictObject({ waitsUntil: MomentSchema }),
});
export type AccountHealth = z.infer<typeof AccountHealthSchema>;

/** How a link is, and why not better. Times are ISO 8601 UTC. */
export const LinkHealthSchema = z
  .strictObject({
    id: z.string(),
    /** False when wanted figures do not come: some problem is an error. A paused link is as healthy as it was. */
    healthy: z.boolean(),
    status: z.enum(LINK_STATUSES),
    /** Why it waits for a person; null when it does not. */
    reason: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    /** When the status became what it is; null when that is not known. */
    since: MomentSchema,
    paused: z.boolean(),
    pausedSince: MomentSchema,
    nextPlanAt: MomentSchema,
    /** Errors first; at most 100 of `problemCount`. */
    problems: z.array(HealthProblemSchema),
    problemCount: CountSchema,
    accounts: z.array(AccountHealthSchema),
  })
  .meta({ id: 'LinkHealth' });
export type LinkHealth = z.infer<typeof LinkHealthSchema>;
