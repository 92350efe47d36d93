import { type Account, planAccountOf, readCoverage } from '@tributary/database';
import { addDays, dayAt, failingSources } from '@tributary/shared';
import type { WorkerDeps } from './deps.ts';

/** What fails of an account by what is stored now. */
export async function readFailing(
  { db, clock }: Pick<WorkerDeps, 'db' | 'clock'>,
  account: Account,
): Promise<NonNullable<Account['failing']>> {
  const at = clock.now();
  const planned = planAccountOf(account);
  const tomorrow = addDays(dayAt(at, planned.zone), 1);
  const { cells } = await readCoverage(db, account._id, planned.historyFrom, tomorrow);
  return { at, sources: failingSources({ account: planned, cells, now: at }) };
}
