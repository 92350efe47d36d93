import { createLogger } from '@tributary/runtime';
import type { Document } from 'mongodb';
import { LASTING_COLLECTIONS } from './collections.ts';
import { connectDatabase, type Database } from './database.ts';
import { ensureIndexes } from './indexes.ts';
import { randomId } from './keys.ts';

/** A database of its own for one test file. */
export interface TestDatabase {
  db: Database;
  uri: string;
  /** Every command the driver has sent since the last call, newest last. */
  takeCommands(): Document[];
  /** Drops the database and closes the connection. */
  drop(): Promise<void>;
}

/**
 * Opens a new database on the server of MONGODB_URI with all collections and indexes.
 *
 * @throws Error when MONGODB_URI is not set or not reachable: a missing server fails the tests
 */
export async function openTestDatabase(
  label: string,
  { indexes = true } = {},
): Promise<TestDatabase> {
  const base = process.env.MONGODB_URI;
  if (!base) throw new Error('MONGODB_URI is not set: these tests need a server');
  const [, server, query = ''] = /^([^/]+\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(base) ?? [];
  const uri = `${server}/documents_${label}_${randomId()}${query}`;
  const logger = createLogger({ name: 'test', level: 'silent' });
  const db = await connectDatabase({ uri, appName: 'test', logger, monitorCommands: true });
  let commands: Document[] = [];
  db.db.client.on('commandStarted', ({ command }) => commands.push(command));
  if (indexes) await ensureIndexes(db, LASTING_COLLECTIONS);
  return {
    db,
    uri,
    takeCommands() {
      const taken = commands;
      commands = [];
      return taken;
    },
    async drop() {
      await db.db.dropDatabase();
      await db.close();
    },
  };
}
