// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const startWithinMs = 30_000;
const stopWithinMs = 15_000;
const answerWithinMs = 30_000;
/** Linux counts processor time in hundredths of a second for every program. */
const tickMs = 10;

/**
 * @typedef {object} Pauses
 * @property {number} gapMs the longest time for which the event loop did not come round
 * @property {number} workMs the most work of the thread between two rounds
 * @property {number} delayMs the longest delay of a timer, as perf_hooks measures it
 *
 * @typedef {object} ServerProcess
 * @property {number} port
 * @property {number} pid
 * @property {() => boolean} isRunning
 * @property {() => Promise<number>} peakMib most resident memory so far
 * @property {() => Promise<number>} cpuMs processor time of all threads so far, user and system
 * @property {(message: string) => Promise<any>} ask what the program answers to a message
 * @property {() => Promise<() => Promise<Pauses>>} watch begins to watch the event loop; what it answers ends that
 * @property {() => Promise<number | null>} stop answers the exit code; null when a signal ended it
 */

/**
 * Starts a server in a process of its own and waits until it listens.
 * @param {readonly string[]} args of node
 * @param {object} options
 * @param {Record<string, string>} options.env
 * @param {(line: string) => number | undefined} [options.readPort] without it the program tells its port in a message
 * @param {(line: string) => void} [options.onLine] gets every line of the output that `readPort` reads
 * @returns {Promise<ServerProcess>}
 */
export async function startServer(args, options) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...options.env },
    stdio: ['ignore', options.readPort ? 'pipe' : 'ignore', 'inherit', 'ipc'],
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    if (isRunning()) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await exited;
      clearTimeout(late);
    }
    return child.exitCode;
  };
  /** @param {string} message */
  const ask = async (message) => {
    const told = once(child, 'message', { signal: AbortSignal.timeout(answerWithinMs) });
    child.send(message);
    return (await told)[0];
  };
  try {
    const port = await portOf(child, options);
    return {
      port,
      pid: child.pid ?? 0,
      isRunning,
      stop,
      ask,
      peakMib: async () => peakMib(await readFile(`/proc/${child.pid}/status`, 'utf8')),
      cpuMs: async () => cpuMs(child.pid),
      async watch() {
        await ask('watch');
        return async () => (await ask('stop')).pauses;
      },
    };
  } catch (error) {
    await stop();
    throw new Error(`${args.at(-1)} did not start`, { cause: error });
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {Parameters<typeof startServer>[1]} options
 * @returns {Promise<number>}
 */
function portOf(child, { readPort, onLine }) {
  return new Promise((resolve, reject) => {
    const late = AbortSignal.timeout(startWithinMs);
    late.addEventListener('abort', () => reject(late.reason));
    child.once('exit', (code) => reject(new Error(`It ended with code ${code}`)));
    if (!readPort || !child.stdout) {
      child.once('message', (message) => resolve(Object(message).port));
      return;
    }
    createInterface({ input: child.stdout }).on('line', (line) => {
      const port = readPort(line);
      if (port !== undefined) resolve(port);
      onLine?.(line);
    });
  });
}

/**
 * The kernel's highest mark of a process' resident memory.
 * @param {string} status of /proc
 */
export function peakMib(status) {
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
}

/** @param {number | undefined} pid */
async function cpuMs(pid) {
  await sleep(20); // what was just answered is also cleaned up after
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may hold anything; utime and stime are the 12th and 13th fields after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
