// @ts-check
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { openApt } from './debian/apt.mjs';
import { openKeeper, settleLeftovers } from './keeper-client.mjs';
import { takeLock } from './lock.mjs';
import { openMongodb } from './mongodb.mjs';
import { openRedis } from './redis.mjs';

/**
 * @typedef {object} Services
 * @property {import('./mongodb.mjs').MongodbService} mongodb
 * @property {import('./redis.mjs').RedisService} redis
 * @property {Record<string, number>} pids of what we started, by name
 * @property {import('./keeper-client.mjs').Keeper} keeper further programs started by it end before the two servers
 * @property {() => Promise<void>} stop ends what was started, in reverse order; can be repeated
 */

/**
 * Finds MongoDB and Redis, or starts them with their data in `dataDir`. Which way it went is said in one line each.
 * Throws LockedError when another process uses the folder, and an error with all that was tried when there is no way.
 * @param {object} options
 * @param {string} options.dataDir
 * @param {(line: string) => void} options.log
 * @param {AbortSignal} [options.signal] ends the preparation; what was started is stopped
 * @param {boolean} [options.durable] false for data that is thrown away: nothing waits for the disk
 * @param {NodeJS.ProcessEnv} [options.env] MONGODB_URI, REDIS_URL, XDG_CACHE_HOME and PATH are read
 * @returns {Promise<Services>}
 */
export async function ensureServices({ dataDir, log, signal, durable = true, env = process.env }) {
  await mkdir(join(dataDir, 'logs'), { recursive: true });
  // PostgreSQL compares the folder's name with the one that it wrote down.
  const folder = await realpath(dataDir);
  const lock = await takeLock(join(folder, 'services.lock'));
  /** @type {import('./keeper-client.mjs').Keeper | undefined} */
  let opened;
  try {
    await settleLeftovers(folder, log);
    const keeper = await openKeeper(folder, join(folder, 'logs', 'keeper.log'));
    opened = keeper;
    /** @type {Record<string, number>} */
    const pids = { keeper: keeper.pid };
    const recorded = {
      ...keeper,
      /** @type {typeof keeper.start} */
      async start(spec) {
        const pid = await keeper.start(spec);
        pids[spec.name] = pid;
        return pid;
      },
    };
    const { mongodb, redis } = await openBoth(
      { dataDir: folder, durable, env, keeper: recorded, log },
      signal,
    );
    log(`MongoDB: ${mongodb.program}`);
    log(`Redis: ${redis.program}`);
    return {
      mongodb,
      redis,
      pids,
      keeper: recorded,
      async stop() {
        await keeper.close();
        await lock.release();
      },
    };
  } catch (error) {
    await opened?.close();
    await lock.release();
    throw error;
  }
}

/**
 * Prepares the two side by side; the failure of one ends the other.
 * @param {Omit<import('./start-server.mjs').ServiceContext, 'apt' | 'signal'>} given
 * @param {AbortSignal | undefined} signal
 */
async function openBoth(given, signal) {
  const failed = new AbortController();
  const guard = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  /** @type {Promise<import('./debian/apt.mjs').Apt> | undefined} */
  let apt;
  const context = {
    ...given,
    signal: guard,
    // The package lists are fetched once for both.
    apt: () => {
      apt ??= openApt({ log: given.log, signal: guard });
      return apt;
    },
  };
  const tasks = /** @type {const} */ ([openMongodb(context), openRedis(context)]);
  try {
    const [mongodb, redis] = await Promise.all(tasks);
    return { mongodb, redis };
  } finally {
    failed.abort();
    await Promise.allSettled(tasks);
    await apt?.then(
      (open) => open.close(),
      () => {},
    );
  }
}
