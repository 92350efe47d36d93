import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReportType } from './layouts.ts';
import { readReportRow } from './report-row.ts';

const SCOPE = { account: '1234567', day: '2026-11-18' };
const CAMPAIGN = 'cmp-a001-01-000000000000001';
const GROUP = 'grp-a001-01-000000000000011';
const KEYWORD = 'nkw-a001-01-000000000000031';
const AD = 'nad-a001-01-000000000000021';

/** The first line of a file as the platform sends it. */
function lineOf(type: ReportType): string {
  const name = `${type.toLowerCase().replaceAll('_', '-')}.tsv`;
  return readFileSync(join(__dirname, 'fixtures', name), 'utf8').split('\n')[0] ?? '';
}
const keyOf = (type: ReportType, columns: number) =>
  lineOf(type).split('\t').slice(0, columns).join('\t');

const read = (type: ReportType, line = lineOf(type)) => readReportRow(line, { ...SCOPE, type });

const PLACE = { campaign: CAMPAIGN, group: GROUP, keyword: KEYWORD, ad: AD, criterion: '' };
const NO_PLACE = { campaign: '', group: '', keyword: '', ad: '' };
const SALES = { method: '1', type: 'purchase', conversions: 2_000_000, amount: 61_500_000_000 };

test.each([
  [
    'AD',
    {
      ...PLACE,
      hour: '',
      region: '',
      device: 'M',
      key: keyOf('AD', 9),
      figures: { impressions: 839, clicks: 12, spend: 14_250_500_000 },
    },
  ],
  [
    'AD_DETAIL',
    {
      ...PLACE,
      hour: '00',
      region: '09',
      device: 'M',
      key: keyOf('AD_DETAIL', 11),
      figures: { impressions: 800, clicks: 10, spend: 14_000_000_000 },
    },
  ],
  [
    'AD_CONVERSION',
    {
      ...PLACE,
      hour: '',
      region: '',
      device: 'M',
      key: keyOf('AD_CONVERSION', 11),
      figures: SALES,
    },
  ],
  [
    'AD_CONVERSION_DETAIL',
    {
      ...PLACE,
      hour: '23',
      region: '09',
      device: 'M',
      key: keyOf('AD_CONVERSION_DETAIL', 13),
      figures: SALES,
    },
  ],
  [
    'CRITERION',
    {
      ...NO_PLACE,
      criterion: `${GROUP}~AG1418`,
      hour: '',
      region: '',
      device: 'M',
      key: keyOf('CRITERION', 4),
      figures: { impressions: 10, clicks: 1, spend: 100_500_000 },
    },
  ],
  [
    'CRITERION_CONVERSION',
    {
      ...NO_PLACE,
      criterion: `${GROUP}~AG1418`,
      hour: '',
      region: '',
      device: 'M',
      key: keyOf('CRITERION_CONVERSION', 6),
      figures: { method: '2', type: 'purchase', conversions: 1_000_000, amount: 5_000_000_000 },
    },
  ],
] as const)('a line of %s is read by its columns, with and without a tail', (type, expected) => {
  expect(read(type)).toEqual(expected);
  expect(read(type, `${lineOf(type)}\t99\tnew`)).toEqual(expected);
});

test.each([
  ['AD', 13],
  ['AD_DETAIL', 15],
  ['AD_CONVERSION', 13],
  ['AD_CONVERSION_DETAIL', 15],
  ['CRITERION', 7],
  ['CRITERION_CONVERSION', 8],
] as const)('a line of %s has at least %d columns', (type, least) => {
  const columns = lineOf(type).split('\t');
  expect(() => read(type, columns.slice(0, least).join('\t'))).not.toThrow();
  expect(() => read(type, columns.slice(0, least - 1).join('\t'))).toThrow(
    `Malformed row of ${type}: '${least - 1}' in columns, expected at least ${least}`,
  );
});
