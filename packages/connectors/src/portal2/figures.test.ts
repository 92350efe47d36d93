import { RetryableError } from '@tributary/runtime';
import { countOf, microsOf, textOf } from './figures.ts';
import { compactDay, dayOf } from './report-day.ts';

test.each([
  [12, 12],
  ['12', 12],
  [' 12 ', 12],
  ['9007199254740993', 9007199254740993n],
])('the count %p is %p', (sent, count) => {
  expect(countOf({ imp: sent }, 'imp')).toBe(count);
});

test.each([
  [1500, 1_500_000_000],
  ['1500.5', 1_500_500_000],
  [0.000001, 1],
  [1e-7, 0],
  ['0', 0],
])('the amount %p is %p millionths', (sent, micros) => {
  expect(microsOf({ spending: sent }, 'spending')).toBe(micros);
});

test.each([undefined, null, '', '-', '1,234', -1, '-1', true, 1.5, 2 ** 60, 'NaN'])(
  '%p is no count: the error names field and value',
  (sent) => {
    expect(() => countOf({ imp: sent }, 'imp')).toThrow(RetryableError);
    expect(() => countOf({ imp: sent }, 'imp')).toThrow(/'.*' in imp/);
  },
);

test('an id is text, and must be there', () => {
  expect(textOf({ campaignId: 33 }, 'campaignId')).toBe('33');
  for (const value of ['', null, undefined]) {
    expect(() => textOf({ campaignId: value }, 'campaignId')).toThrow("'nothing' in campaignId");
  }
});

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
  ['20261118', '20261119', "'20261119' in end"],
])('a row from %p to %p is refused', (start, end, words) => {
  expect(() => dayOf({ start, end }, window)).toThrow(words);
});
