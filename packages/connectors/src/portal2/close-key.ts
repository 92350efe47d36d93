import type { Clock } from '@tributary/runtime';
import type { RateBudget } from '../connector.ts';

/**
 * Closes a budget key for all processes, however long the caller needs, and for `afterMs` more once the answer is called.
 * A process that dies leaves the key closed for no longer than that.
 */
export function closeKey(
  { budget, clock }: { budget: RateBudget; clock: Clock },
  key: string,
  afterMs: number,
): () => Promise<void> {
  const close = () => budget.block(key, clock.now() + afterMs);
  // A beat that fails is made up for by the next one, or by the last, whose error is thrown.
  const beats = setInterval(() => void close().catch(() => {}), afterMs / 2);
  return async () => {
    clearInterval(beats);
    await close();
  };
}
