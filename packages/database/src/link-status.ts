import type { Millis } from '@tributary/shared';
import type { Database } from './database.ts';
import {
  type AuthorizedLink,
  changeLink,
  type Link,
  type LinkReason,
  type LinkStatus,
  links,
  NOT_DELETED,
} from './links.ts';
import { plainText } from './tenant-scope.ts';

/**
 * Sets how a link stands, for the work that began under generation `gen` only. A link that waits for a person is not
 * completed by work that was still under way.
 *
 * @returns false when the link has moved on or is deleted; nothing is changed then
 */
export async function setLinkStatus(
  db: Database,
  id: string,
  { status, reason, gen, now }: StatusChange,
): Promise<boolean> {
  const passed: LinkStatus[] = status === 'Completed' ? ['Disconnect', status] : [status];
  const link = { _id: plainText('id', id), gen, ...NOT_DELETED };
  const moved = await links(db).updateOne(
    { ...link, status: { $nin: passed } },
    { $set: { status, reason, ...(now !== undefined && { statusSince: now }) } },
  );
  if (moved.matchedCount === 1) return true;
  const kept = await links(db).updateOne({ ...link, status }, { $set: { reason } });
  return kept.matchedCount === 1;
}

interface StatusChange {
  status: LinkStatus;
  reason: LinkReason | null;
  gen: number;
  /** The moment of the change, where it is known. */
  now?: Millis;
}

/** New credentials are stored: a new generation begins. undefined when the link is deleted. */
export async function beginGeneration(
  db: Database,
  link: Link,
  now: Millis,
): Promise<AuthorizedLink | undefined> {
  return await changeLink(db, link, { update: { $set: linkingSince(now), $inc: { gen: 1 } } });
}

/**
 * Has a link that waits for a person tried again with the credentials it has: Disconnect becomes Linking in the same
 * generation. undefined when it did not wait any more, or is deleted; nothing is changed then.
 */
export async function retryLink(
  db: Database,
  link: Link,
  now: Millis,
): Promise<AuthorizedLink | undefined> {
  const when = { status: 'Disconnect' } as const;
  return await changeLink(db, link, { when, update: { $set: linkingSince(now) } });
}

function linkingSince(now: Millis) {
  return { status: 'Linking', reason: null, statusSince: now } as const;
}

/**
 * Pauses a link (since when it was first asked for), resumes it, or sets how many days of history are wanted; undefined
 * when it was deleted meanwhile.
 */
export async function setSchedule(
  db: Database,
  link: Link,
  { paused, historyDays, now }: ScheduleFields,
): Promise<AuthorizedLink | undefined> {
  const update = {
    ...(paused === true && { $min: { pausedAt: now } }),
    ...(paused === false && { $unset: { pausedAt: '' as const } }),
    ...(historyDays !== undefined && { $set: { 'settings.historyDays': historyDays } }),
  };
  return await changeLink(db, link, { update });
}

interface ScheduleFields {
  paused?: boolean | undefined;
  historyDays?: number | undefined;
  now: Millis;
}
