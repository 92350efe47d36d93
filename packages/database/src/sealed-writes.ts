import {
  type BlogDay,
  CHANNELS,
  type Day,
  hasDelivery,
  metricsOf,
  monthOf,
  SEAL_VERSION,
  type SealedEntity,
  type SealedPart,
  zeroFigures,
} from '@tributary/shared';
import { type AnyBulkWriteOperation, type BulkWriteResult, MongoBulkWriteError } from 'mongodb';
import type { Account } from './accounts.ts';
import { type AdMonthDoc, adMonthKey, adMonths } from './ad-months.ts';
import { type BlogMonthDoc, blogMonthKey, blogMonths } from './blog-months.ts';
import type { Database } from './database.ts';
import { isDuplicateKey, retryDuplicate } from './duplicate-key.ts';
import type { AnyRow } from './observations.ts';
import type { Pacer } from './pacer.ts';
import { contentHash, makePiece } from './piece.ts';
import { readFigures, type StatDayDoc, statDayKey, statDays, storeFigures } from './stat-days.ts';

const BATCH = 500;
const ATTEMPTS_MAX = 10;

/** A blog's day that the platform no longer gives, or gave nothing for. */
const NO_VISITS: BlogDay = {
  pageViews: 0,
  visitors: 0,
  visits: 0,
  averageDurationSeconds: 0,
  referrers: [],
  posts: [],
  neighbours: { mutual: 0, oneWay: 0, other: 0 },
};

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

/** Writes ads' totals into their months; `$max` compares runs, so an older sealing never wins. */
export async function writeAdDays(db: Database, work: SealedWork): Promise<Writing> {
  const { account, days, pacer } = work;
  const zeros = zeroFigures(new Set(metricsOf(CHANNELS[account.channel], 'd')));
  const months = new Map<string, Record<string, AdMonthDoc['d'][string]>>();
  for (const { day, run, entities, former } of days) {
    const ids = new Set([...entities.keys(), ...former]);
    for (const id of ids) {
      const key = adMonthKey(account.link, id, monthOf(day));
      const month = months.get(key) ?? {};
      months.set(key, month);
      month[day.slice(8)] = { r: run, t: storeFigures(entities.get(id)?.totals ?? zeros) };
    }
    await pacer.pause();
  }
  return await writeMonths(work, [...months], {
    read: async (ids) => {
      const found = await adMonths(db)
        .find({ _id: { $in: ids } })
        .toArray();
      return new Map(found.map(({ _id, d }) => [_id, d]));
    },
    isSame: (a, b) => String(readFigures(a.t)) === String(readFigures(b.t)),
    isEmpty: ({ t }) => !hasDelivery(readFigures(t)),
    write: async (operations) => {
      await retryDuplicate(() =>
        adMonths(db).bulkWrite(
          operations.map(({ _id, $max }) => ({
            updateOne: {
              filter: { _id },
              update: { $max, $setOnInsert: { tenant: account.tenant } },
              upsert: true,
            },
          })),
          { ordered: false },
        ),
      );
    },
  });
}

/** Writes blog days into their months, by the same rule. */
export async function writeBlogDays(db: Database, work: SealedWork): Promise<Writing> {
  const { account, days } = work;
  const months = new Map<string, Record<string, BlogMonthDoc['d'][string]>>();
  for (const { day, run, blog } of days) {
    const [value = NO_VISITS] = blog as BlogDay[]; // the blog's set holds blog days only
    const key = blogMonthKey(account.link, monthOf(day));
    const month = months.get(key) ?? {};
    months.set(key, month);
    month[day.slice(8)] = { r: run, v: value };
  }
  return await writeMonths(work, [...months], {
    read: async (ids) => {
      const found = await blogMonths(db)
        .find({ _id: { $in: ids } })
        .toArray();
      return new Map(found.map(({ _id, d }) => [_id, d]));
    },
    isSame: (a, b) => JSON.stringify(a.v) === JSON.stringify(b.v),
    isEmpty: ({ v }) => JSON.stringify(v) === JSON.stringify(NO_VISITS),
    write: async (operations) => {
      await retryDuplicate(() =>
        blogMonths(db).bulkWrite(
          operations.map(({ _id, $max }) => ({
            updateOne: {
              filter: { _id },
              update: { $max, $setOnInsert: { tenant: account.tenant } },
              upsert: true,
            },
          })),
          { ordered: false },
        ),
      );
    },
  });
}

interface MonthStore<Entry> {
  read(ids: string[]): Promise<Map<string, Record<string, Entry>>>;
  isSame(a: Entry, b: Entry): boolean;
  /** True for an entry that says no more than its absence. */
  isEmpty(entry: Entry): boolean;
  write(operations: { _id: string; $max: Record<string, Entry> }[]): Promise<void>;
}

async function writeMonths<Entry>(
  { standing, announce, pacer }: SealedWork,
  months: readonly [id: string, days: Record<string, Entry>][],
  store: MonthStore<Entry>,
): Promise<Writing> {
  let written = 0;
  for (let start = 0; start < months.length; start += BATCH) {
    const batch = months.slice(start, start + BATCH);
    const stored = await store.read(batch.map(([id]) => id));
    const operations = batch.flatMap(([_id, days]) => {
      const known = stored.get(_id) ?? {};
      const different = Object.entries(days).filter(([day, entry]) => {
        const seen = known[day];
        return seen === undefined ? !store.isEmpty(entry) : !store.isSame(seen, entry);
      });
      if (different.length === 0) return [];
      return [
        { _id, $max: Object.fromEntries(different.map(([day, entry]) => [`d.${day}`, entry])) },
      ];
    });
    await pacer.pause();
    if (operations.length === 0) continue;
    await announce();
    if ((await standing()).includes(false)) return { written, isDone: false };
    await store.write(operations);
    written += operations.length;
  }
  return { written, isDone: true };
}
