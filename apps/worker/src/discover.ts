import {
  type Account,
  endTurn,
  followHistory,
  historyDaysOf,
  listAccounts,
  removeMissing,
  saveAccounts,
  saveTreeState,
  setNextPlan,
  upsertEntities,
} from '@tributary/database';
import { AuthLostError } from '@tributary/runtime';
import { CHANNELS, isOpen, lacksFeed } from '@tributary/shared';
import type { WorkerDeps } from './deps.ts';
import type { OpenLink } from './link-access.ts';
import { completeLink } from './read-tree.ts';
import { renewToken } from './renew-token.ts';

const EVERY_MS = 24 * 60 * 60_000;

/**
 * Finds the ad accounts of a link and stores them; their own turns go on from there. What left the list stays, as
 * `removed` with everything below it. Repeated daily, as accounts come and go and tokens come to their end.
 *
 * @throws AuthLostError `no_account` when none is open, and whatever the connector throws
 */
export async function discover(
  deps: WorkerDeps,
  open: OpenLink,
  turn: { account: Account; run: number; signal: AbortSignal },
): Promise<void> {
  const { db, clock, logger } = deps;
  const { link, connector, access } = await renewToken(deps, open, turn.signal);
  const now = clock.now();
  const listed = await connector.listAccounts({ ...access, signal: turn.signal });
  if (!listed.some(({ status }) => isOpen(status))) {
    throw new AuthLostError(
      'no_account',
      'The credentials reach no open account: open one or connect another',
    );
  }
  const withoutFeed = lacksFeed(CHANNELS[link.type], link.settings);
  await saveAccounts(db, link, listed, { now, historyDays: historyDaysOf(link), withoutFeed });
  await followHistory(db, link._id, now); // the setting may have moved while the accounts were listed
  const listedIds = new Set(listed.map(({ id }) => id));
  for (const { _id: account, account: id, title, status } of await listAccounts(db, link._id)) {
    if (!listedIds.has(id)) await removeMissing(db, { account, seen: new Set(), now });
    else {
      const entities = [{ level: 'a', id, parent: '', title, status } as const];
      await upsertEntities(db, { tenant: link.tenant, link: link._id, account, entities, now });
    }
  }
  await completeLink({ db, clock }, link); // an account without its tree may have been closed
  const { _id, wake } = turn.account;
  await saveTreeState(db, _id, { tree: { fetchedAt: now } });
  await endTurn(db, { id: _id, lane: 'fresh', run: turn.run });
  await setNextPlan(db, { id: _id, wake, at: now + EVERY_MS });
  logger.info({ link: link._id, count: listed.length }, 'Accounts of a link found');
}
