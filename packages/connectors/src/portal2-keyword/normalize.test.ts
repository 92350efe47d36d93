import fc from 'fast-check';
import { normalizeRow, type ReportScope } from './normalize.ts';

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
  ['Mobile', 'mobile'],
  ['UNKNOWN', 'unknown'],
  ['REFRIGERATOR', 'other'],
])('the device %s is %s', (device, word) => {
  expect(normalizeRow(row({ device }, {}), SCOPE)?.row[3]).toBe(word);
});

test('a placement keeps its name', () => {
  const scope = { ...SCOPE, part: 'placement', dimension: 'PLACEMENT' } as const;
  const told = normalizeRow(row({ placement: 'KAKAO_SEARCH' }, {}), scope);
  expect(told?.row[3]).toBe('KAKAO_SEARCH');
});
