import { type Day, SEAL_VERSION, type SealedEntity, type SealedPart } from '@tributary/shared';
import { type AnyBulkWriteOperation, type BulkWriteResult, MongoBulkWriteError } from 'mongodb';
import type { Account } from './accounts.ts';
import type { Database } from './database.ts';
import { isDuplicateKey } from './duplicate-key.ts';
import type { AnyRow } from './observations.ts';
import type { Pacer } from './pacer.ts';
import { contentHash, makePiece } from './piece.ts';
import { type StatDayDoc, statDayKey, statDays, storeFigures } from './stat-days.ts';

const BATCH = 500;
const ATTEMPTS_MAX = 10;

/** One day of one part, sealed and not yet written. */
export interface SealedDay {
  day: Day;
  /** Highest run that it was sealed from. */
  run: number;
  entities: ReadonlyMap<string, SealedEntity>;
  /** Entities that may have a document although they have no figures any more. */
  former: ReadonlySet<string>;
  blog: readonly AnyRow[];
}

export interface SealedWork {
  account: Account;
  level: SealedPart;
  days: readonly SealedDay[];
  /** For each day whether the cells it was sealed from still stand. */
  standing(): Promise<boolean[]>;
  /** To be told before the first document is written; again changes nothing. */
  announce(): Promise<void>;
  pacer: Pacer;
}

/** How far a writing came. */
export interface Writing {
  /** Documents written. */
  written: number;
  /** False when the cells moved or others kept writing the same documents: nothing may be marked then. */
  isDone: boolean;
}

/** What a document should be; no text = it should not be there. */
interface WantedDay {
  _id: string;
  run: number;
  sealed?: SealedEntity;
}

/**
 * Writes the sealed days of a level: only documents whose text differs, each only while it is what was compared.
 */
export async function writeStatDays(db: Database, work: SealedWork): Promise<Writing> {
  const wanted = work.days.flatMap((day) => wantedDays(work, day));
  const writing: Writing = { written: 0, isDone: true };
  for (let start = 0; start < wanted.length && writing.isDone; start += BATCH) {
    await writeBatch(db, work, wanted.slice(start, start + BATCH), writing);
  }
  return writing;
}

function wantedDays(
  { account, level }: SealedWork,
  { day, run, entities, former }: SealedDay,
): WantedDay[] {
  if (level !== 'a' && level !== 'c' && level !== 'g') return [];
  const ids = new Set([...entities.keys(), ...former]);
  return [...ids].map((id) => {
    const sealed = entities.get(id);
    const _id = statDayKey(account.link, level, level === 'a' ? account.account : id, day);
    return { _id, run, ...(sealed && { sealed }) };
  });
}

async function writeBatch(
  db: Database,
  work: SealedWork,
  wanted: readonly WantedDay[],
  writing: Writing,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const stored = await statDays(db)
      .find({ _id: { $in: wanted.map(({ _id }) => _id) } }, { projection: { h: 1, sv: 1 } })
      .toArray();
    const seen = new Map(stored.map(({ _id, h }) => [_id, h]));
    const writes: AnyBulkWriteOperation<StatDayDoc>[] = [];
    for (const want of wanted) {
      writes.push(...writeOf(want, seen.get(want._id), work.account.tenant));
      await work.pacer.pause();
    }
    if (writes.length === 0) return;
    await work.announce();
    // The cells are read after the documents: who sealed newer cells in between is seen here or by the hash.
    if ((await work.standing()).includes(false)) break;
    const done = await writeUnlessMoved(db, writes);
    writing.written += done;
    if (done === writes.length) return;
  }
  writing.isDone = false;
}

function writeOf(
  want: WantedDay,
  seen: string | undefined,
  tenant: string,
): AnyBulkWriteOperation<StatDayDoc>[] {
  const { _id, run, sealed } = want;
  if (!sealed) return seen === undefined ? [] : [{ deleteOne: { filter: { _id, h: seen } } }];
  const h = contentHash(sealed.json);
  if (h === seen) return [];
  const fields = {
    t: storeFigures(sealed.totals),
    ...makePiece(sealed.json),
    h,
    i: run,
    sv: SEAL_VERSION,
  };
  if (seen === undefined) return [{ insertOne: { document: { _id, tenant, ...fields } } }];
  return [{ updateOne: { filter: { _id, h: seen }, update: { $set: fields } } }];
}

/** How many writes met the document they were made for; one that somebody else wrote in between is no error. */
async function writeUnlessMoved(
  db: Database,
  writes: AnyBulkWriteOperation<StatDayDoc>[],
): Promise<number> {
  try {
    return countOf(await statDays(db).bulkWrite(writes, { ordered: false }));
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
    return countOf(error.result);
  }
}

function countOf({ insertedCount, matchedCount, deletedCount }: BulkWriteResult): number {
  return insertedCount + matchedCount + deletedCount;
}
