import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RetryableError } from '@tributary/runtime';
import fc from 'fast-check';
import type { ReportType } from './layouts.ts';
import { malformedRow, readReportRow } from './report-row.ts';

const SCOPE = { account: '1234567', day: '2026-11-18' };
const KEYWORD = 'nkw-a001-01-000000000000031';

/** The first line of a file as the platform sends it. */
function lineOf(type: ReportType): string {
  const name = `${type.toLowerCase().replaceAll('_', '-')}.tsv`;
  return readFileSync(join(__dirname, 'fixtures', name), 'utf8').split('\n')[0] ?? '';
}
/** The line with the column at `index` changed. */
function changed(type: ReportType, index: number, value: string): string {
  return lineOf(type).split('\t').with(index, value).join('\t');
}
const read = (type: ReportType, line = lineOf(type)) => readReportRow(line, { ...SCOPE, type });

test('a row is known by the columns before its figures', () => {
  const [date, customer, criterion, device] = lineOf('CRITERION').split('\t');
  expect(read('CRITERION')).toEqual({
    key: [date, customer, criterion, device].join('\t'),
    campaign: '',
    group: '',
    keyword: '',
    ad: '',
    hour: '',
    region: '',
    criterion,
    device,
    figures: { impressions: 10, clicks: 1, spend: 100_500_000 },
  });
});

test('a line that is cut off is refused', () => {
  const cut = lineOf('CRITERION').split('\t').slice(0, 6).join('\t');
  expect(() => read('CRITERION', cut)).toThrow(
    "Malformed row of CRITERION: '6' in columns, expected at least 7",
  );
  expect(() => read('AD', '')).toThrow("'1' in columns, expected at least 13");
});

test.each([
  ['campaign', 2, 'cmp-'],
  ['group', 3, 'grp-'],
  ['ad', 5, 'nad-'],
] as const)('an id of another form in the column of the %s is refused', (name, index, prefix) => {
  for (const value of ['', '-', prefix, `x${prefix}1`, `${prefix}1 2`, KEYWORD]) {
    expect(() => read('AD', changed('AD', index, value))).toThrow(
      `Malformed row of AD: '${value}' in ${name}, expected its id`,
    );
  }
});

test('a column too many is noticed by the ids behind it', () => {
  const columns = lineOf('AD').split('\t');
  const shifted = columns.toSpliced(2, 0, 'new').join('\t');
  expect(() => read('AD', shifted)).toThrow("'new' in campaign");
});

test.each([
  ['AD', 9, 'impressions', '-1'],
  ['AD', 9, 'impressions', '1.5'],
  ['AD', 10, 'clicks', ''],
  ['AD', 11, 'cost', '-0.5'],
  ['AD', 11, 'cost', '1,000'],
  ['AD_CONVERSION', 11, 'count', '-1'],
  ['AD_CONVERSION', 12, 'sales', 'NaN'],
] as const)('a line of %s whose column %d, %s, is %p is refused', (type, index, name, value) => {
  const wrong = () => read(type, changed(type, index, value));
  expect(wrong).toThrow(RetryableError);
  expect(wrong).toThrow(
    expect.objectContaining({
      code: 'malformed_row',
      message: `Malformed row of ${type}: '${value}' in ${name}, expected a number of at least 0`,
    }),
  );
});

test('counts keep every digit beyond 2^53, and nothing delivered is zero', () => {
  const figures = (value: string) => read('AD', changed('AD', 9, value)).figures;
  expect(figures('9007199254740993')).toMatchObject({ impressions: 9007199254740993n });
  expect(figures('0')).toMatchObject({ impressions: 0 });
});

test('the day is spelled with or without dashes; another day or customer is refused', () => {
  for (const day of ['20261118', '2026-11-18', '2026-11-18T00:00:00Z']) {
    expect(read('AD', changed('AD', 0, day)).key).toContain(day);
  }
  for (const day of ['20261117', '2026-11-19', '202611181', '']) {
    expect(() => read('AD', changed('AD', 0, day))).toThrow(
      `'${day}' in date, expected '2026-11-18'`,
    );
  }
  expect(() => read('AD', changed('AD', 1, '7654321'))).toThrow(
    "'7654321' in customer, expected '1234567'",
  );
});

test('a long value is cut in the error', () => {
  const text = (length: number) =>
    malformedRow('AD', 'cost', '1'.repeat(length), 'a number').message;
  expect(text(100)).toBe(`Malformed row of AD: '${'1'.repeat(100)}' in cost, expected a number`);
  expect(text(101)).toBe(`Malformed row of AD: '${'1'.repeat(100)}…' in cost, expected a number`);
});

const spendOf = (cost: string) => {
  const { figures } = readReportRow(`20261118\t1\tgrp-1~AG1418\tM\t1\t1\t${cost}`, {
    ...SCOPE,
    type: 'CRITERION',
    account: '1',
  });
  return 'spend' in figures ? figures.spend : undefined;
};

test.each([
  ['0.0', 0],
  ['1.0E7', 10_000_000_000_000],
  ['1.23456789E8', 123_456_789_000_000],
  ['1.5E-1', 150_000],
  ['1.5E0', 1_500_000],
  ['1.2345E7', 12_345_000_000_000],
  ['1.23456789012E7', 12_345_678_901_200],
  ['9.99E-4', 999],
  ['1.0E-7', 0],
  ['123456789.123456', 123_456_789_123_456],
])('the cost %s is %d millionths', (cost, micros) => expect(spendOf(cost)).toBe(micros));

test.each([
  '1E7',
  'x1.5E7',
  '15.0E7',
  '1.5E7x',
  '1.5E100',
  '1.5e7',
  '.5',
  '1.',
  'NaN',
  '1.5E7E1',
  '-1.0',
])('the cost %s is refused', (cost) => {
  expect(() => spendOf(cost)).toThrow(
    `Malformed row of CRITERION: '${cost}' in cost, expected a number of at least 0`,
  );
});

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
