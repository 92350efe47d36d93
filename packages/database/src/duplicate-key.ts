import { MongoBulkWriteError } from 'mongodb';

const DUPLICATE_KEY = 11_000;
/**
 * FerretDB's answers to who lost a race for a key in other ways: in an upsert whose filter has more than the id, or among
 * several keys of one document. They are PostgreSQL's errors, as they are; nothing was written.
 */
const RAW_RACE = /^(?:duplicate key value violates unique constraint|deadlock detected)/;

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
  if (!(error instanceof Error && 'code' in error)) return false;
  return error.code === DUPLICATE_KEY || RAW_RACE.test(error.message);
}

const ATTEMPTS_MAX = 4;

/** Two upserts of one new key may race; the loser's next attempt finds the document. */
export async function retryDuplicate<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isDuplicateKey(error) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}
