/**
 * A whole number that is never a binary fraction: a `number` while it is a safe integer, else a `bigint`.
 * Counts are plain; money and conversions are millionths ("micros").
 */
export type Exact = number | bigint;

/** The narrowest form of a whole number: a `number` when safe, else the `bigint` itself. */
export function exact(value: bigint): Exact {
  const narrow = Number(value);
  return Number.isSafeInteger(narrow) ? narrow : value;
}

/** Adds without ever losing a unit, also beyond 2^53. */
export function add(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return exact(BigInt(a) + BigInt(b));
}

/** `a - b`, exact. */
export function subtract(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return exact(BigInt(a) - BigInt(b));
}

/** Orders two exact numbers: negative, 0 or positive. */
export function compareExact(a: Exact, b: Exact): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * `numerator x factor / denominator` as a whole number, rounded half up; 0 when the denominator is 0.
 * The operands are not negative. Small operands stay on plain integers: the remainder is exact there.
 */
export function ratio(numerator: Exact, factor: number, denominator: Exact): Exact {
  if (denominator === 0 || denominator === 0n) return 0;
  if (typeof numerator === 'number' && typeof denominator === 'number') {
    const scaled = numerator * factor;
    if (Number.isSafeInteger(scaled) && denominator <= Number.MAX_SAFE_INTEGER / 2) {
      const remainder = scaled % denominator;
      const quotient = (scaled - remainder) / denominator;
      return 2 * remainder >= denominator ? quotient + 1 : quotient;
    }
  }
  const divisor = BigInt(denominator);
  const dividend = BigInt(numerator) * BigInt(factor);
  return exact((2n * dividend + divisor) / (2n * divisor));
}

const MILLION = 1_000_000;

/** Writes micros as a JSON number of at most 6 decimals, without exponent or trailing zeros: 61500000 -> `61.5`. */
export function decimalFromMicros(micros: Exact): string {
  if (micros < 0) return `-${decimalFromMicros(subtract(0, micros))}`;
  if (typeof micros === 'number') {
    const fraction = micros % MILLION;
    const whole = String((micros - fraction) / MILLION);
    return fraction === 0 ? whole : `${whole}.${decimals(String(fraction))}`;
  }
  const fraction = micros % 1_000_000n;
  const whole = String(micros / 1_000_000n);
  return fraction === 0n ? whole : `${whole}.${decimals(String(fraction))}`;
}

function decimals(fraction: string): string {
  return fraction.padStart(6, '0').replace(/0+$/, '');
}

/**
 * Reads a decimal as a platform writes it (`"61.50"`, `-3`, `1e-7`) into micros, rounded half away from zero at the
 * seventh decimal.
 *
 * @throws RangeError naming the value when it is not a plain decimal (`"1,234.5"`, `"NaN"`, `""`) or a number beyond
 *   2^53, of which nobody knows what the platform wrote
 */
export function microsFromDecimal(value: string | number): Exact {
  const text = typeof value === 'number' ? plainDecimal(value) : value.trim();
  const match = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?$/.exec(text);
  if (!match || isRounded(value)) throw new RangeError(`Not a decimal number: '${value}'`);
  const [, sign, whole = '0', fraction = ''] = match;
  const kept = BigInt(whole + fraction.slice(0, 6).padEnd(6, '0'));
  const rounded = (fraction[6] ?? '0') >= '5' ? kept + 1n : kept;
  return exact(sign === '-' ? -rounded : rounded);
}

function plainDecimal(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const text = String(value);
  return /e/i.test(text) ? value.toFixed(20).replace(/0+$/, '').replace(/\.$/, '') : text;
}

/** True for a number that stands for many: it was rounded before it came here. */
function isRounded(value: string | number): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/**
 * Reads a count as a platform writes it (`"361324"`, `12`, ids beyond 2^53 as text).
 *
 * @throws RangeError naming the value when it is negative, not whole or a number beyond 2^53
 */
export function countFromText(value: string | number): Exact {
  const text = String(value).trim();
  if (!/^\d{1,30}$/.test(text) || isRounded(value)) throw new RangeError(`Not a count: '${value}'`);
  return exact(BigInt(text));
}
