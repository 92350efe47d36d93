import { listDeletedLinks, purgeLink } from '@tributary/database';
import type { WorkerDeps } from './deps.ts';

const MINUTE_MS = 60_000;
/** A turn may still be writing when its link is deleted: the purge comes at once, after ten minutes and after a day. */
const PURGED_AFTER_MS = [0, 10 * MINUTE_MS, 24 * 60 * MINUTE_MS];

/** Deletes what was collected of deleted links. Called every minute by every worker; repeating it is harmless. */
export async function purgeDeletedLinks(
  { db, clock, logger }: Pick<WorkerDeps, 'db' | 'clock' | 'logger'>,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const since = now - Math.max(...PURGED_AFTER_MS) - 2 * MINUTE_MS;
  for (const { _id, deletedAt } of await listDeletedLinks(db, { since })) {
    const age = now - deletedAt;
    if (!PURGED_AFTER_MS.some((after) => age >= after && age < after + 2 * MINUTE_MS)) continue;
    const { deleted } = await purgeLink(db, _id, { signal });
    if (deleted > 0) logger.info({ link: _id, deleted }, 'A deleted link was emptied');
  }
}
