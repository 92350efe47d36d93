import { retryAfter } from './retry-after.ts';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);

test.each([
  ['30', 30_000],
  ['0', 0],
  ['Sat, 21 Nov 2026 12:05:00 GMT', 300_000],
  ['999999', 3_600_000],
  ['99999999999999999999', 3_600_000],
  ['Sun, 21 Nov 2027 12:05:00 GMT', 3_600_000],
])('%s is a wait of %d ms', (header, waitMs) => {
  expect(retryAfter(header, NOW) - NOW).toBe(waitMs);
});

test.each([undefined, '', '-1', 'soon', '1.5', 'Sat, 21 Nov 2026 11:00:00 GMT'])(
  '%p becomes the default of a minute with jitter',
  (header) => {
    const waitMs = retryAfter(header, NOW) - NOW;
    expect(waitMs).toBeGreaterThanOrEqual(60_000);
    expect(waitMs).toBeLessThanOrEqual(90_000);
  },
);
