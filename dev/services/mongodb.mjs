// @ts-check
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ferretdbVersion } from './debian/ferretdb-build.mjs';
import { installFerretdb } from './debian/install.mjs';
import { downloadedProgram } from './downloaded-program.mjs';
import { messageOf, pingMongodb, pingUntilReady } from './ping.mjs';
import { freePort } from './ports.mjs';
import {
  createCluster,
  postgresArguments,
  postgresFolder,
  postgresUrl,
  prepareDocumentdb,
  settlePostmaster,
} from './postgres.mjs';
import { programCache } from './program-cache.mjs';
import { findOnPath, firstThatWorks, startServer } from './start-server.mjs';
import { unprivilegedAccount } from './unprivileged.mjs';

/** @typedef {import('./start-server.mjs').ServiceContext} ServiceContext */

/**
 * @typedef {object} MongodbService
 * @property {string} uri without the name of a database, unless the given one has it
 * @property {'given' | 'mongod' | 'mongodb-memory-server' | 'ferretdb'} kind
 * @property {string} version of the protocol's server, as buildInfo tells it
 * @property {string} program what runs, in words
 * @property {boolean} started by us, hence stopped by us
 */

const startTimeoutMs = 120_000;
const stopTimeoutMs = 30_000;

/**
 * Finds or starts a server that speaks MongoDB's protocol.
 * @param {ServiceContext} context
 * @returns {Promise<MongodbService>}
 */
export async function openMongodb(context) {
  const { env, log, signal } = context;
  const given = env.MONGODB_URI;
  if (given) return openGiven(given);
  const cache = () => programCache(undefined, env);
  return firstThatWorks(
    'MongoDB',
    [
      {
        name: 'mongod on PATH',
        open: async () => startMongod(context, findOnPath(['mongod'], env), 'mongod'),
      },
      {
        name: 'download of mongod',
        open: async () => {
          const program = await downloadedProgram('mongod', { cache: cache(), log, signal });
          return startMongod(context, program, 'mongodb-memory-server');
        },
      },
      { name: 'FerretDB on PostgreSQL from Debian packages', open: () => startFerretdb(context) },
    ],
    context,
  );
}

/**
 * @param {string} uri
 * @returns {Promise<MongodbService>}
 */
async function openGiven(uri) {
  try {
    const version = await pingMongodb(uri);
    return { uri, kind: 'given', version, program: 'the server at MONGODB_URI', started: false };
  } catch (error) {
    // The address may hold a password, so only the variable is named.
    throw new Error(`The server at MONGODB_URI does not answer: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * @param {ServiceContext} context
 * @param {string} command
 * @param {'mongod' | 'mongodb-memory-server'} kind
 * @returns {Promise<MongodbService>}
 */
async function startMongod({ dataDir, keeper, signal }, command, kind) {
  const folder = join(dataDir, 'mongodb');
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const uri = `mongodb://127.0.0.1:${port}`;
  const args = [
    '--dbpath',
    folder,
    '--port',
    String(port),
    '--bind_ip',
    '127.0.0.1',
    '--storageEngine',
    'wiredTiger',
  ];
  const spec = {
    name: 'mongod',
    command,
    args: [...args, ...(process.platform === 'win32' ? [] : ['--nounixsocket'])],
    cwd: folder,
    logFile: join(dataDir, 'logs', 'mongod.log'),
    stopSignal: /** @type {const} */ ('SIGINT'),
    stopTimeoutMs,
  };
  const version = await startServer({ keeper, spec, signal, ready: waitForMongodb(uri) });
  return { uri, kind, version, program: `mongod ${version} (${command})`, started: true };
}

/**
 * @param {ServiceContext} context
 * @returns {Promise<MongodbService>}
 */
async function startFerretdb({ dataDir, durable, env, keeper, apt, log, signal }) {
  const account = unprivilegedAccount();
  const cache = programCache(account, env);
  const { bin, ferretdb, suite, versions } = await installFerretdb({
    cache,
    account,
    apt,
    log,
    signal,
  });
  const folder = await postgresFolder({ dataDir, account, log });
  await settlePostmaster(folder, log);
  await createCluster({ bin, folder, account, durable, signal });

  const postgresPort = await freePort();
  const stop = { stopSignal: /** @type {const} */ ('SIGINT'), stopTimeoutMs };
  await startServer({
    keeper,
    signal,
    spec: {
      name: 'postgres',
      command: join(bin, 'postgres'),
      args: postgresArguments({ folder, port: postgresPort, durable }),
      env: { LC_ALL: 'C' },
      cwd: '/',
      ...account,
      logFile: join(dataDir, 'logs', 'postgres.log'),
      ...stop,
    },
    ready: (either) => prepareDocumentdb({ bin, port: postgresPort, signal: either }),
  });

  const port = await freePort();
  const uri = `mongodb://127.0.0.1:${port}`;
  const state = join(dataDir, 'ferretdb');
  await mkdir(state, { recursive: true });
  const version = await startServer({
    keeper,
    signal,
    spec: {
      name: 'ferretdb',
      command: ferretdb,
      args: [
        `--listen-addr=127.0.0.1:${port}`,
        `--postgresql-url=${postgresUrl(postgresPort)}`,
        `--state-dir=${state}`,
        '--no-auth',
        '--telemetry=disable',
        '--debug-addr=-',
        '--log-level=error',
      ],
      cwd: state,
      logFile: join(dataDir, 'logs', 'ferretdb.log'),
      ...stop,
    },
    ready: waitForMongodb(uri),
  });
  const program = `FerretDB ${ferretdbVersion} on ${versions.join(', ')} (${suite})`;
  return { uri, kind: 'ferretdb', version, program, started: true };
}

/** @param {string} uri */
function waitForMongodb(uri) {
  return (/** @type {AbortSignal} */ signal) =>
    pingUntilReady(() => pingMongodb(uri, 1_000), { timeoutMs: startTimeoutMs, signal });
}
