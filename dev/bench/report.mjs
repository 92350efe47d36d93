// @ts-check
/** @typedef {import('./comparison.mjs').Round} Round */

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/**
 * What is told: a cost of ours, and how it compares in the median round. `atLeast` and `atMost` are the aims.
 * @type {{ what: string, than: string, times: 'cheaper' | 'of the rate', atLeast?: number }[]}
 */
const comparisons = [
  { what: 'ours gzip', than: 'naive gzip', times: 'cheaper', atLeast: 20 },
  { what: 'ours gzip', than: 'floor gzip', times: 'of the rate', atLeast: 0.7 },
  { what: 'ours plain', than: 'naive plain', times: 'cheaper', atLeast: 15 },
  { what: 'ours plain', than: 'floor plain', times: 'of the rate', atLeast: 0.7 },
  { what: 'ours plain, cold', than: 'naive plain', times: 'cheaper' },
  { what: 'ours plain, cold', than: 'floor plain', times: 'of the rate' },
  { what: 'ours 304', than: 'ours plain', times: 'cheaper', atLeast: 5 },
  { what: 'ours 304', than: 'ours gzip', times: 'cheaper' },
  { what: 'ours 404', than: 'floor hello', times: 'of the rate' },
  { what: 'ours /livez', than: 'floor hello', times: 'of the rate' },
];

/**
 * The figures of all rounds as lines.
 * @param {readonly Round[]} rounds
 */
export function comparisonLines(rounds) {
  const costs = Object.keys(rounds[0] ?? {}).map((name) => {
    const all = rounds.map((round) => round[name] ?? Number.NaN);
    return `${name.padEnd(18)}${median(all).toFixed(0).padStart(8)}${perSecond(median(all))}   ${all.map((one) => one.toFixed(0)).join(' ')}`;
  });
  // Ratios inside one round first, then their median: how fast the machine is changes from round to round.
  const measured = comparisons.filter(({ what, than }) =>
    [what, than].every((name) => rounds.every((round) => name in round)),
  );
  const ratios = measured.map(({ what, than, times, atLeast }) => {
    const ratio = median(
      rounds.map((round) => (round[than] ?? Number.NaN) / (round[what] ?? Number.NaN)),
    );
    return `${what.padEnd(18)}${ratio.toFixed(2).padStart(8)} x ${`${times} ${times === 'cheaper' ? 'than' : 'of'} ${than}`.padEnd(32)}${verdict(ratio, atLeast)}`;
  });
  return [
    `${''.padEnd(18)}${'µs CPU'.padStart(8)}${'per CPU s'.padStart(12)}   rounds`,
    ...costs,
    '',
    ...ratios,
  ];
}

/** @param {number} micros */
function perSecond(micros) {
  return (1e6 / micros).toFixed(0).padStart(12);
}

/**
 * @param {number} ratio
 * @param {number | undefined} aim
 */
function verdict(ratio, aim) {
  if (aim === undefined) return '';
  return `aim ${aim}: ${ratio >= aim ? 'met' : 'MISSED'}`;
}

/**
 * @param {string} what
 * @param {number} value
 * @param {{ atMost: number, text: string }} aim
 */
export function boundLine(what, value, { atMost, text }) {
  return `${what}: ${text}, aim at most ${atMost}: ${value <= atMost ? 'met' : 'MISSED'}`;
}
