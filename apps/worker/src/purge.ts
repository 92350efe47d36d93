import { finishPurge, listDuePurges, purgeLink } from '@tributary/database';
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
