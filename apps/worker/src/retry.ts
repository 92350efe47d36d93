import type { Millis } from '@tributary/shared';

const FIRST_MS = 5 * 60_000;
const LONGEST_MS = 6 * 60 * 60_000;
const DOUBLINGS_MAX = 10;

/** When something that failed `tries` times in a row is tried again: 5 min, doubled up to 6 h, the last quarter by chance. */
export function retryAt(now: Millis, tries: number, random: () => number): Millis {
  const wait = Math.min(FIRST_MS * 2 ** Math.min(tries - 1, DOUBLINGS_MAX), LONGEST_MS);
  return now + Math.round(wait * (0.75 + 0.25 * random()));
}

/** For what will fail the same way until somebody changes something. */
export function retryLate(now: Millis, random: () => number): Millis {
  return now + Math.round(LONGEST_MS * (0.75 + 0.25 * random()));
}
