import { setTimeout as sleep } from 'node:timers/promises';
import {
  endTurn,
  findAccount,
  isUnavailable,
  pingDatabase,
  setNextPlan,
} from '@tributary/database';
import type { TurnJob } from '@tributary/shared';
import type { WorkerDeps } from './deps.ts';

const CHECK_EVERY_MS = 1_000;
/** Then the turn fails, and the account is planned again when its claim has ended. */
const CHECKS_MAX = 120;
const AGAIN_MS = 10_000;

/**
 * Waits until MongoDB answers again, ends the turn that it left hanging and has the account planned soon: an outage is no
 * death of a turn, and what was under way does not wait for the end of its claim. A slot is held meanwhile, which no
 * other turn could use.
 *
 * @throws the turn's error when it was no outage, when the process stops, or when the outage goes on
 */
export async function outlastOutage(
  { db, clock, logger }: Pick<WorkerDeps, 'db' | 'clock' | 'logger'>,
  { account: id, lane }: TurnJob,
  { error, signal }: { error: unknown; signal: AbortSignal },
): Promise<void> {
  if (!isUnavailable(error)) throw error;
  logger.warn({ account: id, lane, err: error }, 'A turn waits for MongoDB');
  for (let check = 1; !(await answers(db)); check += 1) {
    if (check === CHECKS_MAX) throw error;
    await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) throw error;
  }
  const account = await findAccount(db, id);
  if (!account) return;
  await endTurn(db, { id, lane, run: account.lane[lane].run });
  await setNextPlan(db, { id, wake: account.wake, at: clock.now() + AGAIN_MS });
}

async function answers(db: WorkerDeps['db']): Promise<boolean> {
  return pingDatabase(db).then(
    () => true,
    () => false,
  );
}
