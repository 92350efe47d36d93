import { dropOldChanges, finishPurge, listDuePurges, purgeLink } from '@tributary/database';
import type { WorkerDeps } from './deps.ts';

/**
 * Deletes what was collected of deleted links. Called every minute by every worker; repeating it is harmless, and what a
 * stopped worker or an outage left undone stays due.
 */
export async function purgeDeletedLinks(
  { db, clock, logger }: Pick<WorkerDeps, 'db' | 'clock' | 'logger'>,
  signal: AbortSignal,
): Promise<void> {
  for (const due of await listDuePurges(db, { now: clock.now() })) {
    const begunAt = clock.now();
    const { deleted, done } = await purgeLink(db, due._id, { signal });
    if (done) await finishPurge(db, due, begunAt);
    if (deleted > 0) logger.info({ link: due._id, deleted }, 'A deleted link was emptied');
  }
}

/** How long clients of the change feed may stay away. */
const CHANGES_KEPT_MS = 30 * 86_400_000;

/** Deletes changes that no client may ask for any more. Repeating it is harmless. */
export async function purgeOldChanges({
  db,
  clock,
}: Pick<WorkerDeps, 'db' | 'clock'>): Promise<void> {
  await dropOldChanges(db, clock.now() - CHANGES_KEPT_MS);
}
