import { RetryableError } from '@tributary/runtime';
import fc from 'fast-check';
import { ProviderReportRowSchema } from '../portal2/schema.ts';
import { keywordIdOf, normalizeRow, type ReportScope } from './normalize.ts';

const SCOPE: ReportScope = {
  account: '4',
  from: '2026-11-18',
  to: '2026-11-18',
  level: 'c',
  part: 'device',
  dimension: 'DEVICE',
  campaign: undefined,
  conversionWindowDays: 7,
  keywords: new Map(),
};
const count = fc.bigInt({ min: 0n, max: 10n ** 18n });
/** Money as the platform may write it: at most six decimals, as a number only where a double holds it. */
const micros = fc.bigInt({ min: 0n, max: 10n ** 20n });
const decimal = (value: bigint) => {
  const digits = String(value).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
};
const row = (dimensions: object, metrics: object) => ({
  start: '20261118',
  end: '20261118',
  dimensions: { campaignId: '3', device: 'PC', ...dimensions },
  metrics: {
    imp: 1,
    click: 0,
    spending: 0,
    rimp: 1,
    convPurchase7d: 0,
    convPurchaseP7d: 0,
    ...metrics,
  },
});

test('keeps every unit of every figure, however long', () => {
  fc.assert(
    fc.property(fc.tuple(count, count, micros, micros, micros, count), (figures) => {
      const [imp, click, conversions, amount, spend, rimp] = figures;
      const metrics = {
        imp: String(imp),
        click: String(click),
        convPurchase7d: decimal(conversions),
        convPurchaseP7d: decimal(amount),
        spending: decimal(spend),
        rimp: String(rimp),
      };
      const told = normalizeRow(row({}, metrics), SCOPE)?.row.slice(4);
      expect(told?.map((value) => (value === null ? null : BigInt(value ?? -1)))).toEqual([
        ...figures,
        null,
      ]);
    }),
  );
});

test('reads every hour of the day in two digits, and no other', () => {
  const scope = { ...SCOPE, part: 'hour', dimension: 'HOUR' } as const;
  const hourOf = (hour: unknown) => normalizeRow(row({ hour }, {}), scope)?.row[3];
  for (let hour = 0; hour < 24; hour += 1) {
    expect(hourOf(hour)).toBe(String(hour).padStart(2, '0'));
    expect(hourOf(String(hour))).toBe(String(hour).padStart(2, '0'));
  }
  const others = fc.oneof(
    fc.integer({ min: 24 }),
    fc.integer({ max: -1 }),
    fc.double({ min: 0.1, max: 23.9 }),
  );
  fc.assert(
    fc.property(
      others.filter((value) => !(Number.isInteger(value) && value >= 0 && value < 24)),
      (hour) => {
        expect(() => hourOf(hour)).toThrow(`'${hour}' in hour`);
      },
    ),
  );
});

test.each([
  ['PC', 'desktop'],
  ['pc', 'desktop'],
  ['DESKTOP', 'desktop'],
  ['Mobile', 'mobile'],
  ['TABLET', 'tablet'],
  ['TV', 'tv'],
  ['UNKNOWN', 'unknown'],
  ['REFRIGERATOR', 'other'],
])('the device %s is %s', (device, word) => {
  expect(normalizeRow(row({ device }, {}), SCOPE)?.row[3]).toBe(word);
});

test.each([
  ['KAKAO_SEARCH', 'KAKAO_SEARCH'],
  ['UNKNOWN', 'unknown'],
  ['Unknown site', 'Unknown site'],
  ['an unknown', 'an unknown'],
])('the placement %s is %s', (placement, word) => {
  const scope = { ...SCOPE, part: 'placement', dimension: 'PLACEMENT' } as const;
  expect(normalizeRow(row({ placement }, {}), scope)?.row[3]).toBe(word);
});

const SENT = {
  start: '20261118',
  end: '20261118',
  metrics: {
    imp: '700',
    click: 12,
    ctr: 1.71,
    spending: '3000.5',
    rimp: 800,
    ppc: 250,
    rank: 1,
    conv_purchase_1d: 1,
    conv_purchase_7d: 3,
    conv_purchase_p_1d: 25000,
    conv_purchase_p_7d: 90000,
  },
};
const KEYWORDS = new Map([['55', { adGroup: '44', text: '운동화' }]]);
const read = (dimensions: object, scope: Partial<ReportScope>, metrics: object = SENT.metrics) =>
  normalizeRow(ProviderReportRowSchema.parse({ ...SENT, metrics, dimensions }), {
    ...SCOPE,
    part: 'base',
    dimension: undefined,
    keywords: KEYWORDS,
    ...scope,
  });
const FIGURES = [700, 12, 3_000_000, 90_000_000_000, 3_000_500_000, 800, null];

test('a row as the platform writes it has the ids down to its level and the figures in our units', () => {
  expect(read({ campaignId: 3333333331 }, {})).toEqual({
    day: '2026-11-18',
    row: ['3333333331', '', '', '', ...FIGURES],
    key: '2026-11-18 3333333331   ',
  });
  const below = { campaign: '3' };
  const group = read({ ad_group_id: 44 }, { ...below, level: 'g' });
  expect(group?.row).toEqual(['3', '44', '', '', ...FIGURES]);
  const link = read({ adGroupId: 44, creativeLinkId: 66 }, { ...below, level: 'd' });
  expect(link?.row).toEqual(['3', '44', '66', '', ...FIGURES]);
  const bare = read({ campaignId: 3, creativeLinkId: 66 }, { ...below, level: 'd' });
  expect(bare?.row.slice(0, 3)).toEqual(['3', '', '66']);
  expect(bare?.key).toBe(link?.key);
});

