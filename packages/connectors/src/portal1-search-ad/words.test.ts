import fc from 'fast-check';
import { readReportRow } from './report-row.ts';
import { createSeenKeys } from './seen-keys.ts';
import { ageOf, deviceOf, genderOf, hourOf, regionOf } from './words.ts';

test.each([
  ['AG1418', '14-18'],
  ['AG0013', '0-13'],
  ['AGXX13', '0-13'],
  ['AG60XX', '60+'],
  ['AG65XX', '65+'],
  ['AGXXXX', 'unknown'],
  ['AGSENIOR', 'AGSENIOR'],
])('the age %s is %s', (code, word) => expect(ageOf(code)).toBe(word));

test('genders, devices, hours and regions become our words', () => {
  expect(['GNM', 'GNF', 'GNU', 'GNX'].map(genderOf)).toEqual([
    'male',
    'female',
    'unknown',
    'unknown',
  ]);
  expect(['P', 'M', 'T', '-', ''].map(deviceOf)).toEqual([
    'desktop',
    'mobile',
    'other',
    'unknown',
    'unknown',
  ]);
  expect(['00', '7', '23', '-', ''].map(hourOf)).toEqual(['00', '07', '23', undefined, undefined]);
  expect(() => hourOf('24')).toThrow("'24' in hour");
  const names = new Map([['09', '서울특별시']]);
  expect(['09', '18', '0', '00', '99', '-1', ''].map((code) => regionOf(code, names))).toEqual([
    '서울특별시',
    '18',
    '00',
    '00',
    '99',
    'unknown',
    undefined,
  ]);
});

const scope = { type: 'CRITERION', account: '1', day: '2026-11-18' } as const;
const spendOf = (cost: string) => {
  const { figures } = readReportRow(`20261118\t1\tgrp-1~AG1418\tM\t1\t1\t${cost}`, scope);
  return 'spend' in figures ? figures.spend : undefined;
};

test.each([
  ['0.0', 0],
  ['1.2345E7', 12_345_000_000_000],
  ['1.23456789012E7', 12_345_678_901_200],
  ['9.99E-4', 999],
  ['1.0E-7', 0],
  ['123456789.123456', 123_456_789_123_456],
])('the cost %s is %d millionths', (cost, micros) => expect(spendOf(cost)).toBe(micros));

test.each(['1E7', '1.5e7', '.5', '1.', 'NaN', '1.5E7E1', '-1.0'])(
  'the cost %s is refused',
  (cost) => {
    expect(() => spendOf(cost)).toThrow(`'${cost}' in cost`);
  },
);

test('money with an exponent is the money without it, to the digit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 10n ** 13n, max: 10n ** 20n }), (micros) => {
      const digits = String(micros);
      const exponent = digits.length - 7;
      const fraction = digits.slice(1).replace(/0+$/, '') || '0';
      expect(BigInt(spendOf(`${digits[0]}.${fraction}E${exponent}`) ?? -1)).toBe(micros);
    }),
  );
});

test('a key that comes twice is noticed, and no other', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 40 }),
      fc.nat(),
      (keys, pick) => {
        const seen = createSeenKeys();
        for (const key of keys) seen.add(key);
        expect(() => seen.add(keys[pick % keys.length] ?? '')).toThrow('came twice');
      },
    ),
  );
  const many = createSeenKeys();
  for (let n = 0; n < 100_000; n += 1) many.add(`20261118\t1\tcmp-1\tgrp-${n}\tnkw-${n % 7}\tM`);
});
