import { MongoBulkWriteError } from 'mongodb';

const DUPLICATE_KEY = 11_000;
/** FerretDB's answer to an upsert that lost a race, where its filter has more than the id: an error of PostgreSQL, as it is. */
const RAW_DUPLICATE = /^duplicate key value violates unique constraint/;

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
  return error.code === DUPLICATE_KEY || RAW_DUPLICATE.test(error.message);
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
