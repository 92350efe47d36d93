import type { Dimension } from '@tributary/shared';
import { dimensionWord } from './dimension-words.ts';
import { FeedRowError } from './row-error.ts';

test.each([
  ['age', '18-24', '18-24'],
  ['age', '25 ~ 34', '25-34'],
  ['age', '35~44', '35-44'],
  ['age', '45–54', '45-54'],
  ['age', '18  -  18', '18-18'],
  ['age', '100-104', '100-104'],
  ['age', '05-09', '5-9'],
  ['age', '65+', '65+'],
  ['age', '065+', '65+'],
  ['age', ' Unknown ', 'unknown'],
  ['gender', 'male', 'male'],
  ['gender', 'M', 'male'],
  ['gender', 'FEMALE', 'female'],
  ['gender', 'f', 'female'],
  ['gender', 'UNKNOWN', 'unknown'],
  ['hour', '0', '00'],
  ['hour', '9', '09'],
  ['hour', '09', '09'],
  ['hour', '19', '19'],
  ['hour', '23', '23'],
  ['hour', 'unknown', 'unknown'],
  ['devicePlatform', ' Mobile app ', 'Mobile app'],
  ['publisherGroup', 'unknown', 'unknown'],
  ['publisherGroup', 'Unknown group', 'Unknown group'],
  ['publisherGroup', 'An unknown', 'An unknown'],
  ['placementGroup', 'e\u0301', 'é'],
  ['placementGroup', '지면 😀', '지면 😀'],
  ['placementGroup', 'x'.repeat(500), 'x'.repeat(500)],
  ['placementGroup', `  ${'x'.repeat(500)}  `, 'x'.repeat(500)],
] as const)('the %s %p is %p', (dimension, sent, word) => {
  expect(dimensionWord(dimension, sent)).toBe(word);
});

const AGE = "an age like '25-34' or '65+', or 'unknown'";
const GENDER = "'male', 'female' or 'unknown'";
const HOUR = "an hour, '00' to '23'";
const NAME = 'the publisherGroup, 1 to 500 characters';

test.each([
  ['age', '34-25', AGE],
  ['age', '25', AGE],
  ['age', '25-', AGE],
  ['age', '-34', AGE],
  ['age', '+', AGE],
  ['age', '25 to 34', AGE],
  ['age', 'x25-34', AGE],
  ['age', '25-34x', AGE],
  ['age', '1000-1004', AGE],
  ['age', '1000+', AGE],
  ['age', '65+x', AGE],
  ['age', '65 +', AGE],
  ['gender', 'x', GENDER],
  ['gender', 'males', GENDER],
  ['hour', '24', HOUR],
  ['hour', '30', HOUR],
  ['hour', '009', HOUR],
  ['hour', '-1', HOUR],
  ['hour', '9:00', HOUR],
  ['publisherGroup', '', NAME],
  ['publisherGroup', 'a\u0000b', NAME],
  ['publisherGroup', 'a\nb', NAME],
  ['publisherGroup', 'a\ud800', NAME],
] satisfies [Dimension, string, string][])('the %s %p is refused', (dimension, sent, expected) => {
  const wrong = () => dimensionWord(dimension, sent);
  expect(wrong).toThrow(FeedRowError);
  expect(wrong).toThrow(
    expect.objectContaining({
      field: 'value',
      message: `Invalid value '${sent}' in value, expected ${expected}`,
    }),
  );
});

test('blank and too long names are refused by what was sent', () => {
  expect(() => dimensionWord('placementGroup', '  ')).toThrow("Invalid value '  ' in value");
  expect(() => dimensionWord('placementGroup', 'x'.repeat(501))).toThrow(
    /^Invalid value 'x{80}…' in value, expected the placementGroup, 1 to 500 characters$/,
  );
});
