import fc from 'fast-check';
import { CHANNELS, findSource } from './channels.ts';
import type { ObservationRow } from './observation.ts';
import { createReadingTotals, namedValues, revisedTotals } from './revision.ts';

const NUMBERS = { clicks: fc.nat(50), spend: fc.nat(2_000_000) };
const arbitraryRows = fc
  .array(fc.record({ campaign: fc.constantFrom('c1', 'c2', 'c3'), ...NUMBERS }), {
    maxLength: 6,
  })
  .map((rows) => rows.map(({ campaign, clicks, spend }) => row(campaign, clicks, spend)));

function row(campaign: string, clicks: number | bigint, spend: number | bigint): ObservationRow {
  return [campaign, '', '', '', 100, clicks, 0, 0, spend, null, null];
}

function revise(
  type: 'PORTAL1_DA' | 'SOCIAL_ADS',
  before: ObservationRow[],
  after: ObservationRow[],
) {
  const channel = CHANNELS[type];
  const source = findSource(channel, 'c-base');
  if (!source) throw new Error('no such source');
  const [old, young] = [before, after].map((rows) => {
    const totals = createReadingTotals(channel, source);
    for (const one of rows) totals.add('c-base', [one]);
    totals.add('c-age', rows);
    return totals;
  });
  if (!old || !young) throw new Error('two readings');
  return revisedTotals(channel, old, young);
}

test('the same rows in another order revise nothing', () => {
  fc.assert(
    fc.property(arbitraryRows, (rows) => {
      expect(revise('PORTAL1_DA', rows, rows.toReversed())).toEqual(new Map());
    }),
  );
});

test('the account above is revised by the sum of what its campaigns are revised by', () => {
  fc.assert(
    fc.property(arbitraryRows, arbitraryRows, (before, after) => {
      const revised = revise('PORTAL1_DA', before, after);
      const change = (part: 'a' | 'c', position: number) =>
        (revised.get(part) ?? []).reduce(
          (sum, [, old, young]) => sum + Number(young[position]) - Number(old[position]),
          0,
        );
      for (const position of [0, 1, 4]) expect(change('a', position)).toBe(change('c', position));
      for (const [, old, young] of revised.get('c') ?? []) expect(young).not.toEqual(old);
    }),
  );
});

test('an entity that comes or goes has zeros on the other side, null where nothing is supported', () => {
  const revised = revise('SOCIAL_ADS', [row('gone', 3, 5)], [row('new', 4, 6)]);
  const zeros = [0, 0, 0, 0, 0, null, 0];
  expect(revised).toEqual(
    new Map([
      [
        'c',
        [
          ['gone', [100, 3, 0, 0, 5, null, null], zeros],
          ['new', zeros, [100, 4, 0, 0, 6, null, null]],
        ],
      ],
    ]),
  );
});

test('numbers beyond 2^53 differ by one unit', () => {
  const big = 2n ** 60n;
  const revised = revise('PORTAL1_DA', [row('c1', 1, big)], [row('c1', 1, big + 1n)]);
  expect(revised.get('a')?.[0]?.[2]?.[4]).toBe(big + 1n);
});

test('values are sent in the units of the interface', () => {
  expect(namedValues('c', [12, 3, 1_500_000, 61_500_000, 14_250_000n, null, 9])).toEqual({
    impressions: 12,
    clicks: 3,
    conversions: 1.5,
    amount: 61.5,
    spend: 14.25,
    rimp: null,
    reach: 9,
  });
  expect(namedValues('blog', [1, 2, 3, 4.5, 5, 6, 7])).toEqual({
    visit_pv_cnt: 1,
    uv_cnt: 2,
    visit_cnt: 3,
    average_duration: 4.5,
    both_way_neighborhood: 5,
    one_way_neighborhood: 6,
    other: 7,
  });
});
