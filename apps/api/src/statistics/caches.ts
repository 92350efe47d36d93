import type { AnswerState, CollectedDay } from '@tributary/shared';
import { createLru, type Lru } from '../lru.ts';
import type { Segment } from './gzip-join.ts';

/** What coverage says about a part of an account over a range. */
export interface RangeSummary {
  days: readonly CollectedDay[];
  /** One name for the tags of all days together. */
  tags: string;
  state: AnswerState;
}

export interface StatisticsCaches {
  /** `<link> <level> <value>` → whose figures are meant. An entity never changes its account. */
  places: Lru<{ account: string; entity: string }>;
  /** `<account> <cv> <period> <part> <from> <to>` → what coverage says. A new `cv` is a new key. */
  ranges: Lru<RangeSummary>;
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
