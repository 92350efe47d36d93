import type { Millis } from '@tributary/shared';
import {
  type Account,
  accountKey,
  accounts,
  findAccount,
  LINK_ACCOUNT,
  updateAccountsOf,
} from './accounts.ts';
import type { Database } from './database.ts';

/** A claimed account is planned again after this long whatever happened to its turn. */
const CLAIM_MS = 5 * 60_000;
const CLAIMS_MAX = 200;
/** Later than any clock; infinity is not to be had in JSON, which tools show documents in. */
export const NEVER = 4e15;

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

/** Nothing of the link is planned until somebody wakes it: it waits for a person, or is paused. */
export async function restLink(db: Database, link: string): Promise<void> {
  // Counted as a wake: what was planned before sets no time of its own any more.
  await updateAccountsOf(db, link, { $set: { nextPlanAt: NEVER }, $inc: { wake: 1 } });
}

/** Has everything of a link planned now, also what a turn that saw the link closed is about to put to rest. */
export async function wakeLink(db: Database, link: string, now: Millis): Promise<void> {
  await updateAccountsOf(db, link, { $min: { nextPlanAt: now }, $inc: { wake: 1 } });
}

/** When the first of some accounts is planned next; undefined while all rest. */
export function nextPlanOf(...all: readonly Account[]): Millis | undefined {
  const first = Math.min(...all.map(({ nextPlanAt }) => nextPlanAt));
  return first < NEVER ? first : undefined;
}

/** True when nothing finds the link's accounts until somebody wakes it; also when nobody ever did. */
export async function isLinkResting(db: Database, link: string): Promise<boolean> {
  const found = await findAccount(db, accountKey(link, LINK_ACCOUNT));
  return !found || nextPlanOf(found) === undefined;
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
