import type { Day, Millis, SealedPart } from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Database, READ } from './database.ts';
import { isDuplicateKey } from './duplicate-key.ts';
import { encodeId, keysBelow } from './keys.ts';

const BUCKET_SIZE = 100;
const BUCKET_DIGITS = 10;
const ATTEMPTS_MAX = 50;
/** Buckets that are dropped in one go. */
const DROP_MAX = 1_000;

/** What moved, as clients of the change feed are told. */
export interface Change {
  at: Millis;
  link: string;
  /** `<link>.<account>` */
  account: string;
  level: SealedPart;
  days: Day[];
}

/** `<tenant>.<bucket, 10 digits>`: up to 100 changes; the place in the bucket is the change's number. */
export interface ChangeBucket {
  _id: string;
  n: number;
  /** When the newest of them was published. */
  at: Millis;
  e: Change[];
}

export function changes({ db }: Database): Collection<ChangeBucket> {
  return db.collection<ChangeBucket>('changes');
}

function bucketKey(tenant: string, bucket: number): string {
  return `${encodeId(tenant)}.${bucketText(bucket)}`;
}

function bucketText(bucket: number): string {
  return String(bucket).padStart(BUCKET_DIGITS, '0');
}

/**
 * Appends a change to its tenant's feed. Number and entry are one atomic write, so the feed has no gaps and no order
 * but its own, however many processes write.
 */
export async function publishChange(db: Database, tenant: string, change: Change): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const newest = await outermostBucket(db, tenant, -1);
    // A bucket is made behind a full one alone: one that was read here and dropped since must not begin anew.
    const isNew = !newest || newest.n >= BUCKET_SIZE;
    const bucket = !newest ? 0 : newest.bucket + (isNew ? 1 : 0);
    if (await appendTo(db, bucketKey(tenant, bucket), { change, upsert: isNew })) return;
  }
  throw new Error(
    `The change feed of tenant '${tenant}' took no entry in ${ATTEMPTS_MAX} attempts`,
  );
}

/** False when the bucket is full or gone, or another writer made it at the same time. */
async function appendTo(
  db: Database,
  _id: string,
  { change, upsert }: { change: Change; upsert: boolean },
): Promise<boolean> {
  try {
    const { matchedCount, upsertedCount } = await changes(db).updateOne(
      { _id, n: { $lt: BUCKET_SIZE } },
      { $push: { e: change }, $inc: { n: 1 }, $max: { at: change.at } },
      { upsert },
    );
    return matchedCount + upsertedCount > 0;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** The newest (-1) or oldest (1) bucket; undefined before the first change. */
async function outermostBucket(
  db: Database,
  tenant: string,
  direction: 1 | -1,
): Promise<{ bucket: number; n: number } | undefined> {
  const [found] = await changes(db)
    .find({ _id: keysBelow(encodeId(tenant)) }, { ...READ, projection: { n: 1 } })
    .sort({ _id: direction })
    .limit(1)
    .toArray();
  return found && { bucket: numberOf(found), n: found.n };
}

function numberOf({ _id }: Pick<ChangeBucket, '_id'>): number {
  return Number(_id.slice(-BUCKET_DIGITS));
}

/** A place in a tenant's feed: behind the `index`th change of a bucket. */
export interface ChangePlace {
  bucket: number;
  index: number;
}

export interface ChangesPage {
  changes: Change[];
  /** Behind the last of them. */
  place: ChangePlace;
  /** More can be read at once. */
  more: boolean;
}

/**
 * The changes behind a place, in order; without one from the oldest that is kept.
 *
 * @returns undefined when what came next at the place is no longer kept, or the place was never reached
 */
export async function readChanges(
  db: Database,
  tenant: string,
  { after, limit }: { after?: ChangePlace | undefined; limit: number },
): Promise<ChangesPage | undefined> {
  const start = after ?? { bucket: (await outermostBucket(db, tenant, 1))?.bucket ?? 0, index: 0 };
  const buckets = await changes(db)
    .find(
      { _id: { $gte: bucketKey(tenant, start.bucket), $lt: keysBelow(encodeId(tenant)).$lt } },
      READ,
    )
    .sort({ _id: 1 })
    .limit(Math.ceil(limit / BUCKET_SIZE) + 2)
    .toArray();
  const [first] = buckets;
  if (!first && start.index === 0) {
    // Behind a full bucket nothing has come yet, unless the place was never reached.
    const newest = await outermostBucket(db, tenant, -1);
    const isReached = start.bucket === 0 || newest?.bucket === start.bucket - 1;
    return isReached ? { changes: [], place: start, more: false } : undefined;
  }
  if (!first || numberOf(first) !== start.bucket || first.n < start.index) return undefined;
  const page: Change[] = [];
  let place = start;
  for (const bucket of buckets) {
    if (numberOf(bucket) !== place.bucket) break; // what lay between is gone: the next page tells
    const { index } = place;
    const taken = bucket.e.slice(index, index + limit - page.length);
    page.push(...taken);
    place = behind(numberOf(bucket), index + taken.length);
    if (page.length === limit) break;
  }
  const last = buckets.at(-1);
  const end = last ? behind(numberOf(last), last.n) : place;
  return { changes: page, place, more: end.bucket !== place.bucket || end.index !== place.index };
}

function behind(bucket: number, index: number): ChangePlace {
  return index === BUCKET_SIZE ? { bucket: bucket + 1, index: 0 } : { bucket, index };
}

/**
 * Deletes buckets whose newest change is older than `before`. A tenant's newest bucket always stays: from it the numbers
 * go on.
 *
 * @returns how many were deleted
 */
export async function dropOldChanges(db: Database, before: Millis): Promise<number> {
  // A bucket that has room is its tenant's newest: those of tenants that are quiet need no look.
  const full = { n: BUCKET_SIZE, at: { $lt: before } };
  const old = changes(db)
    .find(full, { ...READ, projection: { _id: 1 } })
    .sort({ _id: 1 });
  let dropped = 0;
  for await (const bucket of old) {
    const next = bucket._id.slice(0, -BUCKET_DIGITS) + bucketText(numberOf(bucket) + 1);
    if (!(await changes(db).findOne({ _id: next }, { ...READ, projection: { _id: 1 } }))) continue;
    const { deletedCount } = await changes(db).deleteOne({ ...full, _id: bucket._id });
    dropped += deletedCount;
    if (dropped === DROP_MAX) break;
  }
  return dropped;
}
