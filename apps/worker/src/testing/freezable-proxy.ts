import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a server that can go silent (connections stay open, nothing comes through) or away (all are refused). */
export interface FreezableProxy {
  url: string;
  freeze(): void;
  /** Cuts every connection and refuses new ones, until it is opened again at the same address. */
  shut(): Promise<void>;
  reopen(): Promise<void>;
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
  async function shut() {
    for (const socket of sockets.splice(0)) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  }
  return {
    url: url.href,
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    shut,
    async reopen() {
      server.listen(Number(url.port), '127.0.0.1');
      await once(server, 'listening');
    },
    close: shut,
  };
}
