import { AppError, type Logger } from '@tributary/runtime';
import { type Db, MongoClient, MongoError } from 'mongodb';

/** One connection pool and the database it works on. */
export interface Database {
  readonly db: Db;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Its path names the database; `tributary` when it names none. */
  uri: string;
  /** Shown in the server's list of connections. */
  appName: string;
  logger: Logger;
  /** Emits `commandStarted` on `db.client`; for tests. */
  monitorCommands?: boolean;
}

/** Bounds every reading: a slow query answers an error instead of holding a connection. */
export const READ = { maxTimeMS: 5_000 } as const;

/**
 * Connects and proves it with one round trip. Writes are acknowledged by the majority of a replica set; the driver
 * retries single writes once where the server is one. Binary values are read as Buffer.
 *
 * @throws AppError `database_unreachable` naming the hosts, never the password
 */
export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const { uri, appName, logger, monitorCommands = false } = options;
  const client = new MongoClient(uri, {
    appName,
    monitorCommands,
    maxPoolSize: 50,
    waitQueueTimeoutMS: 2_000,
    serverSelectionTimeoutMS: 2_000,
    connectTimeoutMS: 5_000,
    socketTimeoutMS: 30_000,
    // A single server counts as its own majority.
    writeConcern: { w: 'majority', wtimeoutMS: 10_000 },
    promoteBuffers: true,
    // A forgotten value must never widen a filter: it stays in it, as null.
    ignoreUndefined: false,
  });
  reportOutages(client, logger);
  const db = client.db(/^[^/]+\/\/[^/?]+\/[^?]/.test(uri) ? undefined : 'tributary');
  try {
    await client.connect();
    await pingDatabase({ db });
  } catch (cause) {
    await client.close();
    const hosts = client.options.hosts.map(String).join(', ');
    throw new AppError('database_unreachable', `MongoDB does not answer at ${hosts}`, { cause });
  }
  return { db, close: () => client.close() };
}

/** One line when the server goes away, one when it is back, however often it is tried. */
function reportOutages(client: MongoClient, logger: Logger): void {
  let away = false;
  client.on('serverHeartbeatFailed', ({ connectionId, failure }) => {
    if (!away) logger.warn({ address: connectionId, err: failure }, 'MongoDB does not answer');
    away = true;
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => {
    if (away) logger.info({ address: connectionId }, 'MongoDB answers again');
    away = false;
  });
}

/** One round trip; for readiness checks. */
export async function pingDatabase({ db }: Pick<Database, 'db'>): Promise<void> {
  await db.command({ ping: 1 }, { timeoutMS: 2_000 });
}

/** No primary, stepping down, shutting down, interrupted, out of time: the same request may work in a moment. */
const PASSING_CODES: ReadonlySet<unknown> = new Set([
  6, 7, 50, 64, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);
const PASSING_NAMES =
  /^Mongo(?:Network|ServerSelection|WaitQueueTimeout|PoolCleared|PoolClosed|NotConnected|TopologyClosed|OperationTimeout)/;

const LOST_SOCKET: ReadonlySet<unknown> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED']);

/** True when MongoDB could not be asked or not in time: an outage, not a mistake of the caller. */
export function isUnavailable(error: unknown): boolean {
  // On a connection that the server has just ended the driver lets the socket's own error through.
  const { code } = Object(error) as { code?: unknown }; // thrown values may be anything
  if (LOST_SOCKET.has(code)) return true;
  if (!(error instanceof MongoError)) return false;
  return PASSING_NAMES.test(error.name) || PASSING_CODES.has(error.code);
}
