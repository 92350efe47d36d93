import { setImmediate as nextRound } from 'node:timers/promises';

/** Waits for a round of the event loop in which nobody else of those who wait goes on. */
export type TakeTurn = () => Promise<void>;

/** Lets long answers take turns: however many are sent at once, a round of the event loop holds one piece of one of them. */
export function createTurns(): TakeTurn {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => nextRound());
    return last;
  };
}
