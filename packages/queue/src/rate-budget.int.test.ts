import { RateLimitedError } from '@tributary/runtime';
import fc from 'fast-check';
import { createRateBudget } from './rate-budget.ts';
import { type TestRedis, useRedis } from './testing/redis.ts';

let redis: TestRedis;
beforeEach(() => {
  redis = useRedis('budget');
});
afterEach(() => redis.drop());

const HOUR_MS = 3_600_000;
const never = () => new AbortController().signal;

async function open(limit: { burst: number; perHour: number }, clock = { now: () => Date.now() }) {
  const connection = await redis.producer();
  return createRateBudget({ redis: connection, clock, prefix: redis.prefix, limitOf: () => limit });
}

/** Whether a call is granted at once; any other failure than the limit is thrown. */
async function isGranted(budget: Awaited<ReturnType<typeof open>> | undefined, key: string) {
  try {
    await budget?.take(key, 0, never());
    return true;
  } catch (error) {
    if (error instanceof RateLimitedError) return false;
    throw error;
  }
}

test('two processes together never get more than the burst and what came back', async () => {
  const limit = { burst: 5, perHour: 20 * 3_600 };
  const clients = [await open(limit), await open(limit)];
  const startedAt = Date.now();
  const granted: number[] = [];
  await Promise.all(
    Array.from({ length: 25 }, async (_, index) => {
      await clients[index % 2]?.take('k', 10_000, never());
      granted.push(Date.now() - startedAt);
    }),
  );
  expect(granted).toHaveLength(25);
  // The nth call needs n tokens: 5 at once, then one each 50 ms.
  for (const [index, ms] of granted.toSorted((a, b) => a - b).entries()) {
    expect(ms).toBeGreaterThanOrEqual((index + 1 - limit.burst) * 50 - 5);
  }
});

test('at any moment of any clock, calls stay within burst and rate, also when another clock lies behind', async () => {
  const limit = { burst: 3, perHour: 3_600 };
  const clock = { time: 1_800_000_000_000, now: () => clock.time };
  const clients = [await open(limit, clock), await open(limit, clock)];
  let run = 0;
  const step = fc.record({
    client: fc.nat(1),
    forwardMs: fc.nat(2_500),
    behindMs: fc.constantFrom(0, 0, 700, 5_000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      run += 1;
      const key = `run-${run}`;
      const start = 1_800_000_000_000;
      let latest = start;
      let granted = 0;
      for (const { client, forwardMs, behindMs } of steps) {
        latest += forwardMs;
        clock.time = Math.max(start, latest - behindMs);
        if (await isGranted(clients[client], key)) granted += 1;
        expect(granted).toBeLessThanOrEqual(limit.burst + (latest - start) / 1_000 + 1e-6);
      }
      expect(granted).toBeGreaterThanOrEqual(Math.min(steps.length, limit.burst));
    }),
    { numRuns: 60 },
  );
});

test('a blocked key is blocked for every process until then, the later time wins, and others go on', async () => {
  const clock = { time: 1_800_000_000_000, now: () => clock.time };
  const limit = { burst: 100, perHour: 100 };
  const first = await open(limit, clock);
  await first.block('k', clock.time + 60_000);
  await first.block('k', clock.time + 30_000);
  const afterRestart = await open(limit, clock);
  await expect(afterRestart.take('k', 10_000, never())).rejects.toMatchObject({
    code: 'rate_limited',
    until: clock.time + 60_000,
  });
  expect(await isGranted(afterRestart, 'other')).toBe(true);
  clock.time += 60_000;
  expect(await isGranted(afterRestart, 'k')).toBe(true);
});

test('a clock that was moved back by more than an hour does not stop calls for ever', async () => {
  const clock = { time: 1_800_000_000_000, now: () => clock.time };
  const budget = await open({ burst: 1, perHour: 3_600 }, clock);
  expect([await isGranted(budget, 'k'), await isGranted(budget, 'k')]).toEqual([true, false]);
  clock.time -= 30 * HOUR_MS;
  expect([await isGranted(budget, 'k'), await isGranted(budget, 'k')]).toEqual([true, false]);
});

test('waiting for a token ends with the reason of the signal', async () => {
  const budget = await open({ burst: 1, perHour: 3_600 });
  await budget.take('k', 0, never());
  const controller = new AbortController();
  const reason = new Error('the turn is over');
  setTimeout(() => controller.abort(reason), 30);
  await expect(budget.take('k', 5_000, controller.signal)).rejects.toBe(reason);
});

test('without Redis it fails as retryable instead of granting', async () => {
  const connection = await redis.producer();
  const budget = createRateBudget({
    redis: connection,
    clock: { now: () => Date.now() },
    prefix: redis.prefix,
    limitOf: () => ({ burst: 1, perHour: 1 }),
  });
  connection.disconnect();
  await expect(budget.take('k', 0, never())).rejects.toMatchObject({ code: 'budget_unavailable' });
  await expect(budget.block('k', 1)).rejects.toMatchObject({ code: 'budget_unavailable' });
});
