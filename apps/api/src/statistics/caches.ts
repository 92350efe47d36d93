import { createLru, type Lru } from '@tributary/runtime';
import type { AnswerState, CollectedDay } from '@tributary/shared';
import { createGate, type Gate } from '../gate.ts';
import { createTurns, type TakeTurn } from '../http/turns.ts';
import type { Segment } from './gzip-join.ts';
import type { PlainTexts } from './plain-text.ts';

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
  /** Those that are being read: many requests at once ask for one reading. */
  rangesUnderWay: Map<string, Promise<RangeSummary>>;
  /** `<channel> <level>` → what follows the date in a day of zeros. */
  zeroTails: Lru<Segment>;
  plainTexts: PlainTexts;
  /** For readings of megabytes: what arrives for many of them in one round of the event loop holds up all other answers. */
  largeReads: Gate;
  /** For making tables: however many are made at once, a round of the event loop holds one piece of one of them. */
  tableTurns: TakeTurn;
}

const PLACES_MAX = 50_000;
/** About 100 bytes each. */
const DAYS_MAX = 300_000;
const LARGE_READS_MAX = 2;
const PLAIN_BYTES_MAX = 32 * 1024 * 1024;
/** About what an entry costs besides its text. */
const ENTRY_BYTES = 250;

export function createStatisticsCaches(): StatisticsCaches {
  return {
    places: createLru(PLACES_MAX),
    ranges: createLru(DAYS_MAX, ({ days }) => days.length + 10),
    rangesUnderWay: new Map(),
    zeroTails: createLru(100),
    plainTexts: createLru(PLAIN_BYTES_MAX, ({ length }) => length + ENTRY_BYTES),
    largeReads: createGate(LARGE_READS_MAX),
    tableTurns: createTurns(),
  };
}
