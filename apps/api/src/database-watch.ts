import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, pingDatabase } from '@tributary/database';
import { ProblemError } from './http/problem.ts';

/** Work that takes longer is suspected; together with the ping an outage is told within three seconds. */
const SUSPECT_AFTER_MS = 2_000;
const PING_WITHIN_MS = 700;
const CHECKS_MAX = 15;

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
export function whileDatabaseAnswers<T>(db: Database, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let checks = 0;
    let isDone = false;
    const suspect = () => {
      checks += 1;
      void (checks <= CHECKS_MAX ? answersSoon(db) : Promise.resolve(false)).then((answers) => {
        if (isDone) return;
        if (answers) timer = setTimeout(suspect, SUSPECT_AFTER_MS);
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
