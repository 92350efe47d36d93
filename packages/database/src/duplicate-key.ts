import { setTimeout as sleep } from 'node:timers/promises';
import { MongoBulkWriteError } from 'mongodb';

const DUPLICATE_KEY = 11_000;

/**
 * True for the server's answer that a unique key is taken. A bulk's error carries the code of its first failure only:
 * it is one when nothing else failed.
 */
export function isDuplicateKey(error: unknown): boolean {
  if (error instanceof MongoBulkWriteError) {
    const { writeErrors, result } = error;
    const failures = Array.isArray(writeErrors) ? writeErrors : [writeErrors];
    return (
      failures.length > 0 &&
      failures.every(({ code }) => code === DUPLICATE_KEY) &&
      !result.getWriteConcernError()
    );
  }
  return error instanceof Error && 'code' in error && error.code === DUPLICATE_KEY;
}

const ATTEMPTS_MAX = 20;
const WAIT_MS = 2;

/**
 * Upserts of one new key may race; a loser's next attempt finds the document. FerretDB also takes a document that others
 * are changing for a missing one, again and again while dozens do: hence so many attempts, apart in time.
 */
export async function retryDuplicate<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isDuplicateKey(error) || attempt === ATTEMPTS_MAX) throw error;
      await sleep(Math.random() * WAIT_MS * attempt);
    }
  }
}
