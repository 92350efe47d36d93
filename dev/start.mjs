// @ts-check
/**
 * `npm start`: from a bare clone to a running service with data. `npm start -- --fresh` removes the data of earlier runs first.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './ensure-installed.mjs';
import { interruption } from './interruption.mjs';
import { ensureServices } from './services/ensure-services.mjs';
import { settleLeftovers } from './services/keeper-client.mjs';
import { LockedError, takeLock } from './services/lock.mjs';
import { messageOf } from './services/ping.mjs';
import { removeData } from './services/remove-data.mjs';
import { build } from './start/build.mjs';
import { runApps } from './start/run-apps.mjs';
import { readPorts, requireFreePorts } from './start/settings.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dataDir = join(root, '.tributary');
const runFile = join(dataDir, 'run.json');
const lockFile = join(dataDir, 'start.lock');
const log = console.log;

/** @param {readonly string[]} args */
function readArguments(args) {
  const unknown = args.find((arg) => arg !== '--fresh');
  if (unknown !== undefined)
    throw new Error(`Unknown argument '${unknown}', expected --fresh or nothing`);
  return { fresh: args.includes('--fresh') };
}

async function removeEarlierData() {
  const given = ['MONGODB_URI', 'REDIS_URL'].filter((name) => process.env[name]);
  if (given.length > 0) {
    throw new Error(
      `--fresh removes nothing from a server of yours: empty it yourself, or unset ${given.join(' and ')}`,
    );
  }
  log('Removing the data of earlier runs');
  await removeData(dataDir, {
    log,
    keep: (name) => name.startsWith('start.lock') || name.startsWith('test-'),
  });
}

/**
 * @param {boolean} fresh
 * @param {AbortSignal} signal
 */
async function start(fresh, signal) {
  if (fresh) await removeEarlierData();
  await rm(runFile, { force: true });
  const ports = readPorts(process.env);
  await ensureInstalled({ root, log, signal });
  // A killed run's programs hold its ports until they have ended.
  await settleLeftovers(dataDir, log);
  await requireFreePorts(ports);
  await build({ root, log, signal });
  const services = await ensureServices({ dataDir, log, signal });
  try {
    await runApps({ root, dataDir, runFile, ports, services, log, signal });
  } finally {
    log('Stopping');
    await rm(runFile, { force: true });
    await services.stop();
    log('Stopped');
  }
}

/** @param {number} pid */
async function describeRunning(pid) {
  const text = await readFile(runFile, 'utf8').catch(() => undefined);
  const where =
    text === undefined ? 'It is still starting.' : `Its API is at ${JSON.parse(text).api}.`;
  return `Tributary is already running here as process ${pid}. ${where}`;
}

async function main() {
  const signal = interruption();
  try {
    const { fresh } = readArguments(process.argv.slice(2));
    await mkdir(dataDir, { recursive: true });
    const lock = await takeLock(lockFile);
    try {
      await start(fresh, signal);
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof LockedError) console.error(await describeRunning(error.holder.pid));
    else console.error(messageOf(error));
    process.exitCode = 1;
  }
}

await main();
