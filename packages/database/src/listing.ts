import {
  addDays,
  type ChannelAccount,
  type ChannelType,
  dayAt,
  isOpen,
  type Millis,
} from '@tributary/shared';
import { accountKey, accounts, LINK_ACCOUNT } from './accounts.ts';
import { type Database, READ } from './database.ts';
import { NEVER } from './due-accounts.ts';
import type { LaneState } from './turns.ts';

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
  const { nextPlanAt, wake, tree, ...rest } = newAccount(link, now);
  await accounts(db).updateOne(
    { _id: accountKey(link._id, LINK_ACCOUNT) },
    {
      $set: { nextPlanAt, tree, gen: link.gen, 'lane.fresh.starts': 0 },
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
      // What failed with the old credentials is tried with the new ones at once; the tree proves that they work.
      $set: { nextPlanAt, tree },
      $unset: { 'lane.fresh.quiet': '', 'lane.bulk.quiet': '' },
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
