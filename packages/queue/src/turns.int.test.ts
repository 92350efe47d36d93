import { createServer, type Server, type Socket } from 'node:net';
import type { TurnJob } from '@tributary/shared';
import type { Redis } from 'ioredis';
import { createProducerConnection } from './connections.ts';
import { createSilentLogger, type TestRedis, until, useRedis } from './testing/redis.ts';
import { createTurnQueues, type TurnQueues } from './turn-queues.ts';
import { createTurnWorkers, type TurnWorkers } from './turn-workers.ts';

let redis: TestRedis;
let producer: Redis;
let queues: TurnQueues;
let workers: TurnWorkers | undefined;

beforeEach(async () => {
  redis = useRedis('turns');
  producer = await redis.producer();
  queues = createTurnQueues({
    connection: producer,
    prefix: redis.prefix,
    channels: ['SOCIAL_ADS', 'PORTAL1_BLOG'],
    logger: redis.logger,
  });
});
afterEach(async () => {
  await workers?.close();
  workers = undefined;
  await queues.close();
  await redis.drop();
});

const turn = (account: string, lane: TurnJob['lane'] = 'fresh'): TurnJob => ({
  v: 1,
  account,
  lane,
});
async function work(handle: (job: TurnJob, signal: AbortSignal) => Promise<void>, fresh = 2) {
  workers = createTurnWorkers({
    connection: await redis.worker(),
    queues,
    prefix: redis.prefix,
    channels: ['SOCIAL_ADS'],
    concurrency: { fresh, bulk: 1 },
    handle,
    logger: redis.logger,
    lock: { durationMs: 1_500, stalledCheckMs: 500 },
  });
  return workers;
}
const counts = async () => (await queues.jobCounts()).get('SOCIAL_ADS.fresh');

test('a turn of one account and lane waits at most once; lanes and accounts are apart', async () => {
  for (let i = 0; i < 5; i += 1) await queues.enqueue('SOCIAL_ADS', turn('l.1'));
  await queues.enqueue('SOCIAL_ADS', turn('l.2'));
  await queues.enqueue('SOCIAL_ADS', turn('l.1', 'bulk'));
  expect(await queues.waiting('SOCIAL_ADS', 'fresh')).toBe(2);
  expect(await queues.waiting('SOCIAL_ADS', 'bulk')).toBe(1);
  expect((await queues.jobCounts()).get('PORTAL1_BLOG.fresh')?.waiting).toBe(0);
});

test('while a turn runs it cannot be enqueued; when it ends or fails it can', async () => {
  const started: string[] = [];
  let end: ((fail: boolean) => void) | undefined;
  await work(async ({ account }) => {
    started.push(account);
    const failed = await new Promise<boolean>((done) => {
      end = done;
    });
    if (failed) throw new Error('it failed');
  });
  for (const fail of [false, true, false]) {
    const before = started.length;
    await queues.enqueue('SOCIAL_ADS', turn('l.1'));
    await until(() => started.length === before + 1);
    await queues.enqueue('SOCIAL_ADS', turn('l.1'));
    expect(await queues.waiting('SOCIAL_ADS', 'fresh')).toBe(0);
    end?.(fail);
    await until(async () => (await counts())?.active === 0);
  }
  expect(await counts()).toEqual({ waiting: 0, active: 0, completed: 2, failed: 1 });
});

test('twenty turns at once are all told to stop, and no signal gets a listener of each', async () => {
  const listening = jest.spyOn(EventTarget.prototype, 'addEventListener');
  const reasons: string[] = [];
  let running = 0;
  await work(async (_job, signal) => {
    running += 1;
    await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
    reasons.push(String(signal.reason));
  }, 20);
  for (let i = 0; i < 20; i += 1) await queues.enqueue('SOCIAL_ADS', turn(`l.${i}`));
  await until(() => running === 20);
  const targets = listening.mock.contexts;
  listening.mockRestore();
  await workers?.close();
  expect(reasons).toEqual(Array(20).fill('Error: The worker is stopping'));
  // Node takes the eleventh for a leak and warns.
  const most = Math.max(...targets.map((one) => targets.filter((two) => two === one).length));
  expect([targets.length >= 20, most <= 10]).toEqual([true, true]);
});

test('whatever a turn throws, it fails with a reason and the next turn runs', async () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const poison: unknown[] = [
    undefined,
    null,
    'text',
    42,
    circular,
    Object.create(null),
    Symbol('s'),
  ];
  const done: string[] = [];
  await work(async ({ account }) => {
    const index = Number(account.slice(2));
    if (index < poison.length) throw poison[index];
    done.push(account);
  }, 1);
  for (let i = 0; i <= poison.length; i += 1) await queues.enqueue('SOCIAL_ADS', turn(`l.${i}`));
  await until(() => done.length === 1);
  await until(async () => (await counts())?.active === 0);
  expect(await counts()).toEqual({ waiting: 0, active: 0, completed: 1, failed: poison.length });
  const failed = (await queues.all()[0]?.getFailed()) ?? [];
  for (const job of failed)
    expect(job.failedReason).toMatch(/^A turn threw .+ instead of an Error$/);
});

