import type { Clock } from '@tributary/runtime';
import type { RateBudget } from '../connector.ts';

/**
 * Closes a budget key for all processes, however long the caller needs. A process that dies leaves it closed for
 * `aheadMs` at most; the first beat comes after half of it, until when the key's own allowance has to hold.
 *
 * @returns ends it: with a time, the key stays closed for so long from then on
 */
export function closeKey(
  { budget, clock }: { budget: RateBudget; clock: Clock },
  key: string,
  aheadMs: number,
): (afterMs?: number) => Promise<void> {
  const close = (forMs: number) => budget.block(key, clock.now() + forMs);
  // A beat that fails is made up for by the next one, or by the last, whose error is thrown.
  const beats = setInterval(() => void close(aheadMs).catch(() => {}), aheadMs / 2);
  return async (afterMs) => {
    clearInterval(beats);
    if (afterMs !== undefined) await close(afterMs);
  };
}
