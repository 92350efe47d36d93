import {
  addDays,
  type ChannelAccount,
  type ChannelType,
  type Day,
  dayAt,
  type EntityCounts,
  type EntityStatus,
  type FailingSource,
  isOpen,
  type Lane,
  type Millis,
  type PlanAccount,
  type Wish,
} from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Database, READ } from './database.ts';
import { encodeId } from './keys.ts';
import { createPointReads } from './point-reads.ts';
import { tenantScope } from './tenant-scope.ts';
import type { UpstreamState } from './upstream.ts';

/** The pseudo account that stands for the link itself: its turns find the link's accounts. No platform id is `~`. */
export const LINK_ACCOUNT = '~';

/** A claimed account is planned again after this long whatever happened to its turn. */
const CLAIM_MS = 5 * 60_000;
const CLAIMS_MAX = 200;
const WISHES_MAX = 20;
/** Each attempt that loses was won by another wish or another waking. */
const WISH_ATTEMPTS_MAX = 100;
/** Later than any clock; infinity is not to be had in JSON, which tools show documents in. */
const NEVER = 4e15;

/** Until when nothing of a lane is called, and why: a stable word and a sentence. */
export interface LaneQuiet {
  until: Millis;
  code: string;
  detail: string;
}

export interface LaneState {
  /** The run of the newest turn of this lane. */
  run: number;
  /** Turns begun since one last ended; a turn that keeps killing its process shows here. */
  starts: number;
  busyUntil: Millis;
  /** Stays when its time is over, until there is another. */
  quiet?: LaneQuiet;
}

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

interface LinkRef {
  _id: string;
  tenant: string;
  type: ChannelType;
  gen: number;
}

const IDLE: LaneState = { run: 0, starts: 0, busyUntil: 0 };

function newAccount(link: LinkRef, now: Millis) {
  return {
    tenant: link.tenant,
    link: link._id,
    channel: link.type,
    wake: 0,
    run: 0,
    cv: 0,
    lane: { fresh: IDLE, bulk: IDLE },
    wanted: [],
    tree: {},
    entities: { c: 0, g: 0, d: 0 },
    nextPlanAt: now,
  };
}

/** Has the link's accounts listed (again) and everything of it planned: new link, new credentials, refresh by hand. */
export async function wantDiscovery(db: Database, link: LinkRef, now: Millis): Promise<void> {
  const { nextPlanAt, wake, ...rest } = newAccount(link, now);
  await accounts(db).updateOne(
    { _id: accountKey(link._id, LINK_ACCOUNT) },
    {
      $set: { nextPlanAt, gen: link.gen, 'lane.fresh.starts': 0 },
      $unset: { 'lane.fresh.quiet': '' },
      $inc: { wake: 1 },
      $setOnInsert: {
        ...withoutLane(rest),
        'lane.fresh.run': 0,
        'lane.fresh.busyUntil': 0,
        'lane.bulk': IDLE,
        account: LINK_ACCOUNT,
        title: '',
        zone: 'UTC',
        currency: '',
        status: 'unknown',
        listedOn: dayAt(now, 'UTC'),
        historyFrom: dayAt(now, 'UTC'),
      },
    },
    { upsert: true },
  );
  await accounts(db).updateMany(
    { link: link._id, account: { $ne: LINK_ACCOUNT } },
    {
      $set: { nextPlanAt: now },
      // What failed with the old credentials is tried with the new ones at once; the tree proves that they work.
      $unset: {
        'lane.fresh.quiet': '',
        'lane.bulk.quiet': '',
        'tree.fetchedAt': '',
        'tree.retryAt': '',
        'tree.tries': '',
      },
      $inc: { wake: 1 },
    },
  );
}

function withoutLane<T extends { lane: unknown }>({ lane, ...rest }: T): Omit<T, 'lane'> {
  return rest;
}

interface ListingOptions {
  now: Millis;
  historyDays: number;
  /** What only a feed gives comes by import. */
  withoutFeed?: boolean;
}

/**
 * Stores what the platform lists. A changed zone or currency freezes the days before it: they were counted by another
 * measure. Accounts that are no longer listed keep their data and become `closed`; one that opens again is planned again.
 */
