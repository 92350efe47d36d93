import { compactDay, dayOf } from './report-day.ts';

const window = { from: '2026-11-18', to: '2026-11-19' };

test('a day is spelled with or without dashes', () => {
  expect(compactDay('2026-11-18')).toBe('20261118');
  expect(dayOf({ start: '20261118', end: '20261118' }, window)).toBe('2026-11-18');
  expect(dayOf({ start: '2026-11-19', end: '2026-11-19' }, window)).toBe('2026-11-19');
});

test.each([
  ['20261117', '20261117', "'20261117' in start"],
  ['20261120', '20261120', "'20261120' in start"],
  ['20261131', '20261131', "'20261131' in start"],
  ['', '', "'' in start"],
  ['x20261118', 'x20261118', "'x20261118' in start"],
  ['202611181', '202611181', "'202611181' in start"],
  ['20261118', '20261119', "'20261119' in end"],
])('a row from %p to %p is refused', (start, end, words) => {
  expect(() => dayOf({ start, end }, window)).toThrow(words);
});

test('errors say which days were asked for', () => {
  expect(() => dayOf({ start: '20261117', end: '20261117' }, window)).toThrow(
    "Malformed report row: '20261117' in start, expected a day from 2026-11-18 to 2026-11-19",
  );
  expect(() => dayOf({ start: '20261118', end: '2026-11-18' }, window)).toThrow(
    "'2026-11-18' in end, expected '20261118'",
  );
});
