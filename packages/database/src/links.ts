import type { ChannelType, Millis } from '@tributary/shared';
import type { Collection, Filter, UpdateFilter } from 'mongodb';
import { type Database, READ } from './database.ts';
import { randomId } from './keys.ts';
import { createPointReads } from './point-reads.ts';
import { filledText, plainObject, plainText, tenantScope, wholeNumber } from './tenant-scope.ts';

export type LinkStatus = 'Linking' | 'Completed' | 'Disconnect';

/** Why a link is in its status: a stable word and a sentence a person can act on. */
export interface LinkReason {
  code: string;
  message: string;
}

/** The interface's linked data record. */
export interface Link {
  /** Random; never used twice. */
  _id: string;
  tenant: string;
  type: ChannelType;
  title: string;
  /** '' when untagged. */
  tag: string;
  status: LinkStatus;
  reason: LinkReason | null;
  /** When the status became what it is. */
  statusSince?: Millis;
  /** Set while a client has it paused: nothing is planned or called. */
  pausedAt?: Millis;
  settings: Record<string, unknown>;
  /** Counts new credentials and the deletion: work that began under another generation no longer counts. */
  gen: number;
  createdAt: Millis;
  /** The tombstone. A deleted link is found by {@link findLinkById} alone. */
  deletedAt?: Millis;
  /** When what was collected of a deleted link is deleted (again); absent when that was done for the last time. */
  purgeAt?: Millis;
}

declare const authorized: unique symbol;

/** A link that was found under its tenant. What touches a link's data for a client asks for one. */
export type AuthorizedLink = Link & { readonly [authorized]: true };

export function links({ db }: Database): Collection<Link> {
  return db.collection<Link>('links');
}

const readLink = createPointReads(links);

export const NOT_DELETED = { deletedAt: { $exists: false } } as const;

/** True while work may be done for a link: it is neither deleted nor paused, and waits for no person. */
export function isOpenLink({ deletedAt, pausedAt, status }: Link): boolean {
  return deletedAt === undefined && pausedAt === undefined && status !== 'Disconnect';
}

function authorize(link: Link): AuthorizedLink {
  return link as AuthorizedLink; // The mark has no value at run time; only the functions here give it.
}

export interface NewLink {
  tenant: string;
  type: ChannelType;
  title: string;
  tag: string;
  settings: Record<string, unknown>;
  now: Millis;
}

/** Stores a new link: Linking, generation 0, without credentials. */
export async function createLink(db: Database, input: NewLink): Promise<AuthorizedLink> {
  const link: Link = {
    _id: randomId(),
    ...tenantScope(input.tenant),
    type: input.type,
    title: filledText('title', input.title),
    tag: plainText('tag', input.tag),
    status: 'Linking',
    reason: null,
    statusSince: input.now,
    settings: plainObject('settings', input.settings),
    gen: 0,
    createdAt: input.now,
  };
  await links(db).insertOne(link);
  return authorize(link);
}

/** A tenant's link; undefined when it is unknown, deleted or another tenant's. */
export async function findLink(
  db: Database,
  tenant: string,
  id: string,
): Promise<AuthorizedLink | undefined> {
  const scope = tenantScope(tenant);
  const link = await readLink(db, id);
  return link?.tenant === scope.tenant && link.deletedAt === undefined
    ? authorize(link)
    : undefined;
}

/** For workers: whatever the tenant, also when deleted. */
export async function findLinkById(db: Database, id: string): Promise<Link | undefined> {
  return await readLink(db, id);
}

interface LinkQuery {
  /** `''` = those without a tag; absent = all. */
  tag?: string | undefined;
  /** The last link of the page before. */
  after?: Pick<Link, 'createdAt' | '_id'> | undefined;
  /** Absent = all. */
  limit?: number | undefined;
}

/** A tenant's links by creation, then id. */
export async function listLinks(
  db: Database,
  tenant: string,
  { tag, after, limit = 0 }: LinkQuery = {},
): Promise<AuthorizedLink[]> {
  const tagged = tag === undefined ? {} : { tag: plainText('tag', tag) };
  const behind = after ? linksBehind(after) : {};
  const found = await links(db)
    .find({ ...tenantScope(tenant), ...tagged, ...behind, ...NOT_DELETED }, READ)
    .sort({ createdAt: 1, _id: 1 })
    .limit(limit)
    .toArray();
  return found.map(authorize);
}

function linksBehind(last: Pick<Link, 'createdAt' | '_id'>) {
  const createdAt = wholeNumber('createdAt', last.createdAt);
  const _id = plainText('id', last._id);
  // The first part bounds the index, which the second alone would not.
  return {
    createdAt: { $gte: createdAt },
    $or: [{ createdAt: { $gt: createdAt } }, { _id: { $gt: _id } }],
  };
}

/** Those of a tenant's links that have one of the ids, by id; unknown, deleted and foreign ones are left out. */
export async function findLinks(
  db: Database,
  tenant: string,
  ids: readonly string[],
): Promise<AuthorizedLink[]> {
  const known = ids.map((id) => plainText('id', id));
  const found = await links(db)
    .find({ _id: { $in: known }, ...tenantScope(tenant), ...NOT_DELETED }, READ)
    .sort({ _id: 1 })
    .toArray();
  return found.map(authorize);
}

/** Renames, tags anew, or both; undefined when the link was deleted meanwhile. */
export async function updateLink(
  db: Database,
  link: AuthorizedLink,
  { title, tag }: { title?: string | undefined; tag?: string | undefined },
): Promise<AuthorizedLink | undefined> {
  const changes = {
    ...(title === undefined ? {} : { title: filledText('title', title) }),
    ...(tag === undefined ? {} : { tag: plainText('tag', tag) }),
  };
  if (Object.keys(changes).length === 0) return await findLink(db, link.tenant, link._id);
  return await changeLink(db, link, { update: { $set: changes } });
}

/** Changes a link that is not deleted and as `when` says; undefined when there is none. */
export async function changeLink(
  db: Database,
  { _id, tenant }: Link,
  { when = {}, update }: { when?: Filter<Link>; update: UpdateFilter<Link> },
): Promise<AuthorizedLink | undefined> {
  const updated = await links(db).findOneAndUpdate(
    { _id, ...tenantScope(tenant), ...NOT_DELETED, ...when },
    update,
    { returnDocument: 'after' },
  );
  return updated ? authorize(updated) : undefined;
}

/** Buries a link: from here on no list and no search of a client finds it. False when it was buried before. */
export async function buryLink(db: Database, link: AuthorizedLink, now: Millis): Promise<boolean> {
  const { matchedCount } = await links(db).updateOne(
    { _id: link._id, ...tenantScope(link.tenant), ...NOT_DELETED },
    { $set: { deletedAt: now, purgeAt: now }, $inc: { gen: 1 } },
  );
  return matchedCount === 1;
}
