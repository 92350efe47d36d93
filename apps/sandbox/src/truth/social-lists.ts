import { type AdDay, type LateEvent, METRIC_COUNT, NO_HOUR } from '../world/social-figures.ts';
import type { Segment, SegmentGroup } from '../world/social-segments.ts';
import { Sum } from './figures.ts';

/** How one of the interface's lists comes out of the facts. */
export interface ListRule {
  group: SegmentGroup | 'hour';
  /** The platform's key for the list. */
  key: string;
  /** Our word for the platform's value; several values may fall together. */
  word(raw: string): string;
  hasConversions: boolean;
}

const same = (raw: string): string => raw;

/** The lists of SOCIAL_ADS. */
export const SOCIAL_LISTS: Record<string, ListRule> = {
  age: { group: 'demo', key: 'age', word: (raw) => raw.toLowerCase(), hasConversions: true },
  gender: { group: 'demo', key: 'gender', word: same, hasConversions: true },
  country: { group: 'geo', key: 'country', word: same, hasConversions: true },
  region: { group: 'geo', key: 'region', word: same, hasConversions: false },
  device: {
    group: 'place',
    key: 'device_platform',
    word: (raw) => (raw.startsWith('mobile') ? 'mobile' : raw),
    hasConversions: true,
  },
  hour: { group: 'hour', key: 'hour', word: same, hasConversions: false },
};

export interface ListEntry {
  value: string;
  sum: Sum;
  /** The platform's value, where it is only one of a kind: `mobile` is two, hours have no reach. */
  reachCell: string | undefined;
}

/** The entries of one list with any delivery, by value. */
export function listEntries(
  rule: ListRule,
  segments: Record<SegmentGroup, Segment[]>,
  days: AdDay[],
  counts: (event: LateEvent) => boolean,
): ListEntry[] {
  const entries = new Map<string, ListEntry>();
  const sumOf = (cell: number): Sum | undefined => {
    const hour = cell === NO_HOUR ? undefined : String(cell).padStart(2, '0');
    const raw = rule.group === 'hour' ? hour : segments[rule.group][cell]?.values[rule.key];
    if (raw === undefined) return undefined;
    const value = rule.word(raw);
    const reachCell =
      rule.group === 'hour' || value === 'mobile' ? undefined : `${rule.key}=${raw}`;
    const entry = entries.get(value) ?? { value, sum: new Sum(), reachCell };
    entries.set(value, entry);
    return entry.sum;
  };
  for (const day of days) {
    const cells = day.cells[rule.group];
    for (let cell = 0; cell * METRIC_COUNT < cells.length; cell += 1)
      sumOf(cell)?.addCell(cells, cell);
    if (!rule.hasConversions) continue;
    for (const event of day.purchases)
      if (counts(event)) sumOf(event.cell[rule.group])?.addPurchase(event);
  }
  return [...entries.values()]
    .filter(({ sum }) => !sum.isZero())
    .toSorted((a, b) => (a.value < b.value ? -1 : 1));
}
