import { gatewayRefusal } from './refusal.ts';

const WINDOW_MS = 1_000;

/**
 * Counts the calls of a second of real time, which a clock that stands still does not stretch. The platform publishes no
 * number, so this one is the sandbox's own.
 */
export function createSpeed(callsPerSecond: number, now = () => performance.now()) {
  let times: number[] = [];
  return {
    /** Throws the gateway's refusal when there were too many in the last second. */
    check(): void {
      if (callsPerSecond === 0) return;
      const at = now();
      times = times.filter((time) => time > at - WINDOW_MS);
      if (times.length >= callsPerSecond) {
        throw gatewayRefusal(429, '012', 'Rate limit exceeded. (speed)');
      }
      times.push(at);
    },
  };
}
