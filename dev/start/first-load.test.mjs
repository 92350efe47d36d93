// @ts-check
import { isSettled, rangeEndingAt } from './first-load.mjs';

test('the newest 90 days end yesterday', () => {
  const range = rangeEndingAt(Date.parse('2026-03-01T12:00:00Z'), 90);
  expect(range).toEqual({ start: '2025-12-01', end: '2026-02-28' });
});

test.each([
  [{ status: 'Completed', wanted: 90, collected: 90 }, true],
  [{ status: 'Completed', wanted: 90, collected: 89 }, false],
  [{ status: 'Linking', wanted: 90, collected: 90 }, false],
  [{ status: 'Completed', wanted: 0, collected: 0 }, false],
  [{ status: 'Disconnect', wanted: 90, collected: 3 }, true],
])('a first load is over when nothing more will come: %j → %s', (progress, expected) => {
  expect(isSettled({ title: 't', ...progress })).toBe(expected);
});
