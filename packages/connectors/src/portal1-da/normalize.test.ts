import { RetryableError } from '@tributary/runtime';
import { decimalFromMicros } from '@tributary/shared';
import fc from 'fast-check';
import { normalizePerformance, type PerformanceScope } from './normalize.ts';
import type { ProviderPerformance } from './schema.ts';

const SCOPE = { level: 'c', part: 'hour', from: '2026-01-01', to: '2026-12-31' } as const;
const WINDOW = { from: '2026-11-17', to: '2026-11-19' };
const ROW: ProviderPerformance = {
  targetDate: '20261118',
  hour: null,
  campaignNo: '7',
  adSetNo: '71',
  creativeNo: '711',
  impCount: 839,
  clickCount: '12',
  sales: 14250.5,
  convCount: '2',
  convSales: 61500,
};
const read = (
  level: PerformanceScope['level'],
  changes: Partial<ProviderPerformance> = {},
  part: PerformanceScope['part'] = 'base',
) => normalizePerformance({ ...ROW, ...changes }, { level, part, ...WINDOW });

test('a row has the numbers down to its level; sales are what was spent, convSales what was earned', () => {
  const figures = [839, 12, 2_000_000, 61_500_000_000, 14_250_500_000, null, null];
  expect(read('c')).toEqual({
    day: '2026-11-18',
    row: ['7', '', '', '', ...figures],
    key: '2026-11-18 7 ',
  });
  expect(read('g').row).toEqual(['7', '71', '', '', ...figures]);
  expect(read('d').row).toEqual(['7', '71', '711', '', ...figures]);
});

test('a row is told apart by day, its own number and hour', () => {
  const keys = [
    read('g'),
    read('g', { adSetNo: '72' }),
    read('g', { targetDate: '20261119' }),
    read('g', { hour: 1 }, 'hour'),
    read('g', { hour: 11 }, 'hour'),
    read('d'),
  ].map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(read('g', { creativeNo: '9', impCount: 1 }).key).toBe(keys[0]);
  expect(read('g', { hour: '01' }, 'hour').key).toBe(keys[3]);
});

test.each([
  ['c', 'campaignNo'],
  ['g', 'adSetNo'],
  ['d', 'creativeNo'],
] as const)(
  'at level %s a row without %s is refused, one without the others is not',
  (level, own) => {
    for (const field of ['campaignNo', 'adSetNo', 'creativeNo'] as const) {
      const without = () => read(level, { [field]: null }).row;
      if (field !== own) expect(without().slice(0, 3)).not.toContain(null);
      else expect(without).toThrow(`'nothing' in ${own}, expected the row's own number`);
    }
    const alone = { campaignNo: null, adSetNo: null, creativeNo: null, [own]: '5' };
    const ids = { c: ['5', '', ''], g: ['', '5', ''], d: ['', '', '5'] };
    expect(read(level, alone).row.slice(0, 3)).toEqual(ids[level]);
  },
);

test('days come with and without dashes, and those that were not asked for are refused', () => {
  for (const day of ['2026-11-17', '2026-11-19']) {
    expect(read('c', { targetDate: day }).day).toBe(day);
    expect(read('c', { targetDate: day.replaceAll('-', '') }).day).toBe(day);
  }
  const others = ['20261116', '2026-11-20', '2026-1118', '20261118x', 'x20261118', '2026-11-1', ''];
  for (const targetDate of others) {
    expect(() => read('c', { targetDate })).toThrow(
      `'${targetDate}' in targetDate, expected a day from 2026-11-17 to 2026-11-19`,
    );
  }
  const never = { ...ROW, targetDate: '20261131', hour: 1 };
  expect(() => normalizePerformance(never, SCOPE)).toThrow("'20261131' in targetDate");
});

test.each([null, undefined, 24, -1, 1.5, '', '24', '009', 'x9', '09:00'])(
  'the hour %p is refused',
  (hour) => {
    expect(() => read('c', { hour }, 'hour')).toThrow(
      `'${hour ?? 'nothing'}' in hour, expected an hour, 0 to 23`,
    );
  },
);

test.each([
  ['impCount', '-1'],
  ['impCount', 1.5],
  ['clickCount', ''],
  ['convCount', '-0.5'],
  ['convSales', '1,000'],
  ['sales', 'NaN'],
] as const)('a row whose %s is %p is refused', (field, value) => {
  const wrong = () => read('c', { [field]: value });
  expect(wrong).toThrow(RetryableError);
  expect(wrong).toThrow(
    expect.objectContaining({
      code: 'malformed_row',
      message: `Malformed performance row: '${value}' in ${field}, expected a number of at least 0`,
    }),
  );
});

test('nothing delivered is zero', () => {
  const none = { impCount: 0, clickCount: '0', convCount: 0, convSales: '0', sales: '0.0' };
  expect(read('c', none).row.slice(4)).toEqual([0, 0, 0, 0, 0, null, null]);
});

const digits = fc.bigInt({ min: 0n, max: 10n ** 24n });
const tenths = fc.tuple(digits, fc.integer({ min: 0, max: 9 })).map(([n, t]) => `${n}.${t}`);
const asSent = (text: string) =>
  fc.constantFrom(text, ...(Number(text) <= Number.MAX_SAFE_INTEGER / 10 ? [Number(text)] : []));

test('whatever is sent as number or text comes out digit by digit, money and conversions in millionths', () => {
  const figures = fc.tuple(digits, digits, digits, tenths, tenths);
  fc.assert(
    fc.property(figures, fc.integer({ min: 0, max: 23 }), fc.boolean(), (texts, hour, dashed) => {
      const [imp, click, conv, value, sales] = texts.map(String);
      const { day, row } = normalizePerformance(
        {
          targetDate: dashed ? '2026-03-09' : '20260309',
          hour: dashed ? hour : String(hour).padStart(2, '0'),
          campaignNo: '7',
          impCount: imp ?? '',
          clickCount: click ?? '',
          convCount: conv ?? '',
          convSales: value ?? '',
          sales: sales ?? '',
        },
        SCOPE,
      );
      expect(day).toBe('2026-03-09');
      expect(row.slice(0, 4)).toEqual(['7', '', '', String(hour).padStart(2, '0')]);
      const [impressions, clicks, conversions, amount, spend, rimp, reach] = row.slice(4);
      expect([String(impressions), String(clicks)]).toEqual([imp, click]);
      const money = [conversions, amount, spend].map((micros) =>
        decimalFromMicros(micros as bigint),
      );
      expect(money).toEqual([conv, value, sales].map((text) => text?.replace(/\.0$/, '')));
      expect([rimp, reach]).toEqual([null, null]);
    }),
  );
});

test('a figure means the same as number and as text', () => {
  const base = { targetDate: '20260309', hour: 1, campaignNo: '7', impCount: 1, clickCount: 1 };
  const small = fc.integer({ min: 0, max: 10 ** 12 }).map((tenth) => String(tenth / 10));
  fc.assert(
    fc.property(
      small.chain((text) => fc.tuple(fc.constant(text), asSent(text))),
      ([text, sent]) => {
        const of = (sales: string | number) =>
          normalizePerformance({ ...base, convCount: 0, convSales: 0, sales }, SCOPE).row;
        expect(of(sent)).toEqual(of(text));
      },
    ),
  );
});
