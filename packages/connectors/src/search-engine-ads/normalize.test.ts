import { RetryableError } from '@tributary/runtime';
import { CHANNELS, fillOf, type Level, type Part } from '@tributary/shared';
import { normalizeRow, type Scope } from './normalize.ts';
import { ProviderRowSchema } from './schema.ts';

const DAY = '2026-11-18';

function scopeOf(level: Level, part: Part): Scope {
  const found = fillOf(CHANNELS.SEARCH_ENGINE_ADS, level, part);
  if (!found) throw new Error(`The channel has no ${part} at level ${level}`);
  return { account: '1234567890', from: '2026-11-17', to: '2026-11-19', fill: found.fill };
}

/** A row as the platform writes it: 64-bit numbers as text, doubles as numbers. */
const ROW = {
  customer: { id: '1234567890' },
  campaign: { id: '20111222333' },
  adGroup: { id: '150111222333' },
  adGroupAd: { ad: { id: '680111222333' } },
  segments: { date: DAY },
  metrics: {
    impressions: '1203',
    clicks: '41',
    costMicros: '61500000',
    conversions: 1.333333,
    conversionsValue: 45000.5,
  },
};
const read = (level: Level, part: Part, changes: object = {}) =>
  normalizeRow(ProviderRowSchema.parse({ ...ROW, ...changes }), scopeOf(level, part));
const segment = (part: Part, segments: object) =>
  read('c', part, { segments: { date: DAY, ...segments } });
const criterion = (part: Part, adGroupCriterion: object) =>
  read('g', part, { adGroupCriterion: { criterionId: '301', ...adGroupCriterion } });
const figuresOf = (metrics: object) => read('a', 'base', { metrics }).row.slice(4);

test('a row has the ids down to its level; cost is in millionths already, conversions are not', () => {
  const figures = [1203, 41, 1_333_333, 45_000_500_000, 61_500_000, null, null];
  const ids = ['20111222333', '150111222333', '680111222333'];
  expect(read('a', 'base').row).toEqual(['', '', '', '', ...figures]);
  expect(read('c', 'base').row).toEqual([ids[0], '', '', '', ...figures]);
  expect(read('g', 'base').row).toEqual([ids[0], ids[1], '', '', ...figures]);
  expect(read('d', 'base').row).toEqual([...ids, '', ...figures]);
  expect(read('d', 'base').day).toBe(DAY);
});

test('figures keep every digit beyond 2^53; one that is left out is zero', () => {
  const metrics = { impressions: '9007199254740993', costMicros: '90071992547409930001' };
  expect(figuresOf(metrics)).toEqual([
    9007199254740993n,
    0,
    0,
    0,
    90071992547409930001n,
    null,
    null,
  ]);
  expect(figuresOf({})).toEqual([0, 0, 0, 0, 0, null, null]);
  expect(figuresOf({ conversions: 0.0000004, conversionsValue: 0.0000005 }).slice(2, 4)).toEqual([
    0, 1,
  ]);
});

test.each([
  ['impressions', { impressions: '-1' }, '-1'],
  ['clicks', { clicks: '1.5' }, '1.5'],
  ['conversions', { conversions: -0.5 }, '-0.5'],
  ['conversions_value', { conversionsValue: 'NaN' }, 'NaN'],
  ['cost_micros', { costMicros: '1e9' }, '1e9'],
])('%s that are no number of at least 0 are refused', (field, metrics, shown) => {
  const wrong = () => figuresOf(metrics);
  expect(wrong).toThrow(RetryableError);
  expect(wrong).toThrow(
    expect.objectContaining({
      code: 'malformed_row',
      message: `Malformed search row: '${shown}' in metrics.${field}, expected a number of at least 0`,
    }),
  );
});

test.each([
  ['MOBILE', 'mobile'],
  ['DESKTOP', 'desktop'],
  ['TABLET', 'tablet'],
  ['CONNECTED_TV', 'tv'],
  ['OTHER', 'other'],
  ['SMART_MIRROR', 'other'],
  ['UNKNOWN', 'unknown'],
  ['UNSPECIFIED', 'unknown'],
  [undefined, 'unknown'],
])('the device %s is %s', (device, word) => {
  expect(segment('device', device === undefined ? {} : { device }).row[3]).toBe(word);
});

test('hours are two digits; a zero that is left out is midnight', () => {
  const hours = [{ hour: 9 }, { hour: 23 }, { hour: 0 }, {}];
  expect(hours.map((one) => segment('hour', one).row[3])).toEqual(['09', '23', '00', '00']);
  expect(segment('hour', {}).key).toBe(segment('hour', { hour: 0 }).key);
});

test.each([
  ['AGE_RANGE_18_24', '18-24'],
  ['AGE_RANGE_65_UP', '65+'],
  ['AGE_RANGE_13_17', '13-17'],
  ['AGE_RANGE_UNDETERMINED', 'unknown'],
  ['AGE_RANGE_UNKNOWN', 'unknown'],
  ['UNSPECIFIED', 'unknown'],
])('the age %s is %s', (type, word) => {
  expect(criterion('age', { ageRange: { type } }).row[3]).toBe(word);
});

test.each([
  'AGE_RANGE_18',
  'AGE_RANGE_18_24_X',
  'OLD_18_24',
  'AGE_RANGE_X_24',
  'AGE_RANGE_18_UPWARD',
])('the age %s is refused', (type) => {
  expect(() => criterion('age', { ageRange: { type } })).toThrow(
    `'${type}' in age_range.type, expected the row's age_range.type`,
  );
});

