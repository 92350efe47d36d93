// @ts-check
import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, identify, isRunning } from './process-identity.mjs';

/** @typedef {import('./process-identity.mjs').ProcessIdentity & { host: string }} Holder */

const heartbeatMs = 5_000;
// A holder on another machine or in another container can't be asked whether it lives: its silence has to do.
const silentMs = 60_000;

/** Somebody else holds the lock. */
export class LockedError extends Error {
  /**
   * @param {string} path
   * @param {Holder} holder
   */
  constructor(path, holder) {
    super(`${path} is held by process ${holder.pid} on ${holder.host}`);
    this.holder = holder;
  }
}

/**
 * Takes the lock file or throws LockedError. A lock whose holder was killed is taken over.
 * @param {string} path in an existing folder
 * @returns {Promise<{ release(): Promise<void> }>}
 */
export async function takeLock(path) {
  const own = JSON.stringify({ ...(await identify(process.pid)), host: hostname() });
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  // Linking a finished file is atomic: nobody ever reads a lock without its holder.
  await writeFile(draft, own);
  try {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      if (await tryLink(draft, path)) return holdLock(path, own);
      const holder = await readHolder(path);
      if (holder && !(await isStale(path, holder))) throw new LockedError(path, holder);
      // Moving the dead lock aside succeeds for one of several waiters only.
      if (holder) await rename(path, `${draft}.stale`).catch(ignoreMissing);
      await rm(`${draft}.stale`, { force: true });
    }
    throw new Error(`Could not take the lock ${path} in 10 attempts`);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Runs `work` while holding the lock; waits for another holder.
 * @template T
 * @param {string} path
 * @param {{ timeoutMs: number, onWait: (holder: Holder, seconds: number) => void, signal?: AbortSignal | undefined }} options
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, { timeoutMs, onWait, signal }, work) {
  const start = Date.now();
  for (;;) {
    try {
      const lock = await takeLock(path);
      try {
        return await work();
      } finally {
        await lock.release();
      }
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      if (Date.now() - start > timeoutMs) throw error;
      onWait(error.holder, Math.round((Date.now() - start) / 1000));
      await delay(500, undefined, { signal });
    }
  }
}

/**
 * @param {string} path
 * @param {string} own
 */
function holdLock(path, own) {
  const timer = setInterval(() => {
    const now = new Date();
    // A failed heartbeat only makes the lock look old; the work under it is finished by an atomic rename anyway.
    utimes(path, now, now).catch(() => {});
  }, heartbeatMs);
  timer.unref();
  return {
    async release() {
      clearInterval(timer);
      if ((await readFile(path, 'utf8').catch(ignoreMissing)) === own)
        await rm(path, { force: true });
    },
  };
}

/**
 * @param {string} draft
 * @param {string} path
 */
async function tryLink(draft, path) {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * @param {string} path
 * @returns {Promise<Holder | undefined>} undefined when nobody holds the lock
 */
async function readHolder(path) {
  const text = await readFile(path, 'utf8').catch(ignoreMissing);
  if (text === undefined) return undefined;
  try {
    const { pid, born, host } = JSON.parse(text);
    return { pid: Number(pid), born: String(born), host: String(host) };
  } catch {
    return { pid: 0, born: '', host: hostname() };
  }
}

/**
 * @param {string} path
 * @param {Holder} holder
 */
async function isStale(path, holder) {
  if (holder.host === hostname()) return !(await isRunning(holder));
  const info = await stat(path).catch(ignoreMissing);
  return info !== undefined && Date.now() - info.mtimeMs > silentMs;
}

/**
 * @param {unknown} error
 * @returns {undefined}
 */
function ignoreMissing(error) {
  if (errorCode(error) !== 'ENOENT') throw error;
  return undefined;
}
