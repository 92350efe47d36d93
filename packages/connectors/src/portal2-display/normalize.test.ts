import { RetryableError } from '@tributary/runtime';
import { CHANNELS, decimalFromMicros, fillOf, type Level, type Part } from '@tributary/shared';
import fc from 'fast-check';
import { ProviderReportRowSchema } from '../portal2/schema.ts';
import { isReported, normalizeRow, type ReportScope } from './normalize.ts';

function scope(part: Part, level: Level = 'c'): ReportScope {
  const found = fillOf(CHANNELS.PORTAL2_DISPLAY, level, part);
  if (!found) throw new Error(`No ${part}`);
  return {
    account: '1',
    from: '2026-11-18',
    to: '2026-11-19',
    fill: found.fill,
    objects: new Map([
      ['1', { campaign: '', adGroup: '', ad: '' }],
      ['7', { campaign: '7', adGroup: '', ad: '' }],
      ['71', { campaign: '7', adGroup: '71', ad: '' }],
      ['711', { campaign: '7', adGroup: '71', ad: '711' }],
    ]),
    conversionWindowDays: 7,
  };
}
const row = (dimensions: object, metrics: object = {}) => ({
  start: '20261118',
  end: '20261118',
  dimensions: { campaignId: 7, ...dimensions },
  metrics: { imp: 1, click: 0, cost: 0, convPurchase7d: 0, convPurchaseP7d: 0, ...metrics },
});

test('every figure keeps its digits, as a number and as text', () => {
  const whole = fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String);
  const decimal = fc
    .tuple(whole, fc.stringMatching(/^\d{0,5}[1-9]$/))
    .map((parts) => parts.join('.'));
  fc.assert(
    fc.property(whole, decimal, decimal, (imp, cost, amount) => {
      const read = normalizeRow(row({}, { imp, cost, convPurchaseP7d: amount }), scope('base'));
      expect(read?.row[4].toString()).toBe(imp);
      expect(decimalFromMicros(read?.row[8] ?? 0)).toBe(cost);
      expect(decimalFromMicros(read?.row[7] ?? 0)).toBe(amount);
    }),
  );
});

test('each hour of the day has its word, and no other text is an hour', () => {
  const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
  for (const hour of hours) {
    const read = normalizeRow(row({ hour: `${hour}:00~${hour}:59` }), scope('hour'));
    expect(read?.row[3]).toBe(hour);
  }
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (hour) => {
      expect(() => normalizeRow(row({ hour }), scope('hour'))).toThrow('in hour, expected');
    }),
  );
});

test("different values never share the key by which a row's coming twice is seen", () => {
  const one = normalizeRow(row({ deviceType: 'Android' }), scope('device'));
  const other = normalizeRow(row({ deviceType: 'iOS' }), scope('device'));
  expect(one?.row[3]).toBe(other?.row[3]);
  expect(one?.key).not.toBe(other?.key);
});

test('a row as the platform writes it has the ids of its object and the figures in our units', () => {
  const sent = {
    start: '2026-11-18',
    end: '2026-11-18',
    metrics: {
      imp: '1200',
      click: 30,
      ctr: 2.5,
      cost: '14250.5',
      reach: 900,
      conv_purchase_1d: 1,
      conv_purchase_7d: 2,
      conv_purchase_p_1d: 20000,
      conv_purchase_p_7d: '61500',
    },
  };
  const read = (level: Level, dimensions: object, conversionWindowDays: 1 | 7 = 7) =>
    normalizeRow(ProviderReportRowSchema.parse({ ...sent, dimensions }), {
      ...scope('base', level),
      conversionWindowDays,
    });
  const figures = [1200, 30, 2_000_000, 61_500_000_000, 14_250_500_000, null, 900];
  expect(read('c', { campaign_id: '7' })).toEqual({
    day: '2026-11-18',
    row: ['7', '', '', '', ...figures],
    key: '2026-11-18 7',
  });
  expect(read('g', { ad_group_id: 71 })?.row).toEqual(['7', '71', '', '', ...figures]);
  expect(read('d', { creative_id: 711 })?.row).toEqual(['7', '71', '711', '', ...figures]);
  for (const account of [{}, { ad_account_id: null }, { ad_account_id: 1 }]) {
    expect(read('a', account)?.row).toEqual(['', '', '', '', ...figures]);
  }
  const [, , , , , , conversions, amount] = read('c', { campaign_id: '7' }, 1)?.row ?? [];
  expect([conversions, amount]).toEqual([1_000_000, 20_000_000_000]);
});

test('an object that was not asked for is refused, and a row that names none', () => {
  const read = (level: Level, dimensions: object) => () =>
    normalizeRow({ ...row({}), dimensions: { ...dimensions } }, scope('base', level));
  expect(read('a', { adAccountId: 2 })).toThrow(
    "'2' in adAccountId, expected an id that was asked for",
  );
  expect(read('c', { campaignId: 8 })).toThrow("'8' in campaignId");
  expect(read('c', {})).toThrow("'nothing' in campaignId, expected the row's campaignId");
  expect(read('g', { campaignId: 7 })).toThrow("'nothing' in adGroupId");
  expect(read('d', { adGroupId: 71 })).toThrow("'nothing' in creativeId");
});

