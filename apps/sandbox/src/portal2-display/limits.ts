import { tooManyCalls } from './moment-error.ts';

const GAP_MS = { slow: 5_000, fast: 1_000 } as const;

/** How often a kind of report may be asked for: `fast` for ad groups, `slow` for all others. */
export type Pace = keyof typeof GAP_MS;

export interface CallGaps {
  /** Counts a call of an account that names so many ids. @throws MomentError when it comes too soon */
  count(pace: Pace, call: { app: string; account: string; ids: number }): void;
}

/**
 * The documented pause after the last call: of the ad account when one id is asked for, of the app when several are. The
 * platform's words leave open whether the slow reports share it; here they do.
 */
export function createCallGaps(now: () => number, isLimited: boolean): CallGaps {
  const last = new Map<string, number>();
  return {
    count(pace, { app, account, ids }) {
      if (!isLimited) return;
      const key = ids > 1 ? `${pace}/app/${app}` : `${pace}/account/${account}`;
      const at = now();
      if (at - (last.get(key) ?? -Infinity) < GAP_MS[pace]) throw tooManyCalls();
      last.set(key, at);
    },
  };
}