export async function saveAccounts(
  db: Database,
  link: LinkRef,
  listed: readonly ChannelAccount[],
  { now, historyDays, withoutFeed = false }: ListingOptions,
): Promise<void> {
  for (const { id, title, zone, currency, status } of listed) {
    const _id = accountKey(link._id, id);
    const today = dayAt(now, zone);
    const historyFrom = addDays(today, -historyDays);
    const seen = await accounts(db).findOne({ _id }, READ);
    const moved = seen !== null && (seen.zone !== zone || seen.currency !== currency);
    // A day that has not ended in the old zone was never counted whole: it is read again.
    const rests = seen !== null && (!isOpen(seen.status) || seen.nextPlanAt >= NEVER);
    const lastDay = seen === null ? today : dayAt(now, seen.zone);
    await accounts(db).updateOne(
      { _id },
      {
        $set: {
          title,
          zone,
          currency,
          status,
          gen: link.gen,
          withoutFeed,
          ...(moved ? { frozenBefore: lastDay < today ? lastDay : today } : {}),
        },
        $setOnInsert: { ...newAccount(link, now), account: id, listedOn: today, historyFrom },
      },
      { upsert: true },
    );
    if (rests && isOpen(status)) {
      await accounts(db).updateOne({ _id }, { $set: { nextPlanAt: now }, $inc: { wake: 1 } });
    }
  }
  const ids = listed.map(({ id }) => id);
  await accounts(db).updateMany(
    { link: link._id, account: { $nin: [...ids, LINK_ACCOUNT] }, status: { $ne: 'closed' } },
    { $set: { status: 'closed', gen: link.gen } },
  );
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

/**
 * Takes due accounts for planning. Each goes to one caller only: the claim moves `nextPlanAt` on, which is also the
 * watchdog when the caller dies. A random offset keeps racing workers off each other's toes.
 */
export async function claimDueAccounts(
  db: Database,
  { now, random }: { now: Millis; random: () => number },
): Promise<Account[]> {
  const due = await accounts(db)
    .find({ nextPlanAt: { $lte: now } }, { projection: { _id: 1, nextPlanAt: 1 } })
    .sort({ nextPlanAt: 1 })
    .limit(2 * CLAIMS_MAX)
    .toArray();
  const offset = due.length > CLAIMS_MAX ? Math.floor(random() * (due.length - CLAIMS_MAX)) : 0;
  const claimed: Account[] = [];
  for (const { _id, nextPlanAt } of due.slice(offset, offset + CLAIMS_MAX)) {
    const account = await accounts(db).findOneAndUpdate(
      { _id, nextPlanAt },
      { $set: { nextPlanAt: now + CLAIM_MS } },
      { returnDocument: 'after' },
    );
    if (account) claimed.push(account);
  }
  return claimed;
}

/** Sets when the account is planned next, unless somebody woke it since `wake` was read. */
export async function setNextPlan(
  db: Database,
  { id, wake, at }: { id: string; wake: number; at: Millis },
): Promise<void> {
  await accounts(db).updateOne({ _id: id, wake }, { $set: { nextPlanAt: Math.min(at, NEVER) } });
}

/** Everything that does not rest is due for planning now: the queue was emptied. */
export async function wakeAllAccounts(db: Database, now: Millis): Promise<number> {
  const { modifiedCount } = await accounts(db).updateMany(
    { nextPlanAt: { $lt: NEVER } },
    { $set: { nextPlanAt: now } },
  );
  return modifiedCount;
}

/**
 * Begins a turn: takes the account's next run number. The answer carries it in `run` and `lane[lane].run`; `starts`
 * tells how many turns of the lane began without an end.
 */
export async function beginTurn(
  db: Database,
  { id, lane, busyUntil }: { id: string; lane: Lane; busyUntil: Millis },
): Promise<Account | undefined> {
  const begun = await accounts(db).findOneAndUpdate(
    { _id: id },
    [
      {
        $set: {
          run: { $add: ['$run', 1] },
          [`lane.${lane}.run`]: { $add: ['$run', 1] },
          [`lane.${lane}.starts`]: { $add: [`$lane.${lane}.starts`, 1] },
          [`lane.${lane}.busyUntil`]: busyUntil,
        },
      },
    ],
    { returnDocument: 'after' },
  );
  return begun ?? undefined;
}

/** Takes the account's next run number for work that is no turn; turns under way go on. */
export async function takeRun(db: Database, id: string): Promise<number | undefined> {
  const update = { $inc: { run: 1 } };
  const options = { returnDocument: 'after', projection: { run: 1 } } as const;
  return (await accounts(db).findOneAndUpdate({ _id: id }, update, options))?.run;
}

/** A file was imported: its days are to be sealed. */
export async function markImported(db: Database, id: string, now: Millis): Promise<void> {
  await accounts(db).updateOne(
    { _id: id },
    { $set: { nextPlanAt: now }, $min: { importedAt: now }, $inc: { wake: 1 } },
  );
}

/** The turn stored something: whatever ends it now, it was not in vain and counts as no failed start. */
export async function markProgress(
  db: Database,
  { id, lane, run, readAt }: { id: string; lane: Lane; run: number; readAt: Millis },
): Promise<void> {
  await accounts(db).updateOne(
    { _id: id, [`lane.${lane}.run`]: run },
    { $set: { [`lane.${lane}.starts`]: 0 }, $max: { readAt } },
  );
}

/** A turn that works for long tells that it is still under way. */
export async function stayBusy(
  db: Database,
  { id, lane, run, busyUntil }: { id: string; lane: Lane; run: number; busyUntil: Millis },
): Promise<void> {
  await accounts(db).updateOne(
    { _id: id, [`lane.${lane}.run`]: run },
    { $max: { [`lane.${lane}.busyUntil`]: busyUntil } },
  );
}

/** Nothing of the link is planned until somebody wakes it: it waits for a person, or is paused. */
export async function restLink(db: Database, link: string): Promise<void> {
  // Counted as a wake: what was planned before sets no time of its own any more.
  await accounts(db).updateMany({ link }, { $set: { nextPlanAt: NEVER }, $inc: { wake: 1 } });
}

/** Has planned now what of a link rests. */
export async function wakeRestingAccounts(db: Database, link: string, now: Millis): Promise<void> {
  await accounts(db).updateMany(
    { link, nextPlanAt: { $gte: NEVER } },
    { $set: { nextPlanAt: now }, $inc: { wake: 1 } },
  );
}

/** When the first of some accounts is planned next; undefined while all rest. */
export function nextPlanOf(...all: readonly Account[]): Millis | undefined {
  const first = Math.min(...all.map(({ nextPlanAt }) => nextPlanAt));
  return first < NEVER ? first : undefined;
}

/** True when nothing finds the link's accounts until somebody wakes it; also when nobody ever did. */
export async function isLinkResting(db: Database, link: string): Promise<boolean> {
  const found = await findAccount(db, accountKey(link, LINK_ACCOUNT));
  return (found?.nextPlanAt ?? NEVER) >= NEVER;
}

/** Seconds that the most overdue account has been waiting to be planned. */
export async function planningLag(db: Database, now: Millis): Promise<number> {
  const [first] = await accounts(db)
    .find({ nextPlanAt: { $lte: now } }, { projection: { nextPlanAt: 1 } })
    .sort({ nextPlanAt: 1 })
    .limit(1)
    .toArray();
  return first ? (now - first.nextPlanAt) / 1000 : 0;
}

export interface TurnEnd {
  id: string;
  lane: Lane;
  run: number;
  quiet?: LaneQuiet;
  failing?: NonNullable<Account['failing']>;
}

/** Ends a turn, unless a newer one of the lane has begun. */
export async function endTurn(
  db: Database,
  { id, lane, run, quiet, failing }: TurnEnd,
): Promise<void> {
  await accounts(db).updateOne(
    { _id: id, [`lane.${lane}.run`]: run },
    {
      $set: {
        [`lane.${lane}.starts`]: 0,
        [`lane.${lane}.busyUntil`]: 0,
        ...(quiet && { [`lane.${lane}.quiet`]: quiet }),
      },
      ...(failing && { $max: { failing } }), // compared by `at` first
    },
  );
}

/** How many turns of a tenant run in a lane now. */
export async function countBusyTurns(
  db: Database,
  { tenant, lane, now }: { tenant: string; lane: Lane; now: Millis },
): Promise<number> {
  return await accounts(db).countDocuments({ tenant, [`lane.${lane}.busyUntil`]: { $gt: now } });
}

/** Stores how the reading of the entity tree went. */
export async function saveTreeState(
  db: Database,
  id: string,
  { tree, entities }: { tree: TreeState; entities?: EntityCounts },
): Promise<void> {
  await accounts(db).updateOne({ _id: id }, { $set: { tree, ...(entities ? { entities } : {}) } });
}

/**
 * Asks for a range by hand; cells fetched before `at` become due. Wishes are merged to at most 20.
 *
 * @throws Error when the account never stood still
 */
export async function wantRange(db: Database, id: string, wish: Wish): Promise<void> {
  for (let attempt = 0; attempt < WISH_ATTEMPTS_MAX; attempt += 1) {
    const projection = { wanted: 1, wake: 1 };
    const found = await accounts(db).findOne({ _id: id }, { ...READ, projection });
    if (!found) return;
    const { matchedCount } = await accounts(db).updateOne(
      { _id: id, wake: found.wake },
      {
        $set: { wanted: mergeWishes([...found.wanted, wish]), nextPlanAt: wish.at },
        $inc: { wake: 1 },
      },
    );
    if (matchedCount === 1) return;
  }
  throw new Error(`Account '${id}' took no wish in ${WISH_ATTEMPTS_MAX} attempts`);
}

/** Equal ranges keep the later wish; beyond the bound the two oldest become one range around both. */
function mergeWishes(wishes: readonly Wish[]): Wish[] {
  const ascending = [...wishes].sort((a, b) => a.at - b.at);
  const merged = [...new Map(ascending.map((wish) => [`${wish.from}.${wish.to}`, wish])).values()];
  merged.sort((a, b) => a.at - b.at);
  while (merged.length > WISHES_MAX) {
    const [first, second] = merged.splice(0, 2);
    if (!first || !second) break;
    merged.unshift({
      from: first.from < second.from ? first.from : second.from,
      to: first.to > second.to ? first.to : second.to,
      at: second.at,
    });
  }
  return merged;
}

/** Forgets wishes that are fulfilled, unless somebody woke the account since `wake` was read: a new one may be there. */
export async function dropWishes(
  db: Database,
  { id, wake }: { id: string; wake: number },
): Promise<void> {
  await accounts(db).updateOne({ _id: id, wake }, { $set: { wanted: [] } });
}
