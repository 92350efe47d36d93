import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a server that can go silent: connections stay open and nothing comes through any more. */
export interface FreezableProxy {
  url: string;
  freeze(): void;
  close(): Promise<void>;
}

export async function openFreezableProxy(serverUrl: string): Promise<FreezableProxy> {
  const target = new URL(serverUrl);
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 6379), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
      sockets.push(from);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(address.port);
  return {
    url: url.href,
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
