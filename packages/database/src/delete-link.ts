import type { Millis } from '@tributary/shared';
import type { UpdateFilter } from 'mongodb';
import { COLLECTIONS } from './collections.ts';
import { eraseCredentials } from './credentials.ts';
import { type Database, READ } from './database.ts';
import { keysBelow } from './keys.ts';
import { type AuthorizedLink, buryLink, type Link, links } from './links.ts';
import { plainText } from './tenant-scope.ts';

/**
 * Deletes a link for its tenant: a tombstone under a new generation, so that running work stops and brings nothing
 * back, and no credentials. What was collected goes with {@link purgeLink}.
 *
 * @returns false when it was deleted before
 */
export async function deleteLink(
  db: Database,
  link: AuthorizedLink,
  now: Millis,
): Promise<boolean> {
  // The tombstone comes first: credentials saved in between are erased by whoever saved them, or here.
  const buried = await buryLink(db, link, now);
  await eraseCredentials(db, link._id);
  return buried;
}

/** A turn may still be writing when its link is deleted: the purge comes at once, after ten minutes and after a day. */
const PURGED_AFTER_MS = [0, 10 * 60_000, 24 * 3_600_000];

/** A deleted link that is due to be purged. */
export interface DuePurge {
  _id: string;
  deletedAt: Millis;
  purgeAt: Millis;
}

/** Deleted links whose purge is due, the longest waiting first. */
export async function listDuePurges(
  db: Database,
  { now, limit = 1000 }: { now: Millis; limit?: number },
): Promise<DuePurge[]> {
  const found = await links(db)
    .find({ purgeAt: { $lte: now } }, { ...READ, projection: { deletedAt: 1, purgeAt: 1 } })
    .sort({ purgeAt: 1 })
    .limit(limit)
    .toArray();
  return found.map(({ _id, deletedAt = now, purgeAt = now }) => ({ _id, deletedAt, purgeAt }));
}

/** A purge that began at `begunAt` left nothing: the next one is the first that has to begin later. */
export async function finishPurge(
  db: Database,
  { _id, deletedAt, purgeAt }: DuePurge,
  begunAt: Millis,
): Promise<void> {
  const next = PURGED_AFTER_MS.map((after) => deletedAt + after).find((at) => at > begunAt);
  const update = next === undefined ? { $unset: { purgeAt: '' } } : { $set: { purgeAt: next } };
  await links(db).updateOne({ _id, purgeAt }, update as UpdateFilter<Link>); // one of the two, as built here
}

const BATCH = 500;
const BATCHES_MAX = 20_000;

/**
 * Deletes everything stored below a deleted link, in batches of 500 by ranges of the key. The tombstone stays. May be
 * repeated and interrupted at any point.
 *
 * @returns how many documents went, and whether nothing was left
 * @throws RangeError when the link is not deleted
 */
export async function purgeLink(
  db: Database,
  linkId: string,
  { signal }: { signal?: AbortSignal } = {},
): Promise<{ deleted: number; done: boolean }> {
  const link = await links(db).findOne({ _id: plainText('link', linkId) }, READ);
  if (link && link.deletedAt === undefined) {
    throw new RangeError(`Link '${linkId}' is not deleted, nothing of it is purged`);
  }
  await eraseCredentials(db, linkId);
  let deleted = 0;
  let batches = 0;
  for (const { name } of COLLECTIONS.filter(({ belowLink }) => belowLink)) {
    for (let left = true; left; batches += 1) {
      if (batches >= BATCHES_MAX || signal?.aborted) return { deleted, done: false };
      const count = await deleteBatch(db, name, linkId);
      deleted += count;
      left = count > 0;
    }
  }
  return { deleted, done: true };
}

async function deleteBatch({ db }: Database, name: string, linkId: string): Promise<number> {
  const collection = db.collection<{ _id: string }>(name);
  const range = keysBelow(linkId);
  const options = { ...READ, projection: { _id: 1 } } as const;
  // The key that ends the batch; without one the rest is small enough.
  const [end] = await collection
    .find({ _id: range }, options)
    .sort({ _id: 1 })
    .skip(BATCH)
    .limit(1)
    .toArray();
  const { deletedCount } = await collection.deleteMany({
    _id: end ? { $gte: range.$gte, $lt: end._id } : range,
  });
  return deletedCount;
}
