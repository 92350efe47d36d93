import { Redis } from 'ioredis';
import type { QueueLogger } from './logger.ts';
import { reportOutages } from './outages.ts';

export interface ConnectionSettings {
  /** `redis://…` or `rediss://…`; never logged, as it may carry a password. */
  url: string;
  /** Shown in the server's client list. */
  name: string;
  logger: QueueLogger;
}

const BACK_OFF_MOST_MS = 2_000;
const COMMAND_TIMEOUT_MS = 2_000;

/** For enqueuing, budgets and locks: fails at once while Redis is away instead of piling up commands. */
export function createProducerConnection(settings: ConnectionSettings): Redis {
  const options = {
    ...baseOptions(settings),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_TIMEOUT_MS,
  };
  return listen(new Redis(settings.url, options), settings);
}

/** For workers: commands wait for Redis to come back. A command timeout would cut the blocking reads. */
export function createWorkerConnection(settings: ConnectionSettings): Redis {
  const options = { ...baseOptions(settings), maxRetriesPerRequest: null };
  return listen(new Redis(settings.url, options), settings);
}

/** Waits until a connection can be used. Rejects after the time, naming nothing of the URL. */
export async function waitForConnection(connection: Redis, timeoutMs: number): Promise<void> {
  if (connection.status === 'ready') return;
  await new Promise<void>((done, fail) => {
    const ready = () => {
      clearTimeout(timer);
      done();
    };
    const timer = setTimeout(() => {
      connection.off('ready', ready);
      fail(new Error(`Redis was not ready within ${timeoutMs} ms`));
    }, timeoutMs);
    connection.once('ready', ready);
  });
}

function baseOptions({ name }: ConnectionSettings) {
  return {
    connectionName: name,
    connectTimeout: 5_000,
    disconnectTimeout: 500,
    retryStrategy: (times: number) => Math.min(2 ** times * 50, BACK_OFF_MOST_MS),
  };
}

function listen(connection: Redis, { name, logger }: ConnectionSettings): Redis {
  reportOutages(connection, name, logger);
  return connection;
}
