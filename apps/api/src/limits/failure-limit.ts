import { createLru } from '@tributary/runtime';
import type { Allowance } from './allowance.ts';

const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 10_000;

/** Counts a failed authentication of an address, and says whether it may still be told so. */
export type FailureLimit = (address: string) => Allowance;

/** Failures of an address in the minute that began with its first one, in this process. */
export function createFailureLimit({
  perMinute,
  monotonic = () => performance.now(),
}: {
  perMinute: number;
  monotonic?: () => number;
}): FailureLimit {
  const failures = createLru<{ since: number; count: number }>(ADDRESSES_MAX);
  return (address) => {
    const now = monotonic();
    const known = failures.get(address);
    const { since, count } =
      known && now - known.since < WINDOW_MS ? known : { since: now, count: 0 };
    failures.set(address, { since, count: count + 1 });
    return {
      isAllowed: count < perMinute,
      policy: 'address',
      limit: perMinute,
      remaining: Math.max(0, perMinute - count - 1),
      resetSeconds: Math.ceil((since + WINDOW_MS - now) / 1000),
    };
  };
}
