import type {
  ChannelType,
  Day,
  EntityCounts,
  EntityStatus,
  FailingSource,
  Lane,
  Millis,
  PlanAccount,
  Wish,
} from '@tributary/shared';
import type { Collection, UpdateFilter } from 'mongodb';
import { type Database, READ } from './database.ts';
import { inSlices } from './in-slices.ts';
import { encodeId } from './keys.ts';
import { createPointReads } from './point-reads.ts';
import { tenantScope } from './tenant-scope.ts';
import type { LaneState } from './turns.ts';
import type { UpstreamState } from './upstream.ts';

/** The pseudo account that stands for the link itself: its turns find the link's accounts. No platform id is `~`. */
export const LINK_ACCOUNT = '~';

/** How the account's entity tree stands: a source of its own. */
export interface TreeState {
  fetchedAt?: Millis;
  retryAt?: Millis;
  tries?: number;
  code?: string;
  detail?: string;
}

/** An ad account of a link: the unit of planning, zone, currency, coverage and budget. */
export interface Account {
  /** `<link>.<account>` */
  _id: string;
  tenant: string;
  link: string;
  channel: ChannelType;
  /** The platform's id. */
  account: string;
  title: string;
  zone: string;
  currency: string;
  status: EntityStatus;
  /** The link's generation this was last listed under. */
  gen: number;
  /** The day on which it was first listed, in its zone then: history is counted back from it. */
  listedOn: Day;
  /** The first day wanted. */
  historyFrom: Day;
  /** Days before this one were counted in another zone or currency and are never read again. */
  frozenBefore?: Day;
  /** The link has no feed for what only a feed gives. */
  withoutFeed?: boolean;
  /** When a file was first imported. */
  importedAt?: Millis;
  nextPlanAt: Millis;
  /** Counts wishes, so that none is overwritten by a turn's end. */
  wake: number;
  /** Counts turns: the order of all work on the account. */
  run: number;
  /** Counts changes of what is served. */
  cv: number;
  lane: Record<Lane, LaneState>;
  wanted: Wish[];
  tree: TreeState;
  entities: EntityCounts;
  /** When the platform last answered with figures. */
  readAt?: Millis;
  /** What failed when a turn last ended; the newest `at` stays. */
  failing?: { at: Millis; sources: FailingSource[] };
  /** Absent until something was found. */
  upstream?: UpstreamState;
}

/** What planning must know of a stored account. */
export function planAccountOf(account: Account): PlanAccount {
  const { historyFrom, frozenBefore = historyFrom, lane } = account;
  return {
    id: account._id,
    channel: account.channel,
    zone: account.zone,
    // Days counted by another measure are never read again.
    historyFrom: frozenBefore > historyFrom ? frozenBefore : historyFrom,
    withoutFeed: account.withoutFeed === true,
    until: { fresh: lane.fresh.quiet?.until ?? 0, bulk: lane.bulk.quiet?.until ?? 0 },
    entities: account.entities,
  };
}

export function accounts({ db }: Database): Collection<Account> {
  return db.collection<Account>('accounts');
}

const readAccount = createPointReads(accounts);

export function accountKey(link: string, account: string): string {
  return account === LINK_ACCOUNT ? `${link}.${LINK_ACCOUNT}` : `${link}.${encodeId(account)}`;
}

/**
 * Changes all accounts of a link, its pseudo account too, each by itself: two changes of many documents at once may end in
 * a deadlock on FerretDB.
 */
export async function updateAccountsOf(
  db: Database,
  link: string,
  update: UpdateFilter<Account>,
): Promise<void> {
  const options = { ...READ, projection: { _id: 1 } };
  const ids = await accounts(db).find({ link }, options).toArray();
  await inSlices(ids, ({ _id }) => accounts(db).updateOne({ _id }, update));
}

/** By `<link>.<account>`. */
export async function findAccount(db: Database, id: string): Promise<Account | undefined> {
  return await readAccount(db, id);
}

/** The ad accounts of a link, by id; without the link's own pseudo account. */
export async function listAccounts(db: Database, link: string): Promise<Account[]> {
  return await accounts(db)
    .find({ link, account: { $ne: LINK_ACCOUNT } }, READ)
    .sort({ _id: 1 })
    .toArray();
}

/** The ad accounts of several links of a tenant, by id. */
export async function listAccountsOf(
  db: Database,
  tenant: string,
  links: readonly string[],
): Promise<Account[]> {
  const ofLinks = { link: { $in: [...links] }, account: { $ne: LINK_ACCOUNT } };
  return await accounts(db)
    .find({ ...ofLinks, ...tenantScope(tenant) }, READ)
    .sort({ _id: 1 })
    .toArray();
}

/** A file was imported: its days are to be sealed. */
export async function markImported(db: Database, id: string, now: Millis): Promise<void> {
  await accounts(db).updateOne(
    { _id: id },
    { $set: { nextPlanAt: now }, $min: { importedAt: now }, $inc: { wake: 1 } },
  );
}

/** Stores how the reading of the entity tree went. */
export async function saveTreeState(
  db: Database,
  id: string,
  { tree, entities }: { tree: TreeState; entities?: EntityCounts },
): Promise<void> {
  await accounts(db).updateOne({ _id: id }, { $set: { tree, ...(entities ? { entities } : {}) } });
}
