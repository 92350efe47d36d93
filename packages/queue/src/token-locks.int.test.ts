import { createEpoch } from './epoch.ts';
import { type TestRedis, useRedis } from './testing/redis.ts';
import { createTokenLocks } from './token-locks.ts';

let redis: TestRedis;
beforeEach(() => {
  redis = useRedis('locks');
});
afterEach(() => redis.drop());

const open = async () => createTokenLocks({ redis: await redis.producer(), prefix: redis.prefix });
const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

test('50 callers in two processes refresh a token once, one at a time', async () => {
  const first = await open();
  const second = await open();
  let stored = 'old';
  let refreshes = 0;
  let inside = 0;
  let most = 0;
  const tokens = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      (index % 2 ? first : second).withTokenLock('token', 5_000, async () => {
        inside += 1;
        most = Math.max(most, inside);
        if (stored === 'old') {
          refreshes += 1;
          await sleep(30);
          stored = 'new';
        }
        inside -= 1;
        return stored;
      }),
    ),
  );
  expect(new Set(tokens)).toEqual(new Set(['new']));
  expect([refreshes, most]).toEqual([1, 1]);
}, 15_000);

test('a lock is free again after its holder threw', async () => {
  const locks = await open();
  const failed = locks.withTokenLock('token', 5_000, () => Promise.reject(new Error('no')));
  await expect(failed).rejects.toThrow('no');
  expect(await locks.withTokenLock('token', 5_000, async () => 'yes')).toBe('yes');
});

test('a holder past its time is told before, and does not free the lock of the next one', async () => {
  const [first, second] = [await open(), await open()];
  const events: string[] = [];
  const slow = first.withTokenLock('token', 300, async (signal) => {
    signal.addEventListener('abort', () => events.push('first is told'));
    await sleep(500);
    events.push('first ends');
  });
  await sleep(50);
  const next = second.withTokenLock('token', 2_000, async () => {
    events.push('second starts');
    await slow;
    const third = first.withTokenLock('token', 100, async () => events.push('third starts'));
    await expect(third).rejects.toMatchObject({ code: 'lock_busy' });
    events.push('second ends');
  });
  await next;
  expect(events).toEqual(['first is told', 'second starts', 'first ends', 'second ends']);
});

test('without Redis nothing runs', async () => {
  const connection = await redis.producer();
  const locks = createTokenLocks({ redis: connection, prefix: redis.prefix });
  connection.disconnect();
  let ran = false;
  const locked = locks.withTokenLock('token', 500, async () => {
    ran = true;
  });
  await expect(locked).rejects.toMatchObject({ code: 'lock_unavailable' });
  expect(ran).toBe(false);
});

test('an emptied Redis is known by its missing epoch', async () => {
  const connection = await redis.producer();
  const epoch = createEpoch({ redis: connection, prefix: redis.prefix });
  expect(await epoch.hasEpoch()).toBe(false);
  await epoch.ensureEpoch();
  await epoch.ensureEpoch();
  expect(await epoch.hasEpoch()).toBe(true);
  await connection.del(`${redis.prefix}:epoch`);
  expect(await epoch.hasEpoch()).toBe(false);
});
