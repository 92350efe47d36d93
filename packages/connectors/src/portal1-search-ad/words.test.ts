import { ageOf, deviceOf, genderOf, hourOf, isNone, regionOf } from './words.ts';

test.each([
  ['AG1418', '14-18'],
  ['AG0013', '0-13'],
  ['AGXX13', '0-13'],
  ['AG60XX', '60+'],
  ['AG65XX', '65+'],
  ['AGXXXX', 'unknown'],
  ['AG5XXX', 'AG5XXX'],
  ['AGSENIOR', 'AGSENIOR'],
  ['XAG1418', 'XAG1418'],
  ['AG14180', 'AG14180'],
])('the age %s is %s', (code, word) => expect(ageOf(code)).toBe(word));

test.each([
  ['GNM', 'male'],
  ['GNF', 'female'],
  ['GNU', 'unknown'],
  ['GNX', 'unknown'],
])('the gender %s is %s', (code, word) => expect(genderOf(code)).toBe(word));

test.each([
  ['P', 'desktop'],
  ['M', 'mobile'],
  ['T', 'other'],
  ['-', 'unknown'],
  ['', 'unknown'],
])('the device %p is %s', (code, word) => expect(deviceOf(code)).toBe(word));

test.each([
  ['00', '00'],
  ['7', '07'],
  ['07', '07'],
  ['19', '19'],
  ['23', '23'],
  ['-', undefined],
  ['', undefined],
])('the hour %p is %s', (text, word) => expect(hourOf(text)).toBe(word));

test.each(['24', '30', '007', '7h', '-1', ' 7'])('the hour %p is refused', (text) => {
  expect(() => hourOf(text)).toThrow(
    `Malformed row of AD_DETAIL: '${text}' in hour, expected 00 to 23`,
  );
});

test('a region has its name, or its code where the platform names none', () => {
  const names = new Map([['09', '서울특별시']]);
  const words = ['09', '18', '99', '-1', '-', ''].map((code) => regionOf(code, names));
  expect(words).toEqual(['서울특별시', '18', '99', 'unknown', undefined, undefined]);
});

test('both codes of abroad are one region, named or not', () => {
  const words = (names: [string, string][]) =>
    ['0', '00'].map((code) => regionOf(code, new Map(names)));
  expect(words([])).toEqual(['00', '00']);
  expect(words([['00', '국외']])).toEqual(['국외', '국외']);
  expect(words([['0', '국외']])).toEqual(['국외', '국외']);
});

test('an empty column holds nothing or a dash', () => {
  expect(['', '-', '--', '0', ' '].map(isNone)).toEqual([true, true, false, false, false]);
});
