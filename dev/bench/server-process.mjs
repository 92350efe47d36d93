// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const startWithinMs = 20_000;
const stopWithinMs = 10_000;
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
 * @property {() => Promise<() => Promise<Pauses>>} watch begins to watch the event loop; what it answers ends that
 * @property {() => Promise<void>} stop
 */

/**
 * Starts one server of the comparison and waits until it listens.
 * @param {readonly string[]} args of node
 * @param {{ env: Record<string, string>, readPort?: (line: string) => number | undefined }} options
 *   without `readPort` the program tells its port in a message
 * @returns {Promise<ServerProcess>}
 */
export async function startServer(args, { env, readPort }) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', readPort ? 'pipe' : 'ignore', 'inherit', 'ipc'],
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    if (!isRunning()) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
    await exited;
    clearTimeout(late);
  };
  try {
    const port = await portOf(child, readPort);
    return {
      port,
      pid: child.pid ?? 0,
      isRunning,
      stop,
      peakMib: async () => peakMib(await readFile(`/proc/${child.pid}/status`, 'utf8')),
      cpuMs: async () => cpuMs(child.pid),
      async watch() {
        await askMonitor(child, 'watch');
        return () => askMonitor(child, 'stop');
      },
    };
  } catch (error) {
    await stop();
    throw new Error(`${args.at(-1)} did not start`, { cause: error });
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {((line: string) => number | undefined) | undefined} readPort
 * @returns {Promise<number>}
 */
function portOf(child, readPort) {
  return new Promise((resolve, reject) => {
    const late = AbortSignal.timeout(startWithinMs);
    late.addEventListener('abort', () => reject(late.reason));
    child.once('exit', (code) => reject(new Error(`It ended with code ${code}`)));
    if (!readPort) {
      child.once('message', (message) => resolve(Object(message).port));
      return;
    }
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const port = readPort(line);
        if (port !== undefined) resolve(port);
      }
    });
  });
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {'watch' | 'stop'} message
 */
async function askMonitor(child, message) {
  const told = once(child, 'message', { signal: AbortSignal.timeout(5_000) });
  child.send(message);
  return (await told)[0].pauses;
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
