import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import {
  createProducerConnection,
  createWorkerConnection,
  waitForConnection,
} from './connections.ts';
import { isOutage } from './outages.ts';
import { createSilentLogger, type TestRedis, until, useRedis } from './testing/redis.ts';
import { createTurnQueues } from './turn-queues.ts';
import { createTurnWorkers } from './turn-workers.ts';

let redis: TestRedis;
let door: Awaited<ReturnType<typeof openDoor>>;
beforeEach(async () => {
  redis = useRedis('outages');
  door = await openDoor();
});
afterEach(async () => {
  await door.close();
  await redis.drop();
});

/** The way to Redis, which can be closed and opened again at the same port. */
async function openDoor() {
  const target = new URL(process.env.REDIS_URL ?? '');
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  const open = async () => {
    const opened = createServer((client) => {
      const upstream = connect(Number(target.port || 6379), target.hostname);
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
        one.pipe(other);
      }
    });
    await new Promise<void>((done) => opened.listen(port, '127.0.0.1', done));
    const address = opened.address();
    port = typeof address === 'object' && address ? address.port : 0;
    server = opened;
  };
  const close = async () => {
    const closed = new Promise((done) => server?.close(done));
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await closed;
  };
  await open();
  return { url: `redis://127.0.0.1:${port}`, open, close };
}

test('an outage is one line when a connection goes away and one when it is back, whatever uses it', async () => {
  const logger = createSilentLogger();
  const { prefix } = redis;
  const settings = { url: door.url, logger };
  const producer = createProducerConnection({ ...settings, name: 'producer' });
  const connection = createWorkerConnection({ ...settings, name: 'turns' });
  let refused = 0;
  for (const one of [producer, connection]) {
    one.on('error', () => {
      refused += 1;
    });
    await waitForConnection(one, 5_000);
  }
  const queues = createTurnQueues({ connection: producer, prefix, logger });
  const done: string[] = [];
  const workers = createTurnWorkers({
    connection,
    queues,
    prefix,
    channels: ['SOCIAL_ADS', 'PORTAL1_BLOG'],
    concurrency: { fresh: 2, bulk: 1 },
    handle: async ({ account }) => {
      done.push(account);
    },
    logger,
  });
  await door.close();
  await until(() => refused >= 6);
  const lost = queues.enqueue('SOCIAL_ADS', { v: 1, account: 'l.1', lane: 'fresh' });
  await expect(lost).rejects.toMatchObject({ code: 'queue_unavailable' });
  await door.open();
  await until(() => producer.status === 'ready' && connection.status === 'ready');
  await queues.enqueue('SOCIAL_ADS', { v: 1, account: 'l.2', lane: 'fresh' });
  await until(() => done.includes('l.2'));
  const lines = logger.lines.map((line) => line.replace(/,"reason":.*}/, '}'));
  await workers.close();
  await queues.close();
  for (const one of [producer, connection]) one.disconnect();
  await wait(100); // what closing says would be said by now
  expect(lines.toSorted()).toEqual([
    'Redis answers again {"service":"producer"}',
    'Redis answers again {"service":"turns"}',
    'Redis does not answer {"service":"producer"}',
    'Redis does not answer {"service":"turns"}',
  ]);
  expect(logger.lines).toHaveLength(lines.length);
}, 30_000);

test('other errors of a connection are told as they come', async () => {
  const logger = createSilentLogger();
  const connection = createProducerConnection({ url: door.url, name: 'producer', logger });
  await waitForConnection(connection, 5_000);
  const error = new Error('NOAUTH Authentication required.');
  expect(isOutage(error)).toBe(false);
  connection.emit('error', error);
  connection.emit('error', error);
  connection.disconnect();
  expect(logger.lines).toHaveLength(2);
});
