import type { Millis } from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Database, READ } from './database.ts';
import { isDuplicateKey, retryDuplicate } from './duplicate-key.ts';
import { encodeId } from './keys.ts';
import { filledText, tenantScope, wholeNumber } from './tenant-scope.ts';

/** A note filed under a tag key. */
export interface Comment {
  /** Counts up from 1 in its tenant; never used twice. */
  idx: number;
  key: string;
  title: string;
  contents: string;
  createdAt: Millis;
  updatedAt: Millis;
}

interface CommentDoc extends Comment {
  /** `<tenant>.<idx, 15 digits>` */
  _id: string;
  tenant: string;
}

const COMMENT = { _id: 0, tenant: 0 } as const;
const ATTEMPTS_MAX = 5;
/** Each attempt that loses was won by another change. */
const RACES_MAX = 100;

function comments({ db }: Database): Collection<CommentDoc> {
  return db.collection<CommentDoc>('comments');
}

function counters({ db }: Database) {
  return db.collection<{ _id: string; tenant: string; n: number }>('counters');
}

export interface CommentInput {
  key: string;
  title: string;
  contents: string;
  now: Millis;
}

/** Stores a comment under the tenant's next number. */
export async function createComment(
  db: Database,
  tenant: string,
  { key, title, contents, now }: CommentInput,
): Promise<Comment> {
  const fields = {
    key: filledText('key', key),
    title: filledText('title', title),
    contents: filledText('contents', contents),
    createdAt: now,
    updatedAt: now,
  };
  for (let attempt = 1; ; attempt += 1) {
    const idx = await nextIdx(db, tenant);
    const _id = `${encodeId(tenant)}.${String(idx).padStart(15, '0')}`;
    try {
      await comments(db).insertOne({ _id, ...tenantScope(tenant), idx, ...fields });
      return { idx, ...fields };
    } catch (error) {
      if (!isDuplicateKey(error) || attempt === ATTEMPTS_MAX) throw error;
      // The counter is behind the comments, as after restoring only some collections.
      await raiseCounter(db, tenant);
    }
  }
}

function counterFilter(tenant: string) {
  const scope = tenantScope(tenant);
  return { _id: `${encodeId(tenant)}.comments`, ...scope };
}

async function nextIdx(db: Database, tenant: string): Promise<number> {
  const counter = await retryDuplicate(() =>
    counters(db).findOneAndUpdate(
      counterFilter(tenant),
      { $inc: { n: 1 } },
      { upsert: true, returnDocument: 'after' },
    ),
  );
  if (!counter) throw new Error('An upserted counter was not returned');
  return counter.n;
}

async function raiseCounter(db: Database, tenant: string): Promise<void> {
  const highest = await comments(db).findOne(tenantScope(tenant), { ...READ, sort: { idx: -1 } });
  if (highest) await counters(db).updateOne(counterFilter(tenant), { $max: { n: highest.idx } });
}

interface CommentQuery {
  /** Those of one key. */
  key?: string | undefined;
  /** The number of the last comment of the page before. */
  after?: number | undefined;
  /** Absent = all. */
  limit?: number | undefined;
}

/** A tenant's comments by number. */
export async function listComments(
  db: Database,
  tenant: string,
  { key, after, limit = 0 }: CommentQuery = {},
): Promise<Comment[]> {
  const filed = key === undefined ? {} : { key: filledText('key', key) };
  const behind = after === undefined ? {} : { idx: { $gt: wholeNumber('idx', after) } };
  return await comments(db)
    .find<Comment>(
      { ...tenantScope(tenant), ...filed, ...behind },
      { ...READ, projection: COMMENT },
    )
    .sort({ idx: 1 })
    .limit(limit)
    .toArray();
}

function commentFilter(tenant: string, { key, idx }: { key: string; idx: number }) {
  return { ...tenantScope(tenant), idx: wholeNumber('idx', idx), key: filledText('key', key) };
}

/** Which comment is meant, and, if that matters, in which of its forms. */
interface CommentPlace {
  key: string;
  idx: number;
  /** The `updatedAt` that it may have; absent = any. */
  versions?: readonly Millis[] | undefined;
}

/**
 * Changes title and contents. Every change of them moves `updatedAt`, also within a millisecond.
 *
 * @returns undefined when the tenant has no comment of this key and number, `changed` when it has another version
 */
export async function updateComment(
  db: Database,
  tenant: string,
  { key, idx, versions, now, ...input }: CommentInput & CommentPlace,
): Promise<Comment | 'changed' | undefined> {
  const filter = commentFilter(tenant, { key, idx });
  const title = filledText('title', input.title);
  const contents = filledText('contents', input.contents);
  for (let attempt = 1; attempt <= RACES_MAX; attempt += 1) {
    const found = await findComment(db, filter);
    if (!found) return undefined;
    if (versions?.includes(found.updatedAt) === false) return 'changed';
    const isSame = found.title === title && found.contents === contents;
    const change = {
      title,
      contents,
      updatedAt: Math.max(now, found.updatedAt + (isSame ? 0 : 1)),
    };
    const seen = { ...filter, updatedAt: found.updatedAt };
    const { matchedCount } = await comments(db).updateOne(seen, { $set: change });
    if (matchedCount === 1) return { ...found, ...change };
  }
  throw new Error(`Comment ${idx} was changed by others ${RACES_MAX} times in between`);
}

async function findComment(
  db: Database,
  filter: ReturnType<typeof commentFilter>,
): Promise<Comment | undefined> {
  const options = { ...READ, projection: COMMENT };
  return (await comments(db).findOne<Comment>(filter, options)) ?? undefined;
}

/** False when the tenant has no comment of this key and number, `changed` when it has another version. */
export async function deleteComment(
  db: Database,
  tenant: string,
  { key, idx, versions }: CommentPlace,
): Promise<boolean | 'changed'> {
  const filter = commentFilter(tenant, { key, idx });
  const seen = versions && { updatedAt: { $in: versions.map((at) => wholeNumber('version', at)) } };
  const { deletedCount } = await comments(db).deleteOne({ ...filter, ...seen });
  if (deletedCount === 1) return true;
  return seen && (await findComment(db, filter)) ? 'changed' : false;
}
