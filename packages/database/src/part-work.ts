import {
  CHANNELS,
  type Day,
  type Millis,
  type SealedPart,
  type Source,
  sealTag,
  sourcesOf,
  unsealedParts,
} from '@tributary/shared';
import type { Account } from './accounts.ts';
import { type Coverage, readCoverage } from './coverage.ts';
import type { Database } from './database.ts';
import type { Pacer } from './pacer.ts';

export interface SealTarget {
  account: Account;
  now: Millis;
  /** Waits until that many rows may be held; answers what gives them back. */
  hold?(rows: number): Promise<() => void>;
}

/**
 * The entities of days of a part whose cells moved while their documents were written. A newer sealing that found nothing
 * to change may have been overwritten then, and its mark hides that: they are sealed once more.
 */
export type Overtaken = Map<Day, ReadonlySet<string>>;

export interface Pending {
  day: Day;
  /** What the part is sealed from. */
  tag: string;
}

/** A source and day of which older chunks than the cell's are stored. */
export interface Replaced {
  source: string;
  day: Day;
}

export interface PartWork {
  target: SealTarget;
  part: SealedPart;
  pending: readonly Pending[];
  cover: Coverage;
  pacer: Pacer;
  /** Collects where older chunks than the cell's were met. */
  replaced: Map<string, Replaced>;
  overtaken: Overtaken;
  /** In how many shares the entities are sealed, one after the other. */
  shares: number;
}

export function sourcesOfPart({ channel: type }: Account, part: SealedPart): readonly Source[] {
  const channel = CHANNELS[type];
  return part === 'blog' ? channel.sources : sourcesOf(channel, part);
}

/** The days of a part that are to be sealed. */
export function pendingOf(
  account: Account,
  { part, days }: { part: SealedPart; days: readonly Day[] },
  { cells, sealed }: Coverage,
  overtaken: Overtaken = new Map(),
): Pending[] {
  const channel = CHANNELS[account.channel];
  const slots = { id: account._id, zone: account.zone };
  return days.flatMap((day) => {
    const input = { channel, account: slots, day, cells: cells.get(day), sealed: sealed.get(day) };
    const isPending = unsealedParts(input).includes(part) || overtaken.has(day);
    return isPending ? [{ day, tag: sealTag(input, part) ?? '' }] : [];
  });
}

/** @param days ascending */
export async function coverOf(
  db: Database,
  account: Account,
  days: readonly Day[],
): Promise<Coverage> {
  return await readCoverage(db, account._id, days[0] ?? '', days.at(-1) ?? '');
}