test("the account's report knows delivery only", () => {
  const { imp, click, spending } = SENT.metrics;
  const scope = { level: 'a' } as const;
  const delivery = { imp, click, spending };
  expect(read({}, scope, delivery)).toEqual({
    day: '2026-11-18',
    row: ['', '', '', '', 700, 12, null, null, 3_000_500_000, null, null],
    key: '2026-11-18 ',
  });
  expect(() => read({ campaignId: 3 }, {}, delivery)).toThrow("'nothing' in convPurchase7d");
});

test('conversions are those of the window that the link wants', () => {
  const told = read({ campaignId: 3 }, { conversionWindowDays: 1 })?.row;
  expect(told?.slice(6, 8)).toEqual([1_000_000, 25_000_000_000]);
});

describe('a keyword', () => {
  const scope = { level: 'g', part: 'keyword', campaign: '3' } as const;

  test('has its text and the ad group of its row, or of the lists', () => {
    for (const dimensions of [
      { adGroupId: 44, keywordId: 55 },
      { keywordId: 55 },
      { adGroupId: '', keywordId: 55 },
    ]) {
      expect(read(dimensions, scope)?.row).toEqual(['3', '44', '', '운동화', ...FIGURES]);
    }
    const moved = read({ adGroupId: 45, keywordId: 55 }, scope);
    expect(moved?.row.slice(0, 4)).toEqual(['3', '45', '', '운동화']);
    expect(moved?.key).toBe('2026-11-18 45  55');
  });

  test('has its id where the lists tell no text; without an ad group it belongs to none', () => {
    expect(read({ adGroupId: 44, keywordId: 56 }, scope)?.row[3]).toBe('56');
    expect(read({ keywordId: 56 }, scope)).toBeUndefined();
  });

  test('is named by its row', () => {
    expect(() => read({ adGroupId: 44 }, scope)).toThrow("'nothing' in keywordId");
    expect(keywordIdOf({ dimensions: { keywordId: 5, adGroupId: null } })).toEqual({
      id: '5',
      adGroup: undefined,
    });
  });
});

test('a row of another account or campaign is refused, and a row without its own id', () => {
  expect(() => read({ adAccountId: 5, campaignId: 3 }, {})).toThrow(
    "'5' in adAccountId, expected '4'",
  );
  expect(read({ adAccountId: 4, campaignId: 3 }, {})?.row[0]).toBe('3');
  const below = { campaign: '3', level: 'g' } as const;
  expect(() => read({ campaignId: 9, adGroupId: 44 }, below)).toThrow(
    "'9' in campaignId, expected '3'",
  );
  expect(() => read({}, {})).toThrow("'nothing' in campaignId");
  expect(() => read({ campaignId: 3 }, below)).toThrow("'nothing' in adGroupId");
  expect(() => read({ adGroupId: 44 }, { ...below, level: 'd' })).toThrow(
    "'nothing' in creativeLinkId",
  );
});

test('rows are told apart by day, own id and what the platform calls the value', () => {
  const device = (name: string, more: object = {}) =>
    normalizeRow(row({ device: name, ...more }, {}), SCOPE)?.key;
  expect(device('PC')).toBe('2026-11-18 3   PC');
  const keys = [device('PC'), device('pc'), device('PC', { campaignId: '4' })];
  expect(new Set(keys).size).toBe(keys.length);
  const group = read({ adGroupId: 44 }, { campaign: '3', level: 'g' });
  expect(group?.key).toBe('2026-11-18 44  ');
});

test('an empty value belongs to none; one that is not there is another answer than the one asked for', () => {
  for (const device of [null, '']) expect(normalizeRow(row({ device }, {}), SCOPE)).toBeUndefined();
  expect(() => normalizeRow(row({ device: undefined }, {}), SCOPE)).toThrow(
    "'nothing' in device, expected the row's device",
  );
  const named = { ...SCOPE, dimension: 'DEVICE_TYPE' };
  expect(normalizeRow(row({ deviceType: 'PC' }, {}), named)?.row[3]).toBe('desktop');
  expect(() => normalizeRow(row({}, {}), named)).toThrow("'nothing' in deviceType");
});

test.each(['x9', '009', 'unknown'])('the hour %s is refused', (hour) => {
  const scope = { ...SCOPE, part: 'hour', dimension: 'HOUR' } as const;
  expect(() => normalizeRow(row({ hour }, {}), scope)).toThrow(
    `'${hour}' in hour, expected an hour from 0 to 23`,
  );
});

test.each(['imp', 'click', 'spending', 'rimp', 'convPurchase7d', 'convPurchaseP7d'])(
  'a row whose %s is no number of at least 0 is refused',
  (field) => {
    const wrong = (value: unknown) => () => normalizeRow(row({}, { [field]: value }), SCOPE);
    expect(wrong('-1')).toThrow(RetryableError);
    expect(wrong('-1')).toThrow(`'-1' in ${field}, expected a number of at least 0`);
    expect(wrong(null)).toThrow(`'nothing' in ${field}, expected the row's ${field}`);
  },
);

test('days outside the window are refused', () => {
  for (const day of ['20261117', '20261119']) {
    expect(() => normalizeRow({ ...row({}, {}), start: day, end: day }, SCOPE)).toThrow(
      `'${day}' in start`,
    );
  }
});
