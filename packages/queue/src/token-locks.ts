import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { RetryableError } from '@tributary/runtime';
import type { Redis } from 'ioredis';

export interface TokenLocks {
  /**
   * Runs `fn` while no other process runs one for the same key. Whoever had to wait runs it too: read the stored token
   * first and refresh it only when it is still the old one.
   * The signal aborts when the lock is about to end: what is saved after that is compared with what was read.
   *
   * @throws RetryableError `lock_busy` when the lock does not come free within twice its time,
   * `lock_unavailable` when Redis is away
   */
  withTokenLock<T>(key: string, ttlMs: number, fn: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

const POLL_MS = 50;

/** Deletes the lock only when it is still ours: after its time another process may hold it. */
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;

/** Locks for refreshing tokens: one refresh at a time across processes. Pass a producer connection. */
export function createTokenLocks({ redis, prefix }: { redis: Redis; prefix: string }): TokenLocks {
  return {
    async withTokenLock(key, ttlMs, fn) {
      const name = `${prefix}:lock:${key}`;
      const owner = randomUUID();
      const startedAt = await acquire(redis, { name, owner, ttlMs });
      const controller = new AbortController();
      const leftMs = ttlMs * 0.9 - (performance.now() - startedAt);
      const timer = setTimeout(
        () => controller.abort(new RetryableError('lock_lost', `The lock '${key}' has ended`)),
        Math.max(0, leftMs),
      );
      try {
        return await fn(controller.signal);
      } finally {
        clearTimeout(timer);
        // Should Redis be away just now, the lock ends by itself.
        await redis.eval(RELEASE, 1, name, owner).catch(() => {});
      }
    },
  };
}

/** Waits for the lock; answers when the winning request was sent, from which its time is counted. */
async function acquire(
  redis: Redis,
  { name, owner, ttlMs }: { name: string; owner: string; ttlMs: number },
): Promise<number> {
  const giveUpAt = performance.now() + 2 * ttlMs;
  for (;;) {
    const sentAt = performance.now();
    try {
      if (await redis.set(name, owner, 'PX', ttlMs, 'NX')) return sentAt;
    } catch (cause) {
      const message = 'The token lock cannot be had: Redis does not answer';
      throw new RetryableError('lock_unavailable', message, { cause });
    }
    if (performance.now() > giveUpAt) {
      throw new RetryableError('lock_busy', `The lock did not come free in ${2 * ttlMs} ms`);
    }
    await wait(POLL_MS * (0.5 + Math.random()));
  }
}
