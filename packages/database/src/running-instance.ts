import { readFile } from 'node:fs/promises';
import { AppError, readEnv } from '@tributary/runtime';
import { z } from 'zod';

const EnvSchema = z.object({
  MONGODB_URI: z
    .string()
    .optional()
    .describe('Where MongoDB is; else the running instance is asked'),
});
const RunFileSchema = z.object({ mongodbUri: z.string() });
/** Written by `npm start` while it runs. */
const RUN_FILE = '.tributary/run.json';

/**
 * The database that a command works on: MONGODB_URI, else that of the instance running here.
 *
 * @throws AppError `no_database` when neither is there
 */
export async function findMongodbUri(): Promise<string> {
  const { MONGODB_URI } = readEnv(EnvSchema, process.env);
  if (MONGODB_URI) return MONGODB_URI;
  try {
    return RunFileSchema.parse(JSON.parse(await readFile(RUN_FILE, 'utf8'))).mongodbUri;
  } catch (cause) {
    const message = `MONGODB_URI is not set and no instance runs here (${RUN_FILE} cannot be read)`;
    throw new AppError('no_database', message, { cause });
  }
}
