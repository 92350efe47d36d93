// @ts-check
/** Exact arithmetic of the check, in integer millionths; shares nothing with the product's. */

/** @typedef {Record<string, string | number | null | undefined>} Figures a JSON number as sent, or a decimal string of the truth */

export const SUMS = ['impressions', 'clicks', 'conversions', 'amount', 'spend', 'rimp'];
const METRICS = [...SUMS, 'reach'];
const SCALE = 1_000_000n;

/** @param {string | number} value */
export function micros(value) {
  const [whole = '0', fraction = ''] = String(value).split('.');
  return BigInt(whole + fraction.padEnd(6, '0').slice(0, 6));
}

/** @param {bigint} value */
export function decimal(value) {
  const fraction = String(value % SCALE)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return `${value / SCALE}${fraction && `.${fraction}`}`;
}

/**
 * A quotient, half up to 6 decimals; 0 over a zero divisor.
 * @param {bigint} dividend micros
 * @param {bigint} divisor micros
 */
function quotient(dividend, divisor) {
  return divisor === 0n ? '0' : decimal((2n * dividend * SCALE + divisor) / (2n * divisor));
}

/** @param {string | number | null | undefined} value */
function text(value) {
  return value === null || value === undefined ? 'null' : String(value);
}

/**
 * The figures of one object of an answer, ratios included, as one text.
 * @param {Figures} figures
 */
export function storedText(figures) {
  return [...METRICS, 'ctr', 'cpc', 'cpm', 'ppc'].map((metric) => text(figures[metric])).join(' ');
}

/**
 * What the same object must be by the truth: its ratios are computed here.
 * @param {Figures} figures
 * @param {boolean} withPpc whether the channel has a price per click of its own
 */
export function truthText(figures, withPpc) {
  const [impressions, clicks, spend] = ['impressions', 'clicks', 'spend'].map((metric) =>
    micros(figures[metric] ?? 0),
  );
  if (impressions === undefined || clicks === undefined || spend === undefined) return '';
  const cpc = quotient(spend, clicks);
  const ratios = [
    quotient(clicks * 100n, impressions),
    cpc,
    quotient(spend * 1_000n, impressions),
    withPpc ? cpc : 'null',
  ];
  return [...METRICS.map((metric) => text(figures[metric])), ...ratios].join(' ');
}
