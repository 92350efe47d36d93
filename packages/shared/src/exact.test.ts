import fc from 'fast-check';
import {
  add,
  compareExact,
  countFromText,
  decimalFromMicros,
  type Exact,
  exact,
  microsFromDecimal,
  ratio,
  subtract,
} from './exact.ts';
import { testRuns } from './test-runs.ts';

const runs = testRuns(2_000);

/** Whole numbers on both sides of 2^53, where binary fractions begin to lose units. */
const bigs = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }),
  fc.bigInt({ min: -1000n, max: 1000n }),
);
const naturals = bigs.map((value) => (value < 0n ? -value : value));
const isNarrow = (value: Exact) =>
  typeof value === 'number' ? Number.isSafeInteger(value) : !Number.isSafeInteger(Number(value));

describe('exact numbers', () => {
  it('add, subtract and compare as whole numbers do, in the narrowest form', () => {
    fc.assert(
      fc.property(bigs, bigs, (a, b) => {
        const [x, y] = [exact(a), exact(b)];
        expect(BigInt(add(x, y))).toBe(a + b);
        expect(BigInt(subtract(x, y))).toBe(a - b);
        expect(isNarrow(add(x, y)) && isNarrow(subtract(x, y))).toBe(true);
        expect(Math.sign(compareExact(x, y))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
      runs,
    );
  });

  it('sum to the same in any order and grouping', () => {
    fc.assert(
      fc.property(fc.array(bigs, { maxLength: 20 }), (values) => {
        const total = values.reduce((sum, value) => sum + value, 0n);
        const sumOf = (list: readonly bigint[]) => list.map(exact).reduce(add, 0);
        expect(BigInt(sumOf(values))).toBe(total);
        expect(sumOf(values.toReversed())).toEqual(sumOf(values));
      }),
      runs,
    );
  });

  it('have ratios rounded half up to a whole, 0 over 0', () => {
    fc.assert(
      fc.property(
        naturals,
        fc.constantFrom(1, 100, 1000, 100_000_000),
        naturals,
        (above, factor, below) => {
          const result = BigInt(ratio(exact(above), factor, exact(below)));
          if (below === 0n) return expect(result).toBe(0n);
          // The nearest whole: within half a divisor, and upwards where two are equally near.
          const distance = 2n * (above * BigInt(factor) - result * below);
          expect(distance < below && distance >= -below).toBe(true);
        },
      ),
      runs,
    );
  });

  it.each([
    [1, 1, 2, 1],
    [1, 1, 3, 0],
    [2, 1, 3, 1],
    [5, 1, 2, 3],
    [0, 1000, 7, 0],
    [7, 1000, 0, 0],
    [30, 100_000_000, 1200, 2_500_000],
    [2000, 1000, 3, 666_667],
    [7, 1, 2n, 4],
    [7, 1, 0n, 0],
    [7n, 3, 2, 11],
    [Number.MAX_SAFE_INTEGER, 100, 3, 300_239_975_158_033_033n],
  ])('ratio(%s, %s, %s) is %s', (above, factor, below, expected) => {
    expect(ratio(above, factor, below)).toBe(expected);
  });
});

describe('exact numbers at the end of what a number holds', () => {
  const last = Number.MAX_SAFE_INTEGER;

  it.each([
    [add(last, 0), last],
    [add(last, 1), 2n ** 53n],
    [add(2n ** 53n, -1), last],
    [subtract(-last, 0), -last],
    [subtract(-last, 2), -(2n ** 53n) - 1n],
    [subtract(5, 7), -2],
    [subtract(2n ** 53n, 1), last],
  ])('%s is %s', (result, expected) => {
    expect(result).toBe(expected);
  });

  it.each([
    [3, 3, 0],
    [2, 3, -1],
    [3, 2, 1],
    [2n ** 60n, 2n ** 60n, 0],
    [last, 2n ** 53n, -1],
    [2n ** 53n, last, 1],
  ])('%s against %s is %s', (a, b, expected) => {
    expect(compareExact(a, b)).toBe(expected);
  });
});

describe('decimals', () => {
  it.each([
    [0, '0'],
    [1, '0.000001'],
    [5_000_000, '5'],
    [-5_000_000, '-5'],
    [61_500_000, '61.5'],
    [1_050_000, '1.05'],
    [9_007_199_254_740_993_000_000n, '9007199254740993'],
    [9_007_199_254_740_993_010_000n, '9007199254740993.01'],
    [-9_007_199_254_740_993_000_001n, '-9007199254740993.000001'],
  ])('%s micros are %s', (micros, text) => {
    expect(decimalFromMicros(micros)).toBe(text);
  });

  it('are written from micros without exponent or trailing zeros and read back the same', () => {
    fc.assert(
      fc.property(bigs, (micros) => {
        const text = decimalFromMicros(exact(micros));
        expect(text).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d{0,5}[1-9])?$/);
        expect(text).not.toBe('-0');
        expect(BigInt(microsFromDecimal(text))).toBe(micros);
      }),
      runs,
    );
  });

  it('are rounded half away from zero at the seventh decimal', () => {
    const digits = fc.stringMatching(/^\d{1,25}$/);
    fc.assert(
      fc.property(fc.boolean(), digits, digits, (isNegative, whole, fraction) => {
        const scaled = BigInt(whole + fraction) * 10n ** 6n;
        const unit = 10n ** BigInt(fraction.length);
        const magnitude = (2n * scaled + unit) / (2n * unit);
        const result = microsFromDecimal(`${isNegative ? '-' : ''}${whole}.${fraction}`);
        expect(BigInt(result)).toBe(isNegative ? -magnitude : magnitude);
      }),
      runs,
    );
  });

  it('that come as numbers are read as the platform wrote them', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 14), max: 10 ** 14 }), (micros) => {
        expect(microsFromDecimal(micros / 1_000_000)).toBe(micros);
      }),
      runs,
    );
  });

  it.each([
    ['61.50', 61_500_000],
    [-3, -3_000_000],
    [1e-7, 0],
    [5e-7, 1],
    [1e-21, 0],
    ['1.0000005', 1_000_001],
    ['1.0000004', 1_000_000],
    [Number.MAX_SAFE_INTEGER, 9_007_199_254_740_991_000_000n],
    ['-0.0000005', -1],
    [' 7 ', 7_000_000],
    ['9007199254740993.000001', 9_007_199_254_740_993_000_001n],
  ])('%s is %s micros', (value, expected) => {
    expect(microsFromDecimal(value)).toBe(expected);
  });

  it.each([
    '1,234.5',
    '',
    ' ',
    '1e3',
    '.5',
    '5.',
    '+1',
    '--1',
    '0x10',
    'NaN',
    Number.NaN,
    Infinity,
    1e21,
    2 ** 53,
    '٣',
  ])('%s is refused and named', (value) => {
    expect(() => microsFromDecimal(value)).toThrow(`Not a decimal number: '${value}'`);
  });
});

describe('counts', () => {
  it('are read to the unit at any size', () => {
    fc.assert(
      fc.property(naturals, (count) => {
        expect(BigInt(countFromText(String(count)))).toBe(count);
      }),
      runs,
    );
  });

  it.each([
    [' 12 ', 12],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['9007199254740993', 9_007_199_254_740_993n],
  ])('%s is %s', (text, count) => {
    expect(countFromText(text)).toBe(count);
  });

  it.each(['-1', -1, 1.5, '1.0', '', 'x', Number.NaN, 1e21, 2 ** 53, '1 000'])(
    '%s is refused and named',
    (value) => {
      expect(() => countFromText(value)).toThrow(`Not a count: '${value}'`);
    },
  );
});
