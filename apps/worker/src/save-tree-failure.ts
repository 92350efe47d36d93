import { findAccount, saveTreeState, type TreeState } from '@tributary/database';
import { type AppError, RetryableError } from '@tributary/runtime';
import type { WorkerDeps } from './deps.ts';
import { retryAt, retryLate } from './retry.ts';

/** Notes what the account as a whole failed with, and when it is tried again. */
export async function saveTreeFailure(
  { db, clock, random }: Pick<WorkerDeps, 'db' | 'clock' | 'random'>,
  id: string,
  error: AppError,
): Promise<TreeState> {
  const now = clock.now();
  const before = (await findAccount(db, id))?.tree ?? {};
  const tries = (before.tries ?? 0) + 1;
  const { code, message: detail } = error;
  const at = error instanceof RetryableError ? retryAt(now, tries, random) : retryLate(now, random);
  const tree = { ...before, tries, retryAt: at, code, detail };
  await saveTreeState(db, id, { tree });
  return tree;
}
