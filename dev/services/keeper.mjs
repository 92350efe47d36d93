// @ts-check
/**
 * The keeper: a process of its own that starts the servers and ends them in reverse order when it is told to, or when the process
 * that opened it dies in whatever way. Thus neither Ctrl-C (which the terminal sends to all its processes at once) nor kill -9
 * of the starter leaves a server behind. Run by keeper-client.mjs only; argv: the file that lists the running processes.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { endProcess, identify } from './process-identity.mjs';

/** @typedef {import('./keeper-client.mjs').ProgramSpec} ProgramSpec */
/** @typedef {import('./process-identity.mjs').ProcessIdentity} ProcessIdentity */

/** @param {string} recordFile */
async function createKeeper(recordFile) {
  /** @type {Map<string, ProcessIdentity & { signal: NodeJS.Signals, timeoutMs: number }>} in the order of their start */
  const running = new Map();
  const self = await identify(process.pid);

  const record = () => {
    const processes = [...running].map(([name, entry]) => ({ name, ...entry }));
    writeFileSync(`${recordFile}.new`, JSON.stringify({ keeper: self, processes }));
    renameSync(`${recordFile}.new`, recordFile);
  };
  record();

  return {
    /** @param {ProgramSpec} spec */
    async start({ name, command, args, env, cwd, uid, gid, logFile, stopSignal, stopTimeoutMs }) {
      const log = openSync(logFile, 'w');
      const child = spawn(command, args, {
        env: { ...process.env, ...env },
        cwd,
        ...(uid === undefined ? {} : { uid }),
        ...(gid === undefined ? {} : { gid }),
        stdio: ['ignore', log, log],
      });
      closeSync(log);
      child.once('exit', (code, signal) => {
        running.delete(name);
        record();
        send({ type: 'exit', name, code, signal });
      });
      /** @type {number} */
      const pid = await new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('spawn', () => resolve(Number(child.pid)));
      });
      if (child.exitCode === null && child.signalCode === null) {
        running.set(name, {
          ...(await identify(pid)),
          signal: stopSignal,
          timeoutMs: stopTimeoutMs,
        });
        record();
      }
      return pid;
    },
    /** @param {string} name */
    async stop(name) {
      const entry = running.get(name);
      if (entry) await endProcess(entry);
    },
    async stopAll() {
      for (const entry of [...running.values()].toReversed()) await endProcess(entry);
      rmSync(recordFile, { force: true });
    },
  };
}

/** @param {object} message */
function send(message) {
  if (process.connected) process.send?.(message, () => {});
}

async function main() {
  const keeper = await createKeeper(String(process.argv[2]));
  const leave = () => {
    keeper.stopAll().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  // The starter is gone, or the machine shuts down.
  process.once('disconnect', leave);
  process.on('SIGTERM', leave);
  process.on('SIGINT', leave);

  process.on('message', (/** @type {import('./keeper-client.mjs').Request} */ request) => {
    const { id, action } = request;
    const work =
      action === 'start'
        ? keeper.start(request.spec)
        : action === 'stop'
          ? keeper.stop(request.name)
          : keeper.stopAll();
    work.then(
      (pid) => send({ id, pid }),
      (error) => send({ id, error: error instanceof Error ? error.message : String(error) }),
    );
  });
  send({ type: 'ready' });
}

await main();
