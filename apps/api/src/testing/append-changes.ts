import { connectDatabase, publishChange } from '@tributary/database';
import { createLogger } from '@tributary/runtime';

/**
 * A process of its own that appends to a tenant's change feed, one change after the other:
 * `append-changes <database> <feed or counter> <tenant> <writer> <count>`. It says `ready`, and begins once it is told to.
 * `counter` is the naive way, for comparison: take a number, then write the entry.
 */
const [uri = '', mode = '', tenant = '', writer = '', count = '0'] = process.argv.slice(2);
const logger = createLogger({ name: 'writer', level: 'silent' });
const db = await connectDatabase({ uri, appName: 'changes-writer', logger });

async function appendToFeed(at: number): Promise<void> {
  const change = { at, link: writer, account: `${writer}.77`, days: ['2026-11-02'] };
  await publishChange(db, tenant, { ...change, level: 'c' });
}

async function appendByCounter(at: number): Promise<void> {
  const counted = await db.db
    .collection<{ _id: string; n: number }>('naiveCounter')
    .findOneAndUpdate(
      { _id: tenant },
      { $inc: { n: 1 } },
      { upsert: true, returnDocument: 'after' },
    );
  const entries = db.db.collection<{ _id: number; link: string; at: number }>('naiveEntries');
  await entries.insertOne({ _id: counted?.n ?? 0, link: writer, at });
}

const append = mode === 'feed' ? appendToFeed : appendByCounter;
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
process.stdin.destroy();
for (let at = 0; at < Number(count); at += 1) await append(at);
await db.close();
