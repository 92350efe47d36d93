import { add, decimalFromMicros, type Exact, ratio } from './exact.ts';

/**
 * What can be done with a metric: a `sum` may be added over days, entities and values; a `unique` counts people and is
 * never added; a `ratio` is computed from sums when an answer is made and is never an input.
 */
export type MetricKind = 'sum' | 'unique' | 'ratio';

/** The fields of the interface's DataObject, in the order in which they are sent. */
export const METRICS = {
  impressions: { kind: 'sum', unit: 'count' },
  clicks: { kind: 'sum', unit: 'count' },
  conversions: { kind: 'sum', unit: 'micros' },
  amount: { kind: 'sum', unit: 'micros' },
  spend: { kind: 'sum', unit: 'micros' },
  reach: { kind: 'unique', unit: 'count' },
  ppc: { kind: 'ratio', unit: 'micros' },
  rimp: { kind: 'sum', unit: 'count' },
  ctr: { kind: 'ratio', unit: 'micros' },
  cpc: { kind: 'ratio', unit: 'micros' },
  cpm: { kind: 'ratio', unit: 'micros' },
} as const satisfies Record<string, { kind: MetricKind; unit: 'count' | 'micros' }>;

export type Metric = keyof typeof METRICS;

/** The stored metrics: everything but the ratios, in the order of an observation row. */
export const STORED_METRICS = [
  'impressions',
  'clicks',
  'conversions',
  'amount',
  'spend',
  'rimp',
  'reach',
] as const satisfies readonly Metric[];

export type StoredMetric = (typeof STORED_METRICS)[number];

/**
 * One value per stored metric, in the order of {@link STORED_METRICS}; conversions, amount and spend in micros.
 * null = the platform does not give this metric at this place.
 */
export type Figures = [
  impressions: Exact,
  clicks: Exact,
  conversions: Exact | null,
  amount: Exact | null,
  spend: Exact,
  rimp: Exact | null,
  reach: Exact | null,
];

export const IMPRESSIONS = 0;
export const CLICKS = 1;
export const CONVERSIONS = 2;
export const AMOUNT = 3;
export const SPEND = 4;
export const RIMP = 5;
export const REACH = 6;

/** Positions of the metrics that may be added. */
export const SUM_POSITIONS = [IMPRESSIONS, CLICKS, CONVERSIONS, AMOUNT, SPEND, RIMP] as const;

/** Adds one metric's values. Unique counts and ratios are refused: their sum would be a number of nothing. */
export function sumMetric(metric: Metric, values: readonly Exact[]): Exact {
  const { kind } = METRICS[metric];
  if (kind !== 'sum') throw new TypeError(`'${metric}' is a ${kind} metric and is never summed`);
  return values.reduce(add, 0);
}

/** A stored value as it is sent: money and conversions in whole units with at most 6 decimals. */
export function metricNumber(metric: StoredMetric, value: Exact): number {
  return Number(METRICS[metric].unit === 'micros' ? decimalFromMicros(value) : value);
}

/** A zero of every supported metric, null for the others. */
export function zeroFigures(supported: ReadonlySet<StoredMetric>): Figures {
  const zero = (metric: StoredMetric) => (supported.has(metric) ? 0 : null);
  return [0, 0, zero('conversions'), zero('amount'), 0, zero('rimp'), zero('reach')];
}

/**
 * The figures of two rows that become one: sums are added (null stays null only when both are null),
 * the unique count of a merger is not known.
 */
export function mergeFigures(a: Figures, b: Figures): Figures {
  const sum = (x: Exact | null, y: Exact | null) => (x === null ? y : y === null ? x : add(x, y));
  return [
    add(a[IMPRESSIONS], b[IMPRESSIONS]),
    add(a[CLICKS], b[CLICKS]),
    sum(a[CONVERSIONS], b[CONVERSIONS]),
    sum(a[AMOUNT], b[AMOUNT]),
    add(a[SPEND], b[SPEND]),
    sum(a[RIMP], b[RIMP]),
    null,
  ];
}

/** True when something was delivered: any metric above or below zero. */
export function hasDelivery(figures: Figures): boolean {
  return figures.some((value) => value !== null && value !== 0);
}

/**
 * The interface's DataObject as JSON text: fields in the interface's order, ratios computed here from the sums beside
 * them (percent for ctr, currency for cpc, cpm and ppc), half up to 6 decimals, 0 over a zero divisor.
 *
 * @param withPpc whether the channel supports ppc at this place
 */
export function dataObjectJson(figures: Figures, withPpc: boolean): string {
  const [impressions, clicks, conversions, amount, spend, rimp, reach] = figures;
  const cpc = decimalFromMicros(ratio(spend, 1, clicks));
  return (
    `{"impressions":${impressions},"clicks":${clicks},"conversions":${micros(conversions)},` +
    `"amount":${micros(amount)},"spend":${micros(spend)},"reach":${reach},` +
    `"ppc":${withPpc ? cpc : null},"rimp":${rimp},` +
    `"ctr":${decimalFromMicros(ratio(clicks, 100_000_000, impressions))},"cpc":${cpc},` +
    `"cpm":${decimalFromMicros(ratio(spend, 1000, impressions))}}`
  );
}

function micros(value: Exact | null): string {
  return value === null ? 'null' : decimalFromMicros(value);
}
