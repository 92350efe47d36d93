import type { Source } from './channels.ts';
import { STORED_METRICS } from './metrics.ts';
import { FIRST_FIGURE, type ObservationRow, type SetId } from './observation.ts';

/** The metrics that a row fills, a bit each in the order of {@link STORED_METRICS}: those that are not null and not 0. */
export function filledBits(row: ObservationRow): number {
  let bits = 0;
  for (let index = 0; index < STORED_METRICS.length; index += 1) {
    const value = row[FIRST_FIGURE + index];
    if (value !== null && value !== undefined && Number(value) !== 0) bits |= 1 << index;
  }
  return bits;
}

/** The sets that a source stores, in the order of the channel's table. */
export function setsOf({ fills }: Source): SetId[] {
  return [...new Set(fills.map(({ from }) => from))];
}

/** What the sets of a source fill as one number: seven bits for each of its sets, of which no source has more than four. */
export function packFilled(
  source: Source,
  filled: Readonly<Partial<Record<SetId, number>>>,
): number {
  return setsOf(source).reduce(
    (packed, set, index) => packed | ((filled[set] ?? 0) << (index * STORED_METRICS.length)),
    0,
  );
}

/** Reads the bits of one set. */
export function createUnpack(source: Source, set: SetId): (packed: number) => number {
  const shift = setsOf(source).indexOf(set) * STORED_METRICS.length;
  const mask = (1 << STORED_METRICS.length) - 1;
  return (packed) => (packed >> shift) & mask;
}

/** What earlier readings of a day filled and the newest one does not. */
export function lostBits(
  earlier: { filled?: number; lost?: number } | undefined,
  filled: number,
): number {
  return ((earlier?.filled ?? 0) | (earlier?.lost ?? 0)) & ~filled;
}
