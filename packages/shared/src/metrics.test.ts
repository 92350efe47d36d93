import fc from 'fast-check';
import { decimalFromMicros, type Exact, exact } from './exact.ts';
import {
  dataObjectJson,
  type Figures,
  hasDelivery,
  METRICS,
  type Metric,
  mergeFigures,
  REACH,
  STORED_METRICS,
  SUM_POSITIONS,
  sumMetric,
  zeroFigures,
} from './metrics.ts';
import { testRuns } from './test-runs.ts';

const runs = testRuns(2_000);
const count: fc.Arbitrary<Exact> = fc
  .oneof(fc.bigInt({ min: 0n, max: 2n ** 62n }), fc.bigInt({ min: 0n, max: 5000n }))
  .map(exact);
const nullable = fc.option(count);
const figures: fc.Arbitrary<Figures> = fc.tuple(
  count,
  count,
  nullable,
  nullable,
  count,
  nullable,
  nullable,
);

const kinds = Object.entries(METRICS).map(([metric, { kind }]) => ({
  metric: metric as Metric, // Object.entries widens the keys
  kind,
}));

describe('summing', () => {
  it.each(kinds.filter(({ kind }) => kind === 'sum'))('$metric is additive', ({ metric }) => {
    expect(sumMetric(metric, [2 ** 53 - 1, 1, 1])).toBe(2n ** 53n + 1n);
    expect(sumMetric(metric, [])).toBe(0);
  });

  it.each(kinds.filter(({ kind }) => kind !== 'sum'))(
    '$metric is a $kind and refused',
    ({ metric, kind }) => {
      expect(() => sumMetric(metric, [1, 2])).toThrow(`'${metric}' is a ${kind} metric`);
    },
  );

  it('takes no ratio: none is stored', () => {
    expect(
      kinds.filter(
        ({ metric, kind }) => kind === 'ratio' && STORED_METRICS.some((one) => one === metric),
      ),
    ).toEqual([]);
  });

  it('adds two rows that become one and no longer knows their reach', () => {
    fc.assert(
      fc.property(figures, figures, (a, b) => {
        const merged = mergeFigures(a, b);
        expect(merged[REACH]).toBeNull();
        for (const position of SUM_POSITIONS) {
          const [x, y, sum] = [a[position], b[position], merged[position]];
          if (x === null && y === null) expect(sum).toBeNull();
          else expect(BigInt(sum ?? -1)).toBe(BigInt(x ?? 0) + BigInt(y ?? 0));
        }
      }),
      runs,
    );
  });
});

/** `value / 10^6` rounded half up, as a fraction of whole numbers. */
function rounded(above: bigint, below: bigint): string {
  if (below === 0n) return '0';
  return decimalFromMicros(exact((2n * above * 1_000_000n + below) / (2n * below)));
}

describe('the DataObject', () => {
  it('is JSON with exactly the fields of the interface in their order, ratios from its own sums', () => {
    fc.assert(
      fc.property(figures, fc.boolean(), (row, withPpc) => {
        const text = dataObjectJson(row, withPpc);
        expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(METRICS));
        expect(text).not.toMatch(/\d[eE]|undefined|NaN|"\d/);
        const sent = new Map(
          [...text.matchAll(/"(\w+)":([^,}]+)/g)].map(([, name = '', value]) => [name, value]),
        );
        const [impressions, clicks, conversions, amount, spend, rimp, reach] = row;
        const micros = (value: Exact | null) =>
          value === null ? 'null' : decimalFromMicros(value);
        const [shown, clicked, cost] = [BigInt(impressions), BigInt(clicks), BigInt(spend)];
        const cpc = rounded(cost, clicked * 1_000_000n);
        expect(Object.fromEntries(sent)).toEqual({
          impressions: String(impressions),
          clicks: String(clicks),
          conversions: micros(conversions),
          amount: micros(amount),
          spend: micros(spend),
          reach: String(reach),
          ppc: withPpc ? cpc : 'null',
          rimp: String(rimp),
          ctr: rounded(clicked * 100n, shown),
          cpc,
          cpm: rounded(cost * 1000n, shown * 1_000_000n),
        });
      }),
      runs,
    );
  });

  it('of a day shows the figures of the interface', () => {
    const row: Figures = [1200, 30, 2_000_000, 61_500_000, 14_250_000, null, 900];
    expect(dataObjectJson(row, false)).toBe(
      '{"impressions":1200,"clicks":30,"conversions":2,"amount":61.5,"spend":14.25,"reach":900,' +
        '"ppc":null,"rimp":null,"ctr":2.5,"cpc":0.475,"cpm":11.875}',
    );
  });

  it('of nothing is zeros where the channel supports a metric, null elsewhere, and no delivery', () => {
    const none = zeroFigures(new Set(['reach', 'conversions']));
    expect(none).toEqual([0, 0, 0, null, 0, null, 0]);
    expect(hasDelivery(none)).toBe(false);
    expect(hasDelivery(none.with(REACH, 1) as Figures)).toBe(true);
  });
});
