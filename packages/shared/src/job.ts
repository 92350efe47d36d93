import { z } from 'zod';
import { LANES } from './account.ts';

/** One turn: up to a minute of work on one account in one lane. Unknown versions are refused, not guessed. */
export const TurnJobSchema = z.strictObject({
  v: z.literal(1),
  /** `<link>.<account>` */
  account: z.string().min(3),
  lane: z.enum(LANES),
});
export type TurnJob = z.infer<typeof TurnJobSchema>;
