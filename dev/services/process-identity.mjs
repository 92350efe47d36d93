// @ts-check
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * A process as we may find it again later. The pid alone is not enough: the system gives it to somebody else after the end.
 * @typedef {{ pid: number, born: string }} ProcessIdentity
 */

const psTimeoutMs = 5_000;

/**
 * When the process was started, in whatever form the system tells it; undefined when it does not run (a zombie does not).
 * @param {number} pid
 * @returns {Promise<string | undefined>}
 */
export async function bornAt(pid) {
  if (process.platform === 'linux') {
    try {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      // The second field, the program's name, may hold blanks and parentheses: count from its end.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], {
      timeout: psTimeoutMs,
    });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {number} pid
 * @returns {Promise<ProcessIdentity>}
 */
export async function identify(pid) {
  return { pid, born: (await bornAt(pid)) ?? '' };
}

/**
 * @param {ProcessIdentity} identity
 * @returns {Promise<boolean>}
 */
export async function isRunning({ pid, born }) {
  return born !== '' && (await bornAt(pid)) === born;
}

/**
 * Waits until the process is gone.
 * @param {ProcessIdentity} identity
 * @param {number} timeoutMs
 * @returns {Promise<boolean>} false when it still runs after the time
 */
export async function waitForEnd(identity, timeoutMs) {
  const deadline = Date.now() + timeoutMs;
  while (await isRunning(identity)) {
    if (Date.now() > deadline) return false;
    await delay(100);
  }
  return true;
}

/**
 * Ends a process that is known to be ours: a polite signal, a wait, then SIGKILL.
 * @param {ProcessIdentity & { signal?: NodeJS.Signals, timeoutMs?: number }} target
 * @returns {Promise<void>}
 */
export async function endProcess({ pid, born, signal = 'SIGINT', timeoutMs = 15_000 }) {
  if (!(await isRunning({ pid, born }))) return;
  sendSignal(pid, signal);
  if (await waitForEnd({ pid, born }, timeoutMs)) return;
  sendSignal(pid, 'SIGKILL');
  await waitForEnd({ pid, born }, 5_000);
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function sendSignal(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

/**
 * The code of a system error ('ENOENT'), undefined for any other value.
 * @param {unknown} error
 * @returns {string | undefined}
 */
export function errorCode(error) {
  return typeof error === 'object' && error !== null && 'code' in error
    ? String(error.code)
    : undefined;
}
