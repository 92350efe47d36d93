// @ts-check
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { installRedis } from './debian/install.mjs';
import { downloadedProgram } from './downloaded-program.mjs';
import { messageOf, pingRedis, pingUntilReady } from './ping.mjs';
import { freePort } from './ports.mjs';
import { programCache } from './program-cache.mjs';
import { findOnPath, firstThatWorks, startServer } from './start-server.mjs';

/** @typedef {import('./start-server.mjs').ServiceContext} ServiceContext */

/**
 * @typedef {object} RedisService
 * @property {string} url
 * @property {'given' | 'path' | 'debian' | 'redis-memory-server'} kind
 * @property {string} version
 * @property {string} program what runs, in words
 * @property {boolean} started by us, hence stopped by us
 */

const startTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;

/**
 * Finds or starts a Redis.
 * @param {ServiceContext} context
 * @returns {Promise<RedisService>}
 */
export async function openRedis(context) {
  const { env, log, signal, apt } = context;
  const given = env.REDIS_URL;
  if (given) return openGiven(given);
  const cache = () => programCache(undefined, env);
  return firstThatWorks(
    'Redis',
    [
      {
        name: 'redis-server or valkey-server on PATH',
        open: async () => {
          const command = findOnPath(['redis-server', 'valkey-server'], env);
          return start(context, { command, args: [], kind: 'path', program: basename(command) });
        },
      },
      {
        name: 'Debian package',
        open: async () => {
          const { command, args, versions } = await installRedis({
            cache: cache(),
            account: undefined,
            apt,
            log,
            signal,
          });
          return start(context, { command, args, kind: 'debian', program: versions.join(', ') });
        },
      },
      {
        name: 'build from source',
        open: async () => {
          const command = await downloadedProgram('redis-server', { cache: cache(), log, signal });
          return start(context, {
            command,
            args: [],
            kind: 'redis-memory-server',
            program: 'redis-server, built from source',
          });
        },
      },
    ],
    context,
  );
}

/**
 * @param {string} url
 * @returns {Promise<RedisService>}
 */
async function openGiven(url) {
  try {
    const version = await pingRedis(url);
    return { url, kind: 'given', version, program: 'the server at REDIS_URL', started: false };
  } catch (error) {
    // The address may hold a password, so only the variable is named.
    throw new Error(`The server at REDIS_URL does not answer: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * @param {ServiceContext} context
 * @param {{ command: string, args: readonly string[], kind: RedisService['kind'], program: string }} found
 * @returns {Promise<RedisService>}
 */
async function start({ dataDir, keeper, signal }, { command, args, kind, program }) {
  const folder = join(dataDir, 'redis');
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const settings = {
    dir: folder,
    port: String(port),
    bind: '127.0.0.1',
    appendonly: 'yes',
    appendfsync: 'everysec',
    'maxmemory-policy': 'noeviction',
  };
  const version = await startServer({
    keeper,
    signal,
    spec: {
      name: 'redis',
      command,
      args: [...args, ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])],
      cwd: folder,
      logFile: join(dataDir, 'logs', 'redis.log'),
      stopSignal: 'SIGINT',
      stopTimeoutMs,
    },
    ready: (either) =>
      pingUntilReady(() => pingRedis(url, 1_000), { timeoutMs: startTimeoutMs, signal: either }),
  });
  return { url, kind, version, program, started: true };
}
