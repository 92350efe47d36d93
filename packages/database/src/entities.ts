import { FatalError } from '@tributary/runtime';
import {
  type Entity,
  type EntityCounts,
  type EntityStatus,
  LEVEL_WORDS,
  type Level,
  type Millis,
} from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Database, READ } from './database.ts';
import { retryDuplicate } from './duplicate-key.ts';
import { decodeId, encodeId, isUnicode, keysBelow } from './keys.ts';
import type { AuthorizedLink } from './links.ts';
import { plainText, tenantScope } from './tenant-scope.ts';

/** A node of an account's tree as it is stored. */
export interface EntityDoc extends Entity {
  /** `<link>.<level>.<id>` */
  _id: string;
  tenant: string;
  link: string;
  /** `<link>.<account>` */
  account: string;
  /** When it was last seen to be new or different. */
  seenAt: Millis;
}

export type StoredEntity = Pick<
  EntityDoc,
  'id' | 'level' | 'account' | 'title' | 'status' | 'parent'
>;

const STORED = { _id: 0, id: 1, level: 1, account: 1, title: 1, status: 1, parent: 1 } as const;
const BATCH = 500;

export function entities({ db }: Database): Collection<EntityDoc> {
  return db.collection<EntityDoc>('entities');
}

export function entityKey(link: string, level: Level, id: string): string {
  return `${link}.${level}.${encodeId(id)}`;
}

export interface EntityPage {
  tenant: string;
  /** The link's id. */
  link: string;
  /** `<link>.<account>` */
  account: string;
  entities: readonly Entity[];
  now: Millis;
}

/**
 * Stores a page of an account's tree. Compares first and writes only what is new or different, in unordered batches:
 * an unchanged tree costs no write.
 *
 * @throws FatalError `id_of_another_account` for an id that another account of the link has: figures are kept by link and
 *   id, so those of both would be served as one
 */
export async function upsertEntities(
  db: Database,
  page: EntityPage,
): Promise<{ inserted: number; modified: number; unchanged: number }> {
  const counts = { inserted: 0, modified: 0, unchanged: 0 };
  // An id that comes twice would race with itself inside a batch: the last one counts.
  const wanted = new Map(
    page.entities.map((one) => [entityKey(page.link, one.level, one.id), one] as const),
  );
  const pairs = [...wanted];
  for (let start = 0; start < pairs.length; start += BATCH) {
    const batch = pairs.slice(start, start + BATCH);
    const { inserted, modified } = await retryDuplicate(() => writeDifferent(db, page, batch));
    counts.inserted += inserted;
    counts.modified += modified;
    counts.unchanged += batch.length - inserted - modified;
  }
  return counts;
}

async function writeDifferent(
  db: Database,
  { tenant, link, account, now }: EntityPage,
  batch: readonly (readonly [key: string, entity: Entity])[],
): Promise<{ inserted: number; modified: number }> {
  const keys = batch.map(([key]) => key);
  const stored = await entities(db)
    .find({ _id: { $in: keys }, ...tenantScope(tenant) }, READ)
    .toArray();
  const known = new Map(stored.map((doc) => [doc._id, doc]));
  const writes = batch.flatMap(([_id, entity]) => {
    const doc = known.get(_id);
    if (doc && isSame(doc, entity, account)) return [];
    if (doc && doc.account !== account && doc.status !== 'removed')
      throw claimedTwice(doc, account);
    const { level, id, parent, title, status } = entity;
    const fields = { link, account, level, id, parent, title, status, seenAt: now };
    // The tenant belongs to the filter: another tenant's document of this key is an error, never overwritten.
    const filter = { _id, ...tenantScope(tenant) };
    return [{ updateOne: { filter, update: { $set: fields }, upsert: true } }];
  });
  if (writes.length === 0) return { inserted: 0, modified: 0 };
  const result = await entities(db).bulkWrite(writes, { ordered: false });
  return { inserted: result.upsertedCount, modified: result.modifiedCount };
}

/**
 * Stores the entities of a page that are not known yet, and leaves the others alone: figures tell of what the platform no
 * longer lists, or does not list yet.
 *
 * @returns how many were new
 */
export async function addUnknownEntities(db: Database, page: EntityPage): Promise<number> {
  const { tenant, link, account, now } = page;
  const wanted = new Map(
    page.entities.map((one) => [entityKey(link, one.level, one.id), one] as const),
  );
  const keys = [...wanted.keys()];
  let added = 0;
  for (let start = 0; start < keys.length; start += BATCH) {
    const batch = keys.slice(start, start + BATCH);
    const stored = await entities(db)
      .find({ _id: { $in: batch } }, { ...READ, projection: { _id: 1 } })
      .toArray();
    const known = new Set(stored.map(({ _id }) => _id));
    const writes = batch.flatMap((_id) => {
      const entity = known.has(_id) ? undefined : wanted.get(_id);
      if (!entity) return [];
      const fields = { ...tenantScope(tenant), link, account, ...entity, seenAt: now };
      return [{ updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true } }];
    });
    if (writes.length === 0) continue;
    const write = () => entities(db).bulkWrite(writes, { ordered: false });
    added += (await retryDuplicate(write)).upsertedCount;
  }
  return added;
}

function claimedTwice({ level, id, account: owner }: EntityDoc, account: string): FatalError {
  return new FatalError(
    'id_of_another_account',
    `The ${LEVEL_WORDS[level]} '${id}' of account '${account}' is already one of account '${owner}': link one of them alone`,
  );
}

