/** The sandbox's time. It runs with real time unless frozen, can be moved on, and never goes back. */
export interface Clock {
  readonly now: () => number;
  isFrozen(): boolean;
  /** Throws RangeError when `now` lies before the present moment. */
  set(change: {
    now?: number | undefined;
    advanceMs?: number | undefined;
    frozen?: boolean | undefined;
  }): void;
}

/** `startMs` is what the clock shows at first; without it the clock shows real time. */
export function createClock(startMs?: number, real: () => number = Date.now): Clock {
  let offset = startMs === undefined ? 0 : startMs - real();
  let frozenAt: number | undefined;
  const now = (): number => frozenAt ?? real() + offset;
  return {
    now,
    isFrozen: () => frozenAt !== undefined,
    set(change) {
      const present = now();
      const next = (change.now ?? present) + (change.advanceMs ?? 0);
      if (next < present) {
        throw new RangeError(`The clock shows ${present} and cannot go back to ${next}`);
      }
      const frozen = change.frozen ?? frozenAt !== undefined;
      frozenAt = frozen ? next : undefined;
      offset = next - real();
    },
  };
}
