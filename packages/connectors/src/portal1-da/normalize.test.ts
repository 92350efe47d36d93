import { decimalFromMicros } from '@tributary/shared';
import fc from 'fast-check';
import { normalizePerformance } from './normalize.ts';

const SCOPE = { level: 'c', part: 'hour', from: '2026-01-01', to: '2026-12-31' } as const;
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