function isSame(doc: EntityDoc, entity: Entity, account: string): boolean {
  return (
    doc.account === account &&
    doc.parent === entity.parent &&
    doc.title === entity.title &&
    doc.status === entity.status
  );
}

/**
 * Marks the entities of an account that a complete reading of its tree did not hold as `removed`; none is deleted, their
 * statistics stay.
 *
 * @param seen the {@link entityKey} of everything that was read
 * @param now when the reading began: what a newer one has found since is not missing
 * @returns how many became removed
 */
export async function removeMissing(
  db: Database,
  { account, seen, now }: { account: string; seen: ReadonlySet<string>; now: Millis },
): Promise<number> {
  const stored = entities(db).find(
    { account: plainText('account', account), status: { $ne: 'removed' }, seenAt: { $lte: now } },
    { projection: { _id: 1 }, maxTimeMS: 25_000 },
  );
  const missing: string[] = [];
  for await (const { _id } of stored) if (!seen.has(_id)) missing.push(_id);
  let removed = 0;
  for (let start = 0; start < missing.length; start += BATCH) {
    const { modifiedCount } = await entities(db).updateMany(
      { _id: { $in: missing.slice(start, start + BATCH) }, account },
      { $set: { status: 'removed', seenAt: now } },
    );
    removed += modifiedCount;
  }
  return removed;
}

/** One entity of a link by the platform's id; undefined when unknown or of another level. */
export async function findEntity(
  db: Database,
  link: AuthorizedLink,
  level: Level,
  id: string,
): Promise<StoredEntity | undefined> {
  if (!isUnicode(id)) return undefined;
  const filter = { _id: entityKey(link._id, level, id), ...tenantScope(link.tenant) };
  const options = { ...READ, projection: STORED };
  return (await entities(db).findOne<StoredEntity>(filter, options)) ?? undefined;
}

/** How many entities of an account there are at each level below it, without the removed ones. */
export async function countEntities(db: Database, account: string): Promise<EntityCounts> {
  const count = (level: Level) =>
    entities(db).countDocuments(
      { account: plainText('account', account), level, status: { $ne: 'removed' } },
      READ,
    );
  const [c, g, d] = await Promise.all([count('c'), count('g'), count('d')]);
  return { c, g, d };
}

export interface EntityQuery {
  level: Level;
  /** The platform's id one level up. */
  parent?: string | undefined;
  limit: number;
  /** The id of the last entity of the page before. */
  after?: string | undefined;
}

/** A page of a link's entities of one level, in the order of their keys. */
export async function listEntities(
  db: Database,
  link: AuthorizedLink,
  { level, parent, limit, after }: EntityQuery,
): Promise<StoredEntity[]> {
  const { $gte, $lt } = keysBelow(`${link._id}.${level}`);
  const from = after === undefined ? { $gte } : { $gt: entityKey(link._id, level, after) };
  const below = parent === undefined ? {} : { parent: plainText('parent', parent) };
  return await entities(db)
    .find<StoredEntity>(
      { _id: { ...from, $lt }, ...tenantScope(link.tenant), link: link._id, level, ...below },
      { ...READ, projection: STORED },
    )
    .sort({ _id: 1 })
    .limit(limit)
    .toArray();
}

/** An ad account or campaign as the interface's `child` shows it. */
export interface ChildNode {
  id: string;
  title: string;
  level: 'adAccount' | 'campaign';
  status: EntityStatus;
  child?: ChildNode[];
}

/** The ad accounts of a link with their campaigns, both by key; `[]` before the tree is known. */
export async function childTree(db: Database, link: AuthorizedLink): Promise<ChildNode[]> {
  const read = (level: 'a' | 'c') =>
    entities(db)
      .find<StoredEntity>(
        { _id: keysBelow(`${link._id}.${level}`), ...tenantScope(link.tenant) },
        { ...READ, projection: STORED },
      )
      .sort({ _id: 1 })
      .toArray();
  const [accounts, campaigns] = await Promise.all([read('a'), read('c')]);
  const nodes = new Map<string, ChildNode & { child: ChildNode[] }>();
  for (const { account, id, title, status } of accounts) {
    nodes.set(account, { id, title, level: 'adAccount', status, child: [] });
  }
  for (const { account, id, title, status } of campaigns) {
    // A campaign is shown even if its account is not stored as an entity yet.
    const node = nodes.get(account) ?? unknownAccount(link._id, account);
    nodes.set(account, node);
    node.child.push({ id, title, level: 'campaign', status });
  }
  return [...nodes.values()];
}

function unknownAccount(link: string, account: string) {
  const id = decodeId(account.slice(link.length + 1));
  return {
    id,
    title: '',
    level: 'adAccount',
    status: 'unknown',
    child: [] as ChildNode[],
  } as const;
}

/** The accounts (`<link>.<account>`) that some of a link's entities belong to, by {@link entityKey}; unknown ones are left out. */
export async function findOwners(
  db: Database,
  link: Pick<AuthorizedLink, '_id' | 'tenant'>,
  nodes: readonly Pick<Entity, 'level' | 'id'>[],
): Promise<Map<string, string>> {
  const owners = new Map<string, string>();
  for (let start = 0; start < nodes.length; start += BATCH) {
    const keys = nodes
      .slice(start, start + BATCH)
      .map(({ level, id }) => entityKey(link._id, level, id));
    const found = await entities(db)
      .find({ _id: { $in: keys }, ...tenantScope(link.tenant) }, READ)
      .project<Pick<EntityDoc, '_id' | 'account'>>({ account: 1 })
      .toArray();
    for (const { _id, account } of found) owners.set(_id, account);
  }
  return owners;
}
