import type { CollectedRange } from '@tributary/shared';
import { createLru, type Lru } from '../lru.ts';
import type { Segment } from './gzip-join.ts';

/** A collected range with one name for all its tags together. */
export interface NamedRange extends CollectedRange {
  tags: string;
}

export interface StatisticsCaches {
  /** `<link> <level> <value>` → whose figures are meant. An entity never changes its account. */
  places: Lru<{ account: string; entity: string }>;
  /** `<account> <cv> <period> <part> <from> <to>` → what coverage says. A new `cv` is a new key. */
  ranges: Lru<NamedRange>;
  /** `<channel> <level>` → what follows the date in a day of zeros. */
  zeroTails: Lru<Segment>;
}

const PLACES_MAX = 50_000;
/** About 100 bytes each. */
const DAYS_MAX = 300_000;

export function createStatisticsCaches(): StatisticsCaches {
  return {
    places: createLru(PLACES_MAX),
    ranges: createLru(DAYS_MAX, ({ days }) => days.length + 10),
    zeroTails: createLru(100),
  };
}
