import { AppError, createLogger, EnvError, systemClock } from '@tributary/runtime';
import { connectDatabase } from './database.ts';
import { ensureIndexes } from './indexes.ts';
import { runKeysCommand, USAGE, UsageError } from './keys-command.ts';
import { findMongodbUri } from './running-instance.ts';

const EXPECTED = [UsageError, RangeError, AppError, EnvError];

async function main(): Promise<void> {
  try {
    await runKeysCommand(process.argv.slice(2), {
      async open() {
        const uri = await findMongodbUri();
        const logger = createLogger({ name: 'keys', level: 'silent' });
        const db = await connectDatabase({ uri, appName: 'tributary-keys', logger });
        await ensureIndexes(db);
        return db;
      },
      now: () => systemClock.now(),
      write: (line) => process.stdout.write(`${line}\n`),
    });
  } catch (error) {
    if (!EXPECTED.some((kind) => error instanceof kind)) throw error;
    process.stderr.write(`${(error as Error).message}\n`); // each expected kind is an Error
    if (error instanceof UsageError) process.stderr.write(`\n${USAGE}\n`);
    process.exitCode = 1;
  }
}

await main();
