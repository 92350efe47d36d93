import { replaceToken } from '@tributary/database';
import type { WorkerDeps } from './deps.ts';
import { type OpenLink, openLink } from './link-access.ts';

/** Longer than the two calls of a renewal may take. */
const LOCK_MS = 75_000;

/**
 * Renews the link's token where the platform has it and it is about to end. One renewal at a time over all processes,
 * stored before it is used; what a person stored meanwhile wins. A renewal that fails is only logged: the old token may
 * go on working, and the calls made with it tell when it does not.
 *
 * @returns the link with the credentials that are stored now
 */
export async function renewToken(
  deps: WorkerDeps,
  open: OpenLink,
  signal: AbortSignal,
): Promise<OpenLink> {
  const { logger, tokenLocks } = deps;
  const { link, connector } = open;
  if (!connector.renew) return open;
  try {
    return await tokenLocks.withTokenLock(link._id, LOCK_MS, (lockSignal) =>
      renewLocked(deps, open, AbortSignal.any([signal, lockSignal])),
    );
  } catch (err) {
    signal.throwIfAborted();
    logger.warn({ link: link._id, err }, 'The token could not be renewed: the old one goes on');
    return open;
  }
}

async function renewLocked(
  deps: WorkerDeps,
  before: OpenLink,
  signal: AbortSignal,
): Promise<OpenLink> {
  const { db, box, clock, logger } = deps;
  const open = await openLink(deps, before.link);
  if (open.sealed !== before.sealed) return open; // renewed by another process, or replaced by a person
  const next = await open.connector.renew?.({ ...open.access, signal });
  if (next === undefined) return open;
  // Stored even when the lock has ended by now: it is compared with what was read, and a token that is lost is worse.
  const { link, sealed: seen } = open;
  const stored = await replaceToken(db, box, link, { seen, next, now: clock.now() });
  if (stored.value === next) logger.info({ link: link._id }, 'The token of a link was renewed');
  return await openLink(deps, link);
}
