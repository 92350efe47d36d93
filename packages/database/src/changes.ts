import type { Day, Millis, SealedPart } from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Database, READ } from './database.ts';
import { isDuplicateKey } from './duplicate-key.ts';

const BUCKET_SIZE = 100;
const ATTEMPTS_MAX = 50;

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
  e: Change[];
}

export function changes({ db }: Database): Collection<ChangeBucket> {
  return db.collection<ChangeBucket>('changes');
}

function bucketKey(tenant: string, bucket: number): string {
  return `${tenant}.${String(bucket).padStart(10, '0')}`;
}

/**
 * Appends a change to its tenant's feed. Number and entry are one atomic write, so the feed has no gaps and no order
 * but its own, however many processes write.
 */
export async function publishChange(db: Database, tenant: string, change: Change): Promise<void> {
  let bucket = await newestBucket(db, tenant);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    try {
      await changes(db).updateOne(
        { _id: bucketKey(tenant, bucket), n: { $lt: BUCKET_SIZE } },
        { $push: { e: change }, $inc: { n: 1 } },
        { upsert: true },
      );
      return;
    } catch (error) {
      // The bucket is full, or another writer just made it: the newest one tells which.
      if (!isDuplicateKey(error)) throw error;
      const found = await changes(db).findOne(
        { _id: bucketKey(tenant, bucket) },
        { ...READ, projection: { n: 1 } },
      );
      if (found && found.n >= BUCKET_SIZE) bucket += 1;
    }
  }
  throw new Error(
    `The change feed of tenant '${tenant}' took no entry in ${ATTEMPTS_MAX} attempts`,
  );
}

async function newestBucket(db: Database, tenant: string): Promise<number> {
  const [newest] = await changes(db)
    .find({ _id: { $gte: `${tenant}.`, $lt: `${tenant}/` } }, { ...READ, projection: { _id: 1 } })
    .sort({ _id: -1 })
    .limit(1)
    .toArray();
  return newest ? Number(newest._id.slice(-10)) : 0;
}
