import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, RateLimitedError, RetryableError } from '@tributary/runtime';
import type { Redis } from 'ioredis';

/** Calls at once, and how many come back per hour. */
export interface BudgetLimit {
  burst: number;
  perHour: number;
}

export interface RateBudgetDeps {
  redis: Redis;
  /** The clock that `until` is in; all processes share it up to seconds. */
  clock: Clock;
  prefix: string;
  limitOf: (key: string) => BudgetLimit;
}

const HOUR_MS = 3_600_000;

/**
 * One token bucket and one blocked-until per key, changed by a single script, so that processes share them and a
 * restart forgets nothing. Answers the wait in ms, 0 = granted and taken.
 *
 * A clock that went back (another process's is ahead) gains no tokens; one that lies an hour or more behind was moved,
 * and counting starts anew.
 */
const TAKE = `
local now, burst, perMs = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local state = redis.call('HMGET', KEYS[1], 'tokens', 'at', 'until')
local tokens, at, blocked = tonumber(state[1]), tonumber(state[2]), tonumber(state[3])
if blocked and blocked > now then return math.ceil(blocked - now) end
if not tokens or not at or at - now > ${HOUR_MS} then tokens, at = burst, now end
if now > at then
  tokens = math.min(burst, tokens + (now - at) * perMs)
  at = now
end
if tokens < 1 then return math.max(1, math.ceil((1 - tokens) / perMs)) end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.9f', tokens - 1), 'at', string.format('%.0f', at))
local keepMs = math.ceil(burst / perMs)
if redis.call('PTTL', KEYS[1]) < keepMs then redis.call('PEXPIRE', KEYS[1], keepMs) end
return 0
`;

/** Moves blocked-until forward, never back. */
const BLOCK = `
local blocked, now = tonumber(ARGV[1]), tonumber(ARGV[2])
local known = tonumber(redis.call('HGET', KEYS[1], 'until'))
if known and known >= blocked then return 0 end
redis.call('HSET', KEYS[1], 'until', ARGV[1])
local keepMs = math.max(1, blocked - now) + ${HOUR_MS}
if redis.call('PTTL', KEYS[1]) < keepMs then redis.call('PEXPIRE', KEYS[1], keepMs) end
return 1
`;

/** The rate budget of the connectors, shared by all workers through Redis. Pass a producer connection. */
export function createRateBudget({ redis, clock, prefix, limitOf }: RateBudgetDeps) {
  const keyOf = (key: string) => `${prefix}:budget:${key}`;
  return {
    /**
     * Waits for leave to make one call, at most `maxWaitMs`.
     *
     * @throws RateLimitedError with the time from which calls are allowed, RetryableError when Redis is away
     */
    async take(key: string, maxWaitMs: number, signal: AbortSignal): Promise<void> {
      const { burst, perHour } = limitOf(key);
      let leftMs = maxWaitMs;
      for (;;) {
        signal.throwIfAborted();
        const now = clock.now();
        const waitMs = await run(redis, TAKE, keyOf(key), [now, burst, perHour / HOUR_MS]);
        if (waitMs === 0) return;
        if (waitMs > leftMs) {
          throw new RateLimitedError(now + waitMs, `The budget '${key}' allows no call yet`);
        }
        // A little apart, so that those who wait for one token do not all ask at once.
        const pauseMs = Math.min(leftMs, waitMs + Math.random() * 50);
        leftMs -= pauseMs;
        await wait(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    },
    /** The platform asked for silence until then (epoch ms); a later time wins. */
    async block(key: string, until: number): Promise<void> {
      await run(redis, BLOCK, keyOf(key), [Math.ceil(until), clock.now()]);
    },
  };
}

async function run(
  redis: Redis,
  script: string,
  key: string,
  values: readonly number[],
): Promise<number> {
  try {
    return Number(await redis.eval(script, 1, key, ...values));
  } catch (cause) {
    const message = 'The rate budget cannot be asked: Redis does not answer';
    throw new RetryableError('budget_unavailable', message, { cause });
  }
}
