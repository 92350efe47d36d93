import { readFile } from 'node:fs/promises';
import { AppError, createLogger, EnvError, readEnv, systemClock } from '@tributary/runtime';
import { z } from 'zod';
import { connectDatabase } from './database.ts';
import { ensureIndexes } from './indexes.ts';
import { runKeysCommand, USAGE, UsageError } from './keys-command.ts';

const EnvSchema = z.object({
  MONGODB_URI: z
    .string()
    .optional()
    .describe('Where MongoDB is; else the running instance is asked'),
});
const RunFileSchema = z.object({ mongodbUri: z.string() });
/** Written by `npm start` while it runs. */
const RUN_FILE = '.tributary/run.json';

async function findMongodbUri(): Promise<string> {
  const { MONGODB_URI } = readEnv(EnvSchema, process.env);
  if (MONGODB_URI) return MONGODB_URI;
  try {
    return RunFileSchema.parse(JSON.parse(await readFile(RUN_FILE, 'utf8'))).mongodbUri;
  } catch (cause) {
    const message = `MONGODB_URI is not set and no instance runs here (${RUN_FILE} cannot be read)`;
    throw new AppError('no_database', message, { cause });
  }
}

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
