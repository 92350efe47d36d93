import { addDays, HISTORY_DAYS_DEFAULT, type Millis } from '@tributary/shared';
import { accounts, listAccounts } from './accounts.ts';
import type { Database } from './database.ts';
import { restLink, wakeLink } from './due-accounts.ts';
import { inSlices } from './in-slices.ts';
import { setSchedule } from './link-status.ts';
import { type AuthorizedLink, findLinkById, isOpenLink, type Link } from './links.ts';

/** Whoever sees that the setting moved while its accounts followed does it again. */
const ATTEMPTS_MAX = 20;

/** How many days before an account's first listing are wanted. */
export function historyDaysOf({ settings }: Pick<Link, 'settings'>): number {
  const { historyDays = HISTORY_DAYS_DEFAULT } = settings as { historyDays?: number }; // checked by the channel's schema
  return historyDays;
}

interface ScheduleChange {
  paused?: boolean | undefined;
  historyDays?: number | undefined;
  now: Millis;
}

/**
 * Pauses or resumes a link and says how far back days are wanted. Asking again is harmless, and mends what a crash left
 * out. A paused link's accounts rest; a resumed one's are planned at once, so that what was missed is read.
 *
 * @returns the link as it is now; undefined when it was deleted meanwhile
 */
export async function changeSchedule(
  db: Database,
  link: AuthorizedLink,
  change: ScheduleChange,
): Promise<AuthorizedLink | undefined> {
  const { paused, historyDays, now } = change;
  const updated = await setSchedule(db, link, change);
  if (!updated) return undefined;
  if (historyDays !== undefined) {
    await followHistory(db, link._id, now);
  }
  if (paused === true) await restLink(db, link._id);
  // Also after pausing: who resumed it meanwhile may have come before the rest.
  if (paused !== undefined && (await isOpen(db, link._id))) {
    await wakeLink(db, link._id, now);
  }
  return updated;
}

async function isOpen(db: Database, id: string): Promise<boolean> {
  const link = await findLinkById(db, id);
  return link !== undefined && isOpenLink(link);
}

/**
 * Moves the first wanted day of a link's accounts to where its setting says; whoever comes last leaves what the setting
 * says then. What is stored of days that are no longer wanted stays.
 */
export async function followHistory(db: Database, id: string, now: Millis): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const link = await findLinkById(db, id);
    if (!link) return;
    const days = historyDaysOf(link);
    await inSlices(await listAccounts(db, id), async ({ _id, listedOn, historyFrom }) => {
      const from = addDays(listedOn, -days);
      if (from === historyFrom) return;
      await accounts(db).updateOne(
        { _id },
        {
          $set: { historyFrom: from, ...(isOpenLink(link) && { nextPlanAt: now }) },
          $inc: { wake: 1, cv: 1 }, // what answers say of their completeness is another
        },
      );
    });
    const after = await findLinkById(db, id);
    if (!after || historyDaysOf(after) === days) return;
  }
  throw new Error(`The history of link '${id}' moved ${ATTEMPTS_MAX} times while it was followed`);
}
