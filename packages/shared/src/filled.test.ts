import fc from 'fast-check';
import { CHANNELS } from './channels.ts';
import { createUnpack, filledBits, lostBits, packFilled, setsOf } from './filled.ts';
import { STORED_METRICS } from './metrics.ts';
import type { ObservationRow } from './observation.ts';

const sources = Object.values(CHANNELS)
  .filter(({ kind }) => kind === 'ads')
  .flatMap((channel) => channel.sources);
const bits = fc.nat({ max: 2 ** STORED_METRICS.length - 1 });

test('a bit is set for what is neither null nor 0, also below zero and beyond 2^53', () => {
  const row: ObservationRow = ['c1', '', '', '', 1, 0, null, -5, 2n ** 60n, 0n, null];
  expect(filledBits(row)).toBe(0b0011001);
});

test('every set of every source is unpacked as it was packed', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...sources),
      fc.array(bits, { minLength: 4, maxLength: 4 }),
      (source, values) => {
        const filled = Object.fromEntries(
          setsOf(source).map((set, index) => [set, values[index] ?? 0]),
        );
        const packed = packFilled(source, filled);
        expect(packed).toBeGreaterThanOrEqual(0);
        for (const set of setsOf(source))
          expect(createUnpack(source, set)(packed)).toBe(filled[set]);
      },
    ),
  );
});

test('what was ever filled is filled or lost', () => {
  fc.assert(
    fc.property(fc.array(bits), (readings) => {
      let cell: { filled: number; lost: number } | undefined;
      let ever = 0;
      for (const filled of readings) {
        ever |= filled;
        cell = { filled, lost: lostBits(cell, filled) };
        expect(cell.filled | cell.lost).toBe(ever);
        expect(cell.filled & cell.lost).toBe(0);
      }
    }),
  );
});
