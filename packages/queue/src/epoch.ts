import type { Redis } from 'ioredis';

export interface Epoch {
  /** False when Redis has lost its data since {@link Epoch.ensureEpoch}: then every account is due. */
  hasEpoch(): Promise<boolean>;
  /** Marks Redis as known; call it after the accounts were made due. */
  ensureEpoch(): Promise<void>;
}

/** A key that tells an emptied Redis from a known one. */
export function createEpoch({ redis, prefix }: { redis: Redis; prefix: string }): Epoch {
  const key = `${prefix}:epoch`;
  return {
    hasEpoch: async () => (await redis.exists(key)) === 1,
    async ensureEpoch() {
      await redis.set(key, '1', 'NX');
    },
  };
}
