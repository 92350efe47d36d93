import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { openWorld, type World } from './testing/open-world.ts';
import { buildApps, until } from './testing/processes.ts';

const NOW = '2026-11-21T03:02:00Z';
const AWAY_MS = 30_000;

const worlds: World[] = [];
const proxies: { cut(): void }[] = [];
const open = async () => {
  const world = await openWorld({ now: NOW, historyDays: 10 });
  worlds.push(world);
  return world;
};

beforeAll(buildApps, 300_000);
afterAll(async () => {
  for (const world of worlds) await world.close();
  for (const proxy of proxies) proxy.cut();
}, 60_000);

/** A way to a server that can be cut: connections break and new ones are refused. */
async function openCuttableProxy(serverUrl: string) {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const listen = async (port: number): Promise<Server> => {
    const server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
        from.pipe(to);
      }
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await listen(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port');
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${address.port}`;
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: url.href,
    cut,
    async restore() {
      server = await listen(address.port);
    },
  };
}

test('MongoDB away for half a minute in mid-turn ends no worker, and the load ends in the same store', async () => {
  const calm = await open();
  const one = await calm.startWorker();
  await calm.loaded();
  await one.end('SIGTERM');
  const count = (await calm.sandbox.calls()).length;

  const world = await open();
  const proxy = await openCuttableProxy(world.mongoUri);
  proxies.push(proxy);
  const worker = await world.startWorker({ mongoUri: proxy.url });
  const made = async () => (await world.sandbox.calls()).length;
  await until('a third of the calls', async () => (await made()) > count / 3, { everyMs: 20 });
  proxy.cut();
  await wait(AWAY_MS);
  expect(worker.isRunning()).toBe(true);
  await proxy.restore();
  await world.loaded(90_000); // far less than the five minutes of a claim
  expect(await worker.end('SIGTERM')).toMatchObject({ code: 0 });
  expect(await world.hash()).toEqual(await calm.hash());
}, 200_000);
