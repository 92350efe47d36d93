import type { Redis } from 'ioredis';
import {
  createProducerConnection,
  createWorkerConnection,
  waitForConnection,
} from '../connections.ts';
import type { QueueLogger } from '../logger.ts';

/** What was logged, instead of printing it. */
export function createSilentLogger(): QueueLogger & { lines: string[] } {
  const lines: string[] = [];
  const keep = (fields: object, message: string) => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { lines, info: keep, warn: keep, error: keep };
}

export interface TestRedis {
  prefix: string;
  logger: ReturnType<typeof createSilentLogger>;
  producer(): Promise<Redis>;
  worker(): Promise<Redis>;
  /** Cuts every connection opened here, as an outage would; answers how many there were. */
  killConnections(): Promise<number>;
  /** Deletes the prefix's keys and closes every connection. */
  drop(): Promise<void>;
}

/** The real Redis of `REDIS_URL` under a prefix of the test file's own. Fails when it is not there. */
export function useRedis(file: string): TestRedis {
  const url = process.env.REDIS_URL;
  if (!url) throw new Error('REDIS_URL is not set: start Redis and name it there');
  const prefix = `connectors-${file}-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  const logger = createSilentLogger();
  const opened: Redis[] = [];
  const open = async (create: typeof createProducerConnection, name: string) => {
    const connection = create({ url, name, logger });
    opened.push(connection);
    await waitForConnection(connection, 5_000);
    return connection;
  };
  return {
    prefix,
    logger,
    producer: () => open(createProducerConnection, prefix),
    worker: () => open(createWorkerConnection, prefix),
    async killConnections() {
      const admin = await open(createProducerConnection, 'connectors-admin');
      const clients = String(await admin.client('LIST')).split('\n');
      const ids = clients.flatMap((line) =>
        line.includes(` name=${prefix}`) ? [/^id=(\d+)/.exec(line)?.[1] ?? ''] : [],
      );
      for (const id of ids) await admin.client('KILL', 'ID', id);
      return ids.length;
    },
    async drop() {
      const admin = await open(createProducerConnection, 'connectors-admin');
      const keys = await admin.keys(`${prefix}:*`);
      if (keys.length > 0) await admin.del(...keys);
      for (const connection of opened) connection.disconnect();
    },
  };
}

/** Waits until a condition holds, at most `timeoutMs`. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 10_000,
): Promise<void> {
  const giveUpAt = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > giveUpAt) throw new Error(`It did not come true within ${timeoutMs} ms`);
    await new Promise((done) => setTimeout(done, 20));
  }
}
