import { HOUR_MS, type Zone } from '../world/days.ts';
import { exhausted } from './failure.ts';

/** Operations of one app and day, counted as the platform does: by the Pacific calendar. */
export interface Operations {
  /** Counts one; throws the platform's refusal when the day's are used up. */
  count(): void;
}

/** `perDay` 0 lifts the limit. */
export function createOperations(now: () => number, pacific: Zone, perDay: number): Operations {
  let counted = { day: '', calls: 0 };
  return {
    count() {
      const day = pacific.dateAt(now());
      if (counted.day !== day) counted = { day, calls: 0 };
      if (perDay > 0 && counted.calls >= perDay) {
        const { startMs, hours } = pacific.day(day);
        throw exhausted(Math.ceil((startMs + hours.length * HOUR_MS - now()) / 1000), 'DEVELOPER');
      }
      counted.calls += 1;
    },
  };
}
