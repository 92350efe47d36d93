import { type Account, planAccountOf, readCoverage } from '@tributary/database';
import { addDays, dayAt, failingSources } from '@tributary/shared';
import type { WorkerDeps } from './deps.ts';

/** What fails of an account by what is stored now. */
export async function readFailing(
  { db, clock }: Pick<WorkerDeps, 'db' | 'clock'>,
  account: Account,
): Promise<NonNullable<Account['failing']>> {
  const at = clock.now();
  const { historyFrom, zone } = planAccountOf(account);
  const { cells } = await readCoverage(db, account._id, historyFrom, addDays(dayAt(at, zone), 1));
  return { at, sources: failingSources(cells) };
}