test.each([
  ['MALE', 'male'],
  ['FEMALE', 'female'],
  ['UNDETERMINED', 'unknown'],
])('the gender %s is %s', (type, word) => {
  expect(criterion('gender', { gender: { type } }).row[3]).toBe(word);
});

test('a keyword is its text, or its id where it has none', () => {
  expect(criterion('keyword', { keyword: { text: '러닝화 "할인"' } }).row[3]).toBe('러닝화 "할인"');
  for (const told of [{ keyword: { text: '' } }, { keyword: {} }, {}]) {
    expect(criterion('keyword', told).row[3]).toBe('301');
  }
});

describe('a region', () => {
  const region = (geoTargetRegion?: string, userLocationView?: object) =>
    read('g', 'region', {
      segments: { date: DAY, ...(geoTargetRegion && { geoTargetRegion }) },
      ...(userLocationView && { userLocationView }),
    });

  test('is its id; without one it is unknown', () => {
    expect(region('geoTargetConstants/1009871').row[3]).toBe('1009871');
    expect(region().row[3]).toBe('unknown');
  });

  test.each([
    'geoTargetConstants/',
    'geoTargetConstants/1009871/x',
    'x/geoTargetConstants/1009871',
    '1009871',
  ])('%s is refused', (name) => {
    expect(() => region(name)).toThrow(
      `'${name}' in geo_target_region, expected the row's geo_target_region`,
    );
  });

  test('of another country, targeted or not, is another row', () => {
    const name = 'geoTargetConstants/1009871';
    const keys = [
      region(name, { countryCriterionId: '2410' }),
      region(name, { countryCriterionId: '2410', targetingLocation: true }),
      region(name, { countryCriterionId: '2392' }),
      region(name),
      region(undefined, { countryCriterionId: '2410' }),
    ].map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(region(name, { countryCriterionId: '2410', targetingLocation: false }).key).toBe(
      keys[0],
    );
    expect(region(name, { targetingLocation: false }).key).toBe(region(name).key);
  });
});

test('rows of one word are told apart by what the platform calls them', () => {
  const apart = [
    [segment('device', { device: 'OTHER' }), segment('device', { device: 'SMART_MIRROR' })],
    [criterion('keyword', {}), criterion('keyword', { criterionId: '302' })],
    ['10', '11'].map((criterionId) =>
      criterion('gender', { gender: { type: 'MALE' }, criterionId }),
    ),
    [segment('hour', { hour: 1 }), segment('hour', { hour: 11 })],
    [read('c', 'base'), read('c', 'base', { campaign: { id: '2' } })],
    [read('a', 'base'), read('a', 'base', { segments: { date: '2026-11-19' } })],
  ];
  for (const [one, other] of apart) expect(one?.key).not.toBe(other?.key);
  const below = (campaign: string, adGroup: string) =>
    read('g', 'base', { campaign: { id: campaign }, adGroup: { id: adGroup } }).key;
  expect(below('1', '23')).not.toBe(below('12', '3'));
  expect(read('c', 'base').key).toBe(read('c', 'base', { metrics: {} }).key);
  expect(segment('device', {}).key).toBe(segment('device', { device: 'UNSPECIFIED' }).key);
});

test.each([
  ['campaign.id', 'c', 'base', { campaign: undefined }],
  ['ad_group.id', 'g', 'base', { adGroup: undefined }],
  ['ad_group_ad.ad.id', 'd', 'base', { adGroupAd: undefined }],
  ['age_range.type', 'g', 'age', {}],
  ['age_range.type', 'g', 'age', { adGroupCriterion: { criterionId: '1', ageRange: {} } }],
  ['gender.type', 'g', 'gender', {}],
  ['age_range.type', 'g', 'age', { adGroupCriterion: { criterionId: '1' } }],
  ['gender.type', 'g', 'gender', { adGroupCriterion: { criterionId: '1', gender: {} } }],
  ['gender.type', 'g', 'gender', { adGroupCriterion: { criterionId: '1' } }],
  ['ad_group_criterion.criterion_id', 'g', 'keyword', {}],
] as const)('a row without %s at level %s of %s is refused', (field, level, part, changes) => {
  expect(() => read(level, part, changes)).toThrow(
    `Malformed search row: 'nothing' in ${field}, expected the row's ${field}`,
  );
});

test('a list that the platform does not have is refused by its name', () => {
  const { fill, ...scope } = scopeOf('c', 'base');
  const country = { ...scope, fill: { ...fill, part: 'country' } } as const;
  expect(() => normalizeRow(ProviderRowSchema.parse(ROW), country)).toThrow("'nothing' in country");
});

test('a row of another account, or of a day that was not asked for, is refused', () => {
  expect(() => read('a', 'base', { customer: { id: '1' } })).toThrow(
    "'1' in customer.id, expected '1234567890'",
  );
  for (const date of ['2026-11-17', '2026-11-19']) {
    expect(read('a', 'base', { segments: { date } }).day).toBe(date);
  }
  for (const date of ['2026-11-16', '2026-11-20', '2026-11-18T', '2026-11-1', 'x2026-11-18', '']) {
    expect(() => read('a', 'base', { segments: { date } })).toThrow(
      `'${date}' in segments.date, expected a day from 2026-11-17 to 2026-11-19`,
    );
  }
});

test('a date that no calendar has is refused', () => {
  const scope = { ...scopeOf('a', 'base'), from: '2026-11-01', to: '2026-12-31' };
  const row = ProviderRowSchema.parse({ ...ROW, segments: { date: '2026-11-31' } });
  expect(() => normalizeRow(row, scope)).toThrow("'2026-11-31' in segments.date");
});
