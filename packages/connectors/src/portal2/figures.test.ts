import { RetryableError } from '@tributary/runtime';
import { countOf, malformedRow, microsOf, textOf } from './figures.ts';

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

test.each([undefined, null])('a figure that is %p is missing, not zero', (sent) => {
  for (const read of [countOf, microsOf]) {
    const wrong = () => read({ imp: sent, click: 1 }, 'imp');
    expect(wrong).toThrow(RetryableError);
    expect(wrong).toThrow(
      expect.objectContaining({
        code: 'malformed_row',
        message: "Malformed report row: 'nothing' in imp, expected the row's imp",
      }),
    );
  }
});

test.each(['', '-', '1,234', -1, '-1', true, false, 1.5, 2 ** 60, 'NaN'])(
  '%p is no count: the error names field and value',
  (sent) => {
    expect(() => countOf({ imp: sent }, 'imp')).toThrow(
      `Malformed report row: '${sent}' in imp, expected a number of at least 0`,
    );
  },
);

test.each(['', '1,234.5', -0.5, '-0.000001', true, 'Infinity'])('%p is no amount', (sent) => {
  expect(() => microsOf({ cost: sent }, 'cost')).toThrow(
    `'${sent}' in cost, expected a number of at least 0`,
  );
});

test('a long value is cut in the error', () => {
  expect(malformedRow('imp', 'x'.repeat(81), 'a number').message).toBe(
    `Malformed report row: '${'x'.repeat(80)}' in imp, expected a number`,
  );
});

test('an id is text, and must be there', () => {
  expect(textOf({ campaignId: 33 }, 'campaignId')).toBe('33');
  for (const value of ['', null, undefined]) {
    expect(() => textOf({ campaignId: value }, 'campaignId')).toThrow("'nothing' in campaignId");
  }
});