test('a job of an unknown version fails with the place, and is not handed out', async () => {
  const handled: TurnJob[] = [];
  await work(async (job) => {
    handled.push(job);
  });
  await queues.all()[0]?.add('turn', { v: 2, account: 'l.1', lane: 'fresh' });
  await until(async () => (await counts())?.failed === 1);
  const [job] = (await queues.all()[0]?.getFailed()) ?? [];
  expect(job?.failedReason).toMatch(/Unknown turn in job \d+: v: /);
  expect(handled).toEqual([]);
});

test('no turn is lost when all connections are cut again and again', async () => {
  const handled = new Set<string>();
  await work(async ({ account }) => {
    await new Promise((done) => setTimeout(done, 5));
    handled.add(account);
  }, 5);
  let killed = 0;
  const killing = (async () => {
    for (let i = 0; i < 6; i += 1) {
      await new Promise((done) => setTimeout(done, 150));
      killed += await redis.killConnections();
    }
  })();
  for (let i = 0; i < 300; i += 1) {
    // An enqueuer tries again while Redis is away, as the wake does every minute.
    await until(() =>
      queues.enqueue('SOCIAL_ADS', turn(`l.${i}`)).then(
        () => true,
        () => false,
      ),
    );
  }
  await killing;
  // A turn whose hand-over was cut belongs to nobody until its lock ends: 1.5 s + 0.5 s here.
  await until(() => handled.size === 300);
  await workers?.close();
  expect(redis.logger.lines.join(' ')).not.toMatch(/left behind|not closed in order/);
  expect(killed).toBeGreaterThanOrEqual(12);
}, 30_000);

test('closing aborts the running turn with an Error, leaves the waiting one and ends soon', async () => {
  const reasons: unknown[] = [];
  const opened = await work(
    (_job, signal) =>
      new Promise((done) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          done();
        });
      }),
    1,
  );
  await queues.enqueue('SOCIAL_ADS', turn('l.1'));
  await queues.enqueue('SOCIAL_ADS', turn('l.2'));
  await until(() => opened.running() === 1);
  const startedAt = Date.now();
  await opened.close();
  expect(Date.now() - startedAt).toBeLessThan(5_000);
  expect(reasons).toEqual([new Error('The worker is stopping')]);
  expect(await counts()).toEqual({ waiting: 1, active: 0, completed: 1, failed: 0 });
});

test('a paused queue is not counted as waiting', async () => {
  await queues.enqueue('SOCIAL_ADS', turn('l.1'));
  await queues.all()[0]?.pause();
  expect(await queues.waiting('SOCIAL_ADS', 'fresh')).toBe(0);
});

describe('without Redis', () => {
  let silent: Server;
  const sockets: Socket[] = [];
  let connection: Redis;
  const openOn = (url: string) => {
    const logger = createSilentLogger();
    connection = createProducerConnection({ url, name: 'connectors-silent', logger });
    return createTurnQueues({ connection, prefix: 'p', channels: ['SOCIAL_ADS'], logger });
  };
  beforeEach(async () => {
    silent = createServer((socket) => sockets.push(socket));
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  });
  afterEach(async () => {
    connection.disconnect();
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => silent.close(done));
  });

  test.each(['a server that never answers', 'a closed port'])(
    'enqueuing to %s fails in time',
    async (kind) => {
      const address = silent.address();
      const port = kind === 'a closed port' || typeof address !== 'object' ? 1 : address?.port;
      const dead = openOn(`redis://127.0.0.1:${port}`);
      const startedAt = Date.now();
      const enqueued = dead.enqueue('SOCIAL_ADS', turn('l.1'));
      await expect(enqueued).rejects.toMatchObject({ code: 'queue_unavailable' });
      expect(Date.now() - startedAt).toBeLessThan(2_500);
      await dead.close();
    },
  );
});

test('what follows a turn is told when its place is free, with its outcome; a failed one has none', async () => {
  const told: unknown[] = [];
  workers = createTurnWorkers({
    connection: await redis.worker(),
    queues,
    prefix: redis.prefix,
    channels: ['SOCIAL_ADS'],
    concurrency: { fresh: 1, bulk: 1 },
    handle: async ({ account }) => {
      if (account === 'l.2') throw new Error('it failed');
      return 'more';
    },
    ended: async (done) => {
      told.push(done);
      if (told.length === 1) await queues.enqueue('SOCIAL_ADS', turn('l.1'));
      if (told.length === 2) await queues.enqueue('SOCIAL_ADS', turn('l.2'));
      throw new Error('and then it failed');
    },
    logger: redis.logger,
  });
  await queues.enqueue('SOCIAL_ADS', turn('l.1'));
  await until(() => told.length === 3);
  const done = { job: turn('l.1'), outcome: 'more' };
  expect(told).toEqual([done, done, undefined]);
  expect(redis.logger.lines.join(' ')).toContain('What follows a turn failed');
});
