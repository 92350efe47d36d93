import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, pingDatabase } from '@tributary/database';
import { ProblemError } from './http/problem.ts';

/** Work that takes longer is suspected; together with the ping an outage is told within three seconds. */
const SUSPECT_AFTER_MS = 1_800;
const PING_WITHIN_MS = 700;

interface Patience {
  /** How often the work may be found unfinished. */
  checksMax: number;
  /** How many pings in a row may be late, once one was in time. */
  missesMax: number;
}
const FOR_REQUESTS: Patience = { checksMax: 15, missesMax: 0 };
/** An upload takes as long as its client does, and keeps the database busy itself. */
export const FOR_UPLOADS: Patience = { checksMax: 900, missesMax: 1 };

export function unavailable(): ProblemError {
  return new ProblemError('unavailable', 'The database does not answer; try again shortly', {
    headers: { 'Retry-After': '2' },
  });
}

/**
 * Waits for work on the database as long as the database answers at all: a large answer may take its time, a server
 * that hangs without closing its connections is noticed long before the driver's socket timeout.
 *
 * @throws ProblemError `unavailable`
 */
export function whileDatabaseAnswers<T>(
  db: Database,
  work: Promise<T>,
  { checksMax, missesMax } = FOR_REQUESTS,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let checks = 0;
    let misses = missesMax;
    let isDone = false;
    const suspect = () => {
      checks += 1;
      void answersSoon(db).then((answers) => {
        if (isDone) return;
        misses = answers ? 0 : misses + 1;
        if (checks < checksMax && misses <= missesMax)
          timer = setTimeout(suspect, SUSPECT_AFTER_MS);
        else reject(unavailable());
      });
    };
    let timer = setTimeout(suspect, SUSPECT_AFTER_MS);
    const finish = () => {
      isDone = true;
      clearTimeout(timer);
    };
    work.then(resolve, reject);
    work.then(finish, finish);
  });
}

async function answersSoon(db: Database): Promise<boolean> {
  const late = sleep(PING_WITHIN_MS, false, { ref: false });
  const ping = pingDatabase(db).then(
    () => true,
    () => false,
  );
  return Promise.race([ping, late]);
}
