import { RetryableError } from '@tributary/runtime';
import { CHANNELS, fillOf, type Level, type Part } from '@tributary/shared';
import { isReported, mayMerge, normalizeInsight, type ReportScope } from './normalize.ts';
import type { ProviderInsight } from './schema.ts';

function scopeOf(level: Level, part: Part): ReportScope {
  const found = fillOf(CHANNELS.SOCIAL_ADS, level, part);
  if (!found) throw new Error(`The channel has no ${part} at level ${level}`);
  const { fill } = found;
  return { account: '42', from: '2026-11-01', to: '2026-11-03', fill, conversion: 'purchase' };
}

const INSIGHT: ProviderInsight = {
  account_id: '42',
  campaign_id: 'c1',
  adset_id: 'g1',
  ad_id: 'd1',
  date_start: '2026-11-02',
  date_stop: '2026-11-02',
  impressions: '1000',
  clicks: 30,
  spend: '12.345678',
  reach: '900',
  actions: [
    { action_type: 'click', value: '7' },
    { action_type: 'purchase', value: '2' },
  ],
  action_values: [{ action_type: 'purchase', value: '61.5' }],
};

const read = (level: Level, part: Part, changes: Partial<ProviderInsight> = {}) =>
  normalizeInsight({ ...INSIGHT, ...changes }, scopeOf(level, part));
const rowOf = (...input: Parameters<typeof read>) => read(...input)?.row;
const wordIn = (part: Part, changes: Partial<ProviderInsight>) => rowOf('c', part, changes)?.[3];
const figuresOf = (...input: Parameters<typeof read>) => rowOf(...input)?.slice(4);

test('a row has the ids down to its level and the figures in our units', () => {
  const figures = [1000, 30, 2_000_000, 61_500_000, 12_345_678, null, 900];
  expect(rowOf('a', 'base')).toEqual(['', '', '', '', ...figures]);
  expect(rowOf('c', 'base')).toEqual(['c1', '', '', '', ...figures]);
  expect(rowOf('g', 'base')).toEqual(['c1', 'g1', '', '', ...figures]);
  expect(rowOf('d', 'base')).toEqual(['c1', 'g1', 'd1', '', ...figures]);
});

test('rows of one day, entity and value have one key, others another', () => {
  const keys = [
    read('c', 'age', { age: '25-34' }),
    read('c', 'age', { age: '35-44' }),
    read('c', 'age', { age: '25-34', campaign_id: 'c2' }),
    read('c', 'age', { age: '25-34', date_start: '2026-11-03', date_stop: '2026-11-03' }),
  ].map((one) => one?.key);
  expect(new Set(keys).size).toBe(4);
  expect(read('c', 'age', { age: '25-34' })).toMatchObject({ day: '2026-11-02', key: keys[0] });
  const below = (campaign_id: string, adset_id: string) =>
    read('g', 'base', { campaign_id, adset_id })?.key;
  expect(below('1', '23')).not.toBe(below('12', '3'));
  expect(read('c', 'base')?.key).toBe(read('c', 'base', { impressions: 5 })?.key);
});

test('an action that did not happen counts zero, one that is told twice is refused', () => {
  const { actions: _, action_values: __, ...without } = INSIGHT;
  const figures = normalizeInsight(without, scopeOf('c', 'base'))?.row.slice(4);
  expect(figures).toEqual([1000, 30, 0, 0, 12_345_678, null, 900]);
  const twice = [
    { action_type: 'purchase', value: '1' },
    { action_type: 'purchase', value: '2' },
  ];
  expect(() => read('c', 'base', { actions: twice })).toThrow(
    "Malformed insights row: '2 x purchase' in actions, expected one entry per type",
  );
  expect(() => read('c', 'base', { action_values: [{ action_type: 'purchase' }] })).toThrow(
    "'nothing' in action_values.purchase",
  );
});

test('metrics that the platform does not give at a place are null', () => {
  const region = figuresOf('c', 'region', { region: 'Seoul' });
  expect(region).toEqual([1000, 30, null, null, 12_345_678, null, 900]);
  const hour = { hourly_stats_aggregated_by_advertiser_time_zone: '09:00:00 - 09:59:59' };
  expect(figuresOf('c', 'hour', hour)).toEqual([1000, 30, null, null, 12_345_678, null, null]);
  const { reach: _, ...older } = INSIGHT;
  expect(normalizeInsight(older, scopeOf('c', 'base'))?.row[10]).toBeNull();
});

