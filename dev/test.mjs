// @ts-check
/**
 * `npm test`: everything from a bare clone to the result. Arguments go to jest: `npm test -- --selectProjects shared`.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './ensure-installed.mjs';
import { interruption } from './interruption.mjs';
import { ensureServices } from './services/ensure-services.mjs';
import { messageOf } from './services/ping.mjs';
import { removeAbandoned, removeData } from './services/remove-data.mjs';
import { build } from './start/build.mjs';
import { resultLine } from './test/result-line.mjs';
import { runJest } from './test/run-jest.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const parent = join(root, '.tributary');
const prefix = 'test-';

/**
 * @param {readonly string[]} args
 * @param {AbortSignal} signal
 */
async function runTests(args, signal) {
  const log = console.log;
  await ensureInstalled({ root, log, signal });
  // Some tests start the apps as processes of their own.
  await build({ root, log, signal });
  await removeAbandoned(parent, { prefix, log });
  const dataDir = join(parent, `${prefix}${process.pid}`);
  await mkdir(dataDir, { recursive: true });
  try {
    const services = await ensureServices({ dataDir, log, signal, durable: false });
    try {
      const env = { MONGODB_URI: services.mongodb.uri, REDIS_URL: services.redis.url };
      return await runJest({ root, outputFile: join(dataDir, 'jest.json'), args, env, signal });
    } finally {
      await services.stop();
    }
  } finally {
    await removeData(dataDir, { log });
  }
}

async function main() {
  const signal = interruption();
  /** @type {Awaited<ReturnType<typeof runTests>>} */
  let outcome = { result: undefined, exitCode: null };
  try {
    outcome = await runTests(process.argv.slice(2), signal);
  } catch (error) {
    console.error(messageOf(error));
  }
  const { line, ok } = resultLine(outcome.result, outcome.exitCode);
  const skipped = outcome.result?.numPendingTests ?? 0;
  if (skipped > 0) console.log(`${skipped} not run`);
  console.log(line);
  process.exitCode = signal.aborted ? 130 : ok ? 0 : 1;
}

await main();
