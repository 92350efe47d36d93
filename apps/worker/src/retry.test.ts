import fc from 'fast-check';
import { retryAt, retryLate } from './retry.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const now = Date.UTC(2026, 10, 21, 12);
const minutes = (at: number) => (at - now) / MINUTE_MS;

test('waits 5 minutes after the first failure and twice as long after each further one, up to 6 hours', () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((tries) =>
    minutes(retryAt(now, tries, () => 1)),
  );
  expect(longest).toEqual([5, 10, 20, 40, 80, 160, 320, 360, 360]);
  const shortest = [1, 2, 8].map((tries) => minutes(retryAt(now, tries, () => 0)));
  expect(shortest).toEqual([3.75, 7.5, 270]);
});

test('chance moves a retry within its last quarter only, however often it failed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (tries, chance) => {
        const wait = retryAt(now, tries, () => chance) - now;
        const whole = Math.min(5 * MINUTE_MS * 2 ** Math.min(tries - 1, 20), 6 * HOUR_MS);
        expect(Number.isInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(0.75 * whole);
        expect(wait).toBeLessThanOrEqual(whole);
      },
    ),
  );
});

test('what will fail the same way is tried again four and a half to six hours later', () => {
  expect([0, 1].map((chance) => minutes(retryLate(now, () => chance)))).toEqual([270, 360]);
});