test('devices become our words; those that merge have no reach', () => {
  const device = (device_platform: string) => rowOf('c', 'device', { device_platform });
  const told = ['desktop', 'mobile_app', 'mobile_web', 'tablet', 'console', 'Unknown'].map(
    (raw) => {
      const row = device(raw);
      return [raw, row?.[3], row?.[10], row && mayMerge(row)];
    },
  );
  expect(told).toEqual([
    ['desktop', 'desktop', 900, false],
    ['mobile_app', 'mobile', null, true],
    ['mobile_web', 'mobile', null, true],
    ['tablet', 'tablet', 900, false],
    ['console', 'other', null, true],
    ['Unknown', 'unknown', 900, true],
  ]);
});

test('hours are two digits; a row without an hour belongs to none', () => {
  const hour = (text: string | undefined) =>
    read('c', 'hour', {
      ...(text !== undefined && { hourly_stats_aggregated_by_advertiser_time_zone: text }),
    });
  expect(hour('00:00:00 - 00:59:59')?.row[3]).toBe('00');
  expect(hour('23:00:00 - 23:59:59')?.row[3]).toBe('23');
  expect(hour(undefined)).toBeUndefined();
  for (const wrong of [
    '24:00:00 - 24:59:59',
    '09:00:00 - 10:59:59',
    '9',
    'x09:00:00 - 09:59:59',
    '09:00:00 - 09:59:59x',
  ]) {
    expect(() => hour(wrong)).toThrow(`'${wrong}' in hour, expected the row's hour`);
  }
});

test('places without a name are unknown, other values without one are refused', () => {
  expect(wordIn('country', {})).toBe('unknown');
  expect(wordIn('region', { region: '' })).toBe('unknown');
  expect(wordIn('region', { region: 'unknown' })).toBe('unknown');
  for (const region of ['Unknown place', 'A place unknown']) {
    expect(wordIn('region', { region })).toBe(region);
  }
  expect(figuresOf('c', 'region', { region: 'mobile' })?.[6]).toBe(900);
  expect(wordIn('age', { age: '18-24' })).toBe('18-24');
  expect(() => wordIn('age', {})).toThrow("'nothing' in age, expected the row's age");
  expect(() => wordIn('device', {})).toThrow("'nothing' in device");
});

test('a row of another account, or of a day that was not asked for, is refused', () => {
  expect(() => read('c', 'base', { account_id: '43' })).toThrow(
    "'43' in account_id, expected '42'",
  );
  for (const day of ['2026-10-31', '2026-11-04', '2026-11-2', '2026-11-02T', 'x2026-11-02']) {
    const range = { date_start: day, date_stop: day };
    expect(() => read('c', 'base', range)).toThrow(
      `'${day}' in date_start, expected a day from 2026-11-01 to 2026-11-03`,
    );
  }
  for (const day of ['2026-11-01', '2026-11-03']) {
    expect(read('c', 'base', { date_start: day, date_stop: day })?.day).toBe(day);
  }
  const autumn = { ...scopeOf('c', 'base'), to: '2026-12-31' };
  const never = { ...INSIGHT, date_start: '2026-11-31', date_stop: '2026-11-31' };
  expect(() => normalizeInsight(never, autumn)).toThrow("'2026-11-31' in date_start");
  const week = { date_stop: '2026-11-03' };
  expect(() => read('c', 'base', week)).toThrow("'2026-11-03' in date_stop, expected '2026-11-02'");
});

test('a row that lacks an id of its level, or has a figure that is none, is refused by name', () => {
  const { campaign_id: _, ...noCampaign } = INSIGHT;
  const { adset_id: __, ...noGroup } = INSIGHT;
  const { ad_id: ___, ...noAd } = INSIGHT;
  const lacking = (insight: ProviderInsight, level: Level) => () =>
    normalizeInsight(insight, scopeOf(level, 'base'));
  expect(lacking(noCampaign, 'c')).toThrow(
    "'nothing' in campaign_id, expected the row's campaign_id",
  );
  expect(lacking(noGroup, 'g')).toThrow("'nothing' in adset_id");
  expect(lacking(noAd, 'd')).toThrow("'nothing' in ad_id");
  for (const [field, value] of [
    ['impressions', '-1'],
    ['clicks', '1.5'],
    ['spend', '-0.01'],
    ['spend', '1,234'],
    ['reach', 'many'],
  ] as const) {
    const wrong = () => read('c', 'base', { [field]: value });
    expect(wrong).toThrow(`'${value}' in ${field}, expected a number of at least 0`);
    expect(wrong).toThrow(RetryableError);
    expect(wrong).toThrow(expect.objectContaining({ code: 'malformed_row' }));
  }
  expect(figuresOf('c', 'base', { impressions: 0, clicks: 0, spend: 0 })?.slice(0, 2)).toEqual([
    0, 0,
  ]);
});

test('the platform breaks down every list of the channel, and nothing else', () => {
  expect(CHANNELS.SOCIAL_ADS.lists.every(isReported)).toBe(true);
  expect(isReported('base')).toBe(false);
  expect(isReported('keyword')).toBe(false);
});