test('days outside the window are refused', () => {
  const read = (day: string) =>
    normalizeRow({ ...row({}), start: day, end: day }, scope('base'))?.day;
  expect([read('20261118'), read('2026-11-19')]).toEqual(['2026-11-18', '2026-11-19']);
  for (const day of ['20261117', '20261120', '20261131']) {
    expect(() => read(day)).toThrow(`'${day}' in start`);
  }
});

test('people are counted where the platform counts them', () => {
  const reach = (metrics: object) => normalizeRow(row({}, metrics), scope('base'))?.row[10];
  expect([reach({}), reach({ reach: null }), reach({ reach: 0 }), reach({ reach: '250' })]).toEqual(
    [null, null, 0, 250],
  );
});

test.each(['imp', 'click', 'cost', 'reach', 'convPurchase7d', 'convPurchaseP7d'])(
  'a row whose %s is no number of at least 0 is refused',
  (field) => {
    for (const value of ['-1', '1,200', '', true]) {
      const wrong = () => normalizeRow(row({}, { [field]: value }), scope('base'));
      expect(wrong).toThrow(RetryableError);
      expect(wrong).toThrow(`'${value}' in ${field}, expected a number of at least 0`);
    }
    if (field === 'reach') return;
    const without = () => normalizeRow(row({}, { [field]: undefined }), scope('base'));
    expect(without).toThrow(`'nothing' in ${field}, expected the row's ${field}`);
  },
);

test.each([
  ['device', 'deviceType', 'PC', 'desktop'],
  ['device', 'deviceType', 'Android', 'mobile'],
  ['device', 'deviceType', 'iOS', 'mobile'],
  ['device', 'deviceType', 'Refrigerator', 'other'],
  ['device', 'deviceType', '알 수 없음', 'unknown'],
  ['gender', 'gender', 'M', 'male'],
  ['gender', 'gender', 'Male', 'male'],
  ['gender', 'gender', '남성', 'male'],
  ['gender', 'gender', 'f', 'female'],
  ['gender', 'gender', 'FEMALE', 'female'],
  ['gender', 'gender', '여성', 'female'],
  ['gender', 'gender', '알수없음', 'unknown'],
  ['gender', 'gender', 'X', 'unknown'],
  ['age', 'age', '25~29', '25-29'],
  ['age', 'age', '25-29', '25-29'],
  ['age', 'age', '25~29세', '25-29'],
  ['age', 'age', '0~5', '0-5'],
  ['age', 'age', '70~', '70+'],
  ['age', 'age', '70+', '70+'],
  ['age', 'age', '70세이상', '70+'],
  ['age', 'age', '70세 이상', '70+'],
  ['age', 'age', 'none', 'unknown'],
  ['age', 'age', '30대', '30대'],
  ['age', 'age', '125~129', '125~129'],
  ['age', 'age', '25~29 months', '25~29 months'],
  ['age', 'age', 'about 25~29', 'about 25~29'],
  ['age', 'age', 70, '70'],
  ['region', 'location', '서울특별시', '서울특별시'],
  ['region', 'location', '미상', 'unknown'],
  ['region', 'location', '알 수없음', 'unknown'],
  ['region', 'location', '알수 없음', 'unknown'],
  ['region', 'location', '-', 'unknown'],
  ['region', 'location', 'unknown', 'unknown'],
  ['region', 'location', 'Unknown City', 'Unknown City'],
  ['region', 'location', 'The unknown', 'The unknown'],
  ['placement', 'placement', 'KAKAO_TALK', 'KAKAO_TALK'],
  ['placement', 'placement', '25~29', '25~29'],
] as const)('the %s in %s, %p, is %s', (part, field, sent, word) => {
  const read = normalizeRow(row({ [field]: sent }), scope(part));
  expect(read?.row.slice(0, 4)).toEqual(['7', '', '', word]);
  expect(read?.key).toBe(`2026-11-18 7 ${sent}`);
});

test.each(['x09:00~09:59', '09:00~09:59x', '09:00~10:59', '24:00~24:59', 'unknown'])(
  'the hour %s is refused',
  (hour) => {
    expect(() => normalizeRow(row({ hour }), scope('hour'))).toThrow(
      `'${hour}' in hour, expected an hour such as 09:00~09:59`,
    );
  },
);

test('an empty value belongs to none; one that is not there is another answer than the one asked for', () => {
  for (const age of ['', null]) expect(normalizeRow(row({ age }), scope('age'))).toBeUndefined();
  expect(() => normalizeRow(row({}), scope('age'))).toThrow("'nothing' in age");
});

test('the platform breaks down every list of the channel, and nothing else', () => {
  expect(CHANNELS.PORTAL2_DISPLAY.lists.every(isReported)).toBe(true);
  expect([isReported('base'), isReported('keyword')]).toEqual([false, false]);
});
