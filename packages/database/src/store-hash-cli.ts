import { createLogger } from '@tributary/runtime';
import { connectDatabase } from './database.ts';
import { findMongodbUri } from './running-instance.ts';
import { storeHash } from './store-hash.ts';

const db = await connectDatabase({
  uri: await findMongodbUri(),
  appName: 'tributary-store-hash',
  logger: createLogger({ name: 'store-hash', level: 'warn' }),
});
try {
  const { hash, documents } = await storeHash(db);
  const counts = Object.entries(documents).map(([name, count]) => `${name} ${count}`);
  process.stdout.write(`${hash}  ${counts.join(', ')}\n`);
} finally {
  await db.close();
}
