import { CHANNELS, decimalFromMicros, fillOf, type Part } from '@tributary/shared';
import fc from 'fast-check';
import { normalizeRow, type ReportScope } from './normalize.ts';

function scope(part: Part): ReportScope {
  const found = fillOf(CHANNELS.PORTAL2_DISPLAY, 'c', part);
  if (!found) throw new Error(`No ${part}`);
  return {
    account: '1',
    from: '2026-11-18',
    to: '2026-11-19',
    fill: found.fill,
    objects: new Map([['7', { campaign: '7', adGroup: '', ad: '' }]]),
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
