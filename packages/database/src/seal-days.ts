import { CHANNELS, type Day, monthOf, type SealedPart, sealedParts } from '@tributary/shared';
import type { Account } from './accounts.ts';
import type { Coverage } from './coverage.ts';
import { type Database, isUnavailable } from './database.ts';
import { deleteReplaced, rowsOf } from './observations.ts';
import { createPacer } from './pacer.ts';
import {
  coverOf,
  type Overtaken,
  pendingOf,
  type Replaced,
  type SealTarget,
  sourcesOfPart,
} from './part-work.ts';
import { type SealOutcome, sealPart } from './seal-part.ts';

const ROUNDS_MAX = 20;
/** Stored rows that are added up at once: bounds memory. */
const ROWS_MAX = 100_000;

/**
 * Seals the days whose observations are newer than what is served, at most one month and one level at a time. Reads the
 * cells, derives the documents, writes only those that differ and only while the cells stand; where they moved, it begins
 * again. Can be repeated at any time: a crash in the middle is mended by the next turn without a call to the platform.
 *
 * @throws the first error of some days once the others are sealed
 */
export async function sealDays(
  db: Database,
  target: SealTarget,
  days: readonly Day[],
): Promise<SealOutcome> {
  const outcome: SealOutcome = { written: 0, sealed: 0 };
  const failures: unknown[] = [];
  for (const month of new Set(days.map(monthOf))) {
    const ofMonth = days.filter((day) => monthOf(day) === month).sort();
    const replaced = new Map<string, Replaced>();
    const cover = await coverOf(db, target.account, ofMonth);
    for (const part of sealedParts(CHANNELS[target.account.channel])) {
      for (const slice of slicesOf(target.account, { part, days: ofMonth }, cover)) {
        try {
          await sealSlice(db, { target, part, replaced, ...slice }, outcome);
        } catch (error) {
          if (isUnavailable(error)) throw error;
          failures.push(error);
        }
      }
    }
  }
  if (failures.length > 0) throw failures[0];
  return outcome;
}

/** Days of a part that are sealed together. */
interface Slice {
  days: Day[];
  rows: number;
}

/** The pending days of a part, ascending, as many together as may be held at once. */
function slicesOf(
  account: Account,
  { part, days }: { part: SealedPart; days: readonly Day[] },
  cover: Coverage,
): Slice[] {
  const slices: Slice[] = [];
  for (const { day } of pendingOf(account, { part, days }, cover)) {
    const digests = sourcesOfPart(account, part).map(
      ({ id }) => cover.cells.get(day)?.get(id)?.digest,
    );
    const rows = digests.reduce((sum, digest) => sum + (digest ? rowsOf(digest) : 0), 0);
    const slice = slices.at(-1);
    if (slice && slice.rows + rows <= ROWS_MAX) {
      slice.days.push(day);
      slice.rows += rows;
    } else slices.push({ days: [day], rows });
  }
  return slices;
}

/** In how many shares a slice's entities are sealed; above the ad groups rows become few when they are added up. */
function sharesOf({ part, rows }: Slice & { part: SealedPart }): number {
  return part === 'g' || part === 'd' ? Math.max(1, Math.ceil(rows / ROWS_MAX)) : 1;
}

interface SliceWork extends Slice {
  target: SealTarget;
  part: SealedPart;
  /** Collects where older chunks than the cell's were met. */
  replaced: Map<string, Replaced>;
}

async function sealSlice(db: Database, slice: SliceWork, outcome: SealOutcome): Promise<void> {
  const { target, part, days, replaced } = slice;
  const pacer = createPacer();
  const overtaken: Overtaken = new Map();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const cover = await coverOf(db, target.account, days);
    const pending = pendingOf(target.account, { part, days }, cover, overtaken);
    if (pending.length === 0) return;
    const shares = sharesOf(slice);
    const giveBack = await target.hold?.(Math.ceil(slice.rows / shares));
    try {
      const work = { target, part, pending, cover, pacer, replaced, overtaken, shares };
      await sealPart(db, work, outcome);
    } finally {
      giveBack?.();
      await cleanUp(db, target.account, replaced);
    }
  }
  if (overtaken.size > 0) {
    throw new Error(
      `Sealing ${[...overtaken.keys()].join(', ')} of ${target.account._id} was overtaken ${ROUNDS_MAX} times`,
    );
  }
}

/** Deletes the replaced chunks that were met, of days whose every part is sealed from the current ones. */
async function cleanUp(
  db: Database,
  account: Account,
  replaced: Map<string, Replaced>,
): Promise<void> {
  if (replaced.size === 0) return;
  const days = [...new Set([...replaced.values()].map(({ day }) => day))].sort();
  const cover = await coverOf(db, account, days);
  const unsealed = new Set(
    sealedParts(CHANNELS[account.channel]).flatMap((part) =>
      pendingOf(account, { part, days }, cover).map(({ day }) => day),
    ),
  );
  for (const [key, { source, day }] of replaced) {
    const base = cover.cells.get(day)?.get(source)?.base;
    if (unsealed.has(day) || base === undefined) continue;
    await deleteReplaced(db, { account: account._id, source, day, base });
    replaced.delete(key);
  }
}
