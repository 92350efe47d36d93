const ATTEMPTS_MAX = 4;

/** True for the server's answer that a unique key is taken. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 11_000;
}

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
