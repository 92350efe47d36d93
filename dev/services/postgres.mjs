// @ts-check
import { createHash } from 'node:crypto';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from './ping.mjs';
import { waitForPort } from './ports.mjs';
import { endProcess, identify } from './process-identity.mjs';
import { runProgram } from './run-program.mjs';
import { reachableFolder } from './unprivileged.mjs';

/** @typedef {import('./unprivileged.mjs').Account} Account */

const user = 'tributary';
const database = 'postgres';
// Replaying the log after a power cut takes its time.
const startTimeoutMs = 180_000;

/**
 * The folder of PostgreSQL's data, owned by the account: `<dataDir>/postgres` where the account can get there, else one of the system,
 * always the same for the same data folder. `<dataDir>/postgres.path` remembers it.
 * @param {{ dataDir: string, account: Account | undefined, log: (line: string) => void }} options
 * @returns {Promise<string>}
 */
export async function postgresFolder({ dataDir, account, log }) {
  const pointer = join(dataDir, 'postgres.path');
  const known = await readFile(pointer, 'utf8').catch(() => undefined);
  const near = join(dataDir, 'postgres');
  const far = farFolders(dataDir);
  const parent = reachableFolder([near, ...(account ? far : [])], account);
  const folder = join(parent, 'data');
  if (parent !== near)
    log(`${dataDir} is closed to uid ${account?.uid}: PostgreSQL keeps its data in ${folder}`);
  if (known !== folder) {
    // Without our pointer it is left over from a data folder that was deleted.
    await rm(folder, { recursive: true, force: true });
    await writeFile(pointer, folder);
  }
  return folder;
}

/**
 * Removes PostgreSQL's data wherever postgresFolder had put it.
 * @param {string} dataDir
 */
export async function removePostgresFolder(dataDir) {
  const known = await readFile(join(dataDir, 'postgres.path'), 'utf8').catch(() => undefined);
  const parents = [join(dataDir, 'postgres'), ...farFolders(dataDir)];
  for (const parent of parents) {
    if (known === join(parent, 'data')) await rm(parent, { recursive: true, force: true });
  }
  await rm(join(dataDir, 'postgres.path'), { force: true });
}

/** @param {string} dataDir */
function farFolders(dataDir) {
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  return ['/var/lib/tributary', '/var/tmp/tributary', join(tmpdir(), 'tributary')].map((folder) =>
    join(folder, name),
  );
}

/**
 * Makes an empty database cluster unless there is one.
 * @param {{ bin: string, folder: string, account: Account | undefined, durable: boolean, signal?: AbortSignal | undefined }} options
 */
export async function createCluster({ bin, folder, account, durable, signal }) {
  const exists = await readFile(join(folder, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
  if (exists) return;
  // Finished under another name and then renamed: a killed initdb leaves no half cluster behind.
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  if (account) await chown(draft, account.uid, account.gid);
  const options = [
    '-U',
    user,
    '-A',
    'trust',
    '--no-locale',
    '-E',
    'UTF8',
    ...(durable ? [] : ['--no-sync']),
  ];
  await runProgram(join(bin, 'initdb'), ['-D', draft, ...options], {
    ...account,
    env: { LC_ALL: 'C' },
    timeoutMs: 120_000,
    signal,
  });
  const cursors = join(draft, 'pg_documentdb_cursor_files');
  await mkdir(cursors, { mode: 0o700 });
  if (account) await chown(cursors, account.uid, account.gid);
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
}

/**
 * Ends a server that still runs on the data folder although its keeper and our record of it are gone.
 * @param {string} folder
 * @param {(line: string) => void} log
 */
export async function settlePostmaster(folder, log) {
  const file = join(folder, 'postmaster.pid');
  const [pidText, dataFolder] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Number(pidText);
  if (!Number.isSafeInteger(pid) || pid <= 0 || dataFolder !== folder) return;
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (commandLine.split('\0').includes(folder)) {
    log(`Ending PostgreSQL (process ${pid}), left behind by a killed run`);
    await endProcess({ ...(await identify(pid)), timeoutMs: 30_000 });
  } else {
    // The number belongs to another program by now; PostgreSQL itself would refuse to start.
    await rm(file, { force: true });
  }
}

/**
 * @param {{ folder: string, port: number, durable: boolean }} options
 * @returns {string[]} the arguments of postgres
 */
export function postgresArguments({ folder, port, durable }) {
  const settings = {
    shared_preload_libraries: 'pg_cron,pg_documentdb_core,pg_documentdb',
    'cron.database_name': database,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '256MB',
    jit: 'off',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', folder, '-p', String(port), ...options];
}

/** @param {number} port */
export function postgresUrl(port) {
  return `postgres://${user}@127.0.0.1:${port}/${database}`;
}

/**
 * Waits until PostgreSQL answers, and sees to it that the DocumentDB extension is there.
 * @param {{ bin: string, port: number, signal?: AbortSignal | undefined }} options
 */
export async function prepareDocumentdb({ bin, port, signal }) {
  const deadline = Date.now() + startTimeoutMs;
  await waitForPort(port, { timeoutMs: startTimeoutMs, signal });
  const sql =
    'SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS documentdb CASCADE';
  for (;;) {
    try {
      await runProgram(join(bin, 'psql'), ['-qXd', postgresUrl(port), '-c', sql], {
        timeoutMs: 60_000,
        signal,
      });
      return;
    } catch (error) {
      // While it replays its log PostgreSQL listens already, but refuses.
      if (!/starting up|recovery/.test(messageOf(error)) || Date.now() > deadline) throw error;
      await delay(200, undefined, { signal });
    }
  }
}
