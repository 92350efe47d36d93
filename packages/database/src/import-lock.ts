import type { Millis } from '@tributary/shared';
import type { Collection } from 'mongodb';
import type { Database } from './database.ts';
import { isDuplicateKey } from './duplicate-key.ts';
import type { AuthorizedLink } from './links.ts';

/** `<link>.lock`, beside the rows that are put aside. */
interface LockDoc {
  _id: string;
  tenant: string;
  owner: string;
  until: Millis;
  expireAt: Date;
}

/** How long a lock stands after it was last extended: whoever held it is gone. */
export const IMPORT_LOCK_MS = 60_000;

function locks({ db }: Database): Collection<LockDoc> {
  return db.collection<LockDoc>('imports');
}

/**
 * Begins or goes on with an import of a link: one at a time. Correctness does not hang on it, as the runs order what is
 * written; it keeps two files from being taken half and half.
 *
 * @returns false while another import is under way
 */
export async function holdImportLock(
  db: Database,
  { _id: link, tenant }: AuthorizedLink,
  { owner, now }: { owner: string; now: Millis },
): Promise<boolean> {
  const until = now + IMPORT_LOCK_MS;
  try {
    await locks(db).updateOne(
      { _id: `${link}.lock`, $or: [{ owner }, { until: { $lte: now } }] },
      { $set: { tenant, owner, until, expireAt: new Date(until + IMPORT_LOCK_MS) } },
      { upsert: true },
    );
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

export async function releaseImportLock(
  db: Database,
  link: AuthorizedLink,
  owner: string,
): Promise<void> {
  await locks(db).deleteOne({ _id: `${link._id}.lock`, owner });
}
