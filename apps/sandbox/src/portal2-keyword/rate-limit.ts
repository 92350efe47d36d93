const WINDOW_MS = 1_000;

/** Counts calls within the last second of the sandbox's clock. */
export interface RateLimit {
  /** False when the call is one too many; it is then not counted. */
  take(key: string, now: number): boolean;
}

/** @param perSecond 0 = unlimited */
export function createRateLimit(perSecond: number): RateLimit {
  const calls = new Map<string, number[]>();
  return {
    take(key, now) {
      if (perSecond === 0) return true;
      const recent = (calls.get(key) ?? []).filter((at) => at > now - WINDOW_MS);
      const isAllowed = recent.length < perSecond;
      if (isAllowed) recent.push(now);
      calls.set(key, recent);
      return isAllowed;
    },
  };
}
