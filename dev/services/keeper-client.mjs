// @ts-check
import { fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endProcess, isRunning, waitForEnd } from './process-identity.mjs';

/**
 * @typedef {object} ProgramSpec
 * @property {string} name unique among the running programs of one keeper
 * @property {string} command
 * @property {readonly string[]} args
 * @property {Record<string, string>} [env] added to our own environment
 * @property {string} cwd
 * @property {number} [uid]
 * @property {number} [gid]
 * @property {string} logFile emptied at the start; receives stdout and stderr
 * @property {NodeJS.Signals} stopSignal
 * @property {number} stopTimeoutMs after it comes SIGKILL
 */

/**
 * What keeper.mjs is asked.
 * @typedef {{ id: number } & ({ action: 'start', spec: ProgramSpec } | { action: 'stop', name: string } | { action: 'stopAll' })} Request
 */

/** @typedef {{ name: string, code: number | null, signal: string | null }} ProgramExit */

/**
 * @typedef {object} Keeper
 * @property {number} pid
 * @property {(spec: ProgramSpec) => Promise<number>} start resolves to the pid
 * @property {(name: string) => Promise<void>} stop resolves when the program has ended; nothing happens when it does not run
 * @property {() => Promise<void>} close ends everything in reverse order of the start, then the keeper
 * @property {EventEmitter<{ exit: [ProgramExit] }>} events
 */

const readyTimeoutMs = 15_000;
const leftoverTimeoutMs = 90_000;

/**
 * @param {string} dataDir
 * @returns {string} the file in which the keeper lists its processes
 */
const recordFileOf = (dataDir) => join(dataDir, 'processes.json');

/**
 * Starts a keeper for the servers of one data folder.
 * @param {string} dataDir
 * @param {string} logFile
 * @returns {Promise<Keeper>}
 */
export async function openKeeper(dataDir, logFile) {
  const log = openSync(logFile, 'w');
  const child = fork(
    fileURLToPath(new URL('keeper.mjs', import.meta.url)),
    [recordFileOf(dataDir)],
    {
      // A group of its own: signals of the terminal do not reach it.
      detached: true,
      execArgv: [],
      stdio: ['ignore', log, log, 'ipc'],
    },
  );
  closeSync(log);
  /** @type {EventEmitter<{ exit: [ProgramExit] }>} */
  const events = new EventEmitter();
  /** @type {Map<number, { resolve: (pid: number) => void, reject: (error: Error) => void }>} */
  const pending = new Map();
  let lastId = 0;

  child.on('message', (/** @type {any} a message of keeper.mjs */ message) => {
    if (message.type === 'exit') events.emit('exit', message);
    const waiter = pending.get(message.id);
    pending.delete(message.id);
    if (message.error) waiter?.reject(new Error(message.error));
    else waiter?.resolve(message.pid);
  });
  child.on('exit', (code, signal) => {
    events.emit('exit', { name: 'keeper', code, signal });
    for (const { reject } of pending.values())
      reject(new Error(`The keeper has ended, see ${logFile}`));
    pending.clear();
  });
  const ask = (/** @type {object} */ request) =>
    new Promise((/** @type {(pid: number) => void} */ resolve, reject) => {
      lastId += 1;
      const id = lastId;
      pending.set(id, { resolve, reject });
      child.send({ id, ...request }, (error) => {
        if (error) reject(error);
      });
    });

  await once(child, 'message', { signal: AbortSignal.timeout(readyTimeoutMs) });
  return {
    pid: Number(child.pid),
    events,
    start: (spec) => ask({ action: 'start', spec }),
    async stop(name) {
      await ask({ action: 'stop', name });
    },
    async close() {
      // Killed by somebody: what it had started is ended from here.
      if (!child.connected) return settleLeftovers(dataDir, () => {});
      await ask({ action: 'stopAll' });
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

/**
 * Deals with what a killed run has left in a data folder: waits for its keeper, which is ending the servers, or, where the keeper was
 * killed too, ends those servers that still run and are surely the ones it had started.
 * @param {string} dataDir
 * @param {(line: string) => void} log
 */
export async function settleLeftovers(dataDir, log) {
  const recordFile = recordFileOf(dataDir);
  const text = await readFile(recordFile, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const { keeper, processes } = JSON.parse(text);
  if (await isRunning(keeper)) {
    log('An earlier run was killed; waiting for its servers to end');
    if (!(await waitForEnd(keeper, leftoverTimeoutMs)))
      await endProcess({ ...keeper, signal: 'SIGKILL' });
  }
  for (const { name, ...entry } of processes.toReversed()) {
    if (!(await isRunning(entry))) continue;
    log(`Ending ${name} (process ${entry.pid}), left behind by a killed run`);
    await endProcess(entry);
  }
  await rm(recordFile, { force: true });
}
