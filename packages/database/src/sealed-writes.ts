import {
  type Day,
  SEAL_VERSION,
  type SealedEntity,
  type SealedPart,
  type Sealing,
} from '@tributary/shared';
import { type AnyBulkWriteOperation, type BulkWriteResult, MongoBulkWriteError } from 'mongodb';
import type { Account } from './accounts.ts';
import type { Database } from './database.ts';
import { isDuplicateKey } from './duplicate-key.ts';
import type { AnyRow } from './observations.ts';
import type { Pacer } from './pacer.ts';
import { contentHash, makePieceAside } from './piece.ts';
import { type StatDayDoc, statDayKey, statDays, storeFigures } from './stat-days.ts';

const BATCH = 500;
/** Texts that are held at once, unless a single one is longer. */
const BATCH_CHARS_MAX = 4_000_000;
const ATTEMPTS_MAX = 10;

/** One day of one part, its rows added up, its texts to be made. */
export interface SealedDay {
  day: Day;
  /** Highest run that it is sealed from. */
  run: number;
  entities: Pick<Sealing, 'ids' | 'sealEntity'>;
  /** Entities that may have a document although they have no figures any more. */
  former: ReadonlySet<string>;
  blog: readonly AnyRow[];
}

/** Every entity that has a document, may have had one, or gets one. */
export function entityIds({ entities, former }: SealedDay): Set<string> {
  const ids = entities.ids();
  for (const id of former) ids.add(id);
  return ids;
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
  const writing: Writing = { written: 0, isDone: true };
  for await (const batch of batchesOf(work)) {
    await writeBatch(db, work, batch, writing);
    if (!writing.isDone) break;
  }
  return writing;
}

/** The documents of all days, sealed a batch at a time. */
async function* batchesOf({
  account,
  level,
  days,
  pacer,
}: SealedWork): AsyncGenerator<WantedDay[]> {
  if (level !== 'a' && level !== 'c' && level !== 'g') return;
  let batch: WantedDay[] = [];
  let chars = 0;
  for (const sealedDay of days) {
    const { day, run, entities } = sealedDay;
    for (const id of entityIds(sealedDay)) {
      const sealed = entities.sealEntity(id);
      const _id = statDayKey(account.link, level, level === 'a' ? account.account : id, day);
      batch.push({ _id, run, ...(sealed && { sealed }) });
      chars += sealed?.json.length ?? 0;
      await pacer.pause();
      if (batch.length < BATCH && chars < BATCH_CHARS_MAX) continue;
      yield batch;
      batch = [];
      chars = 0;
    }
  }
  if (batch.length > 0) yield batch;
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
      writes.push(...(await writesOf(want, seen.get(want._id), work.account.tenant)));
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

async function writesOf(
  want: WantedDay,
  seen: string | undefined,
  tenant: string,
): Promise<AnyBulkWriteOperation<StatDayDoc>[]> {
  const { _id, run, sealed } = want;
  if (!sealed) return seen === undefined ? [] : [{ deleteOne: { filter: { _id, h: seen } } }];
  const h = contentHash(sealed.json);
  if (h === seen) return [];
  const fields = {
    t: storeFigures(sealed.totals),
    ...(await makePieceAside(sealed.json)),
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
