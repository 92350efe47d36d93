// @ts-check
import { accessSync, constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { messageOf } from './ping.mjs';

/**
 * What the ways to a server have in common.
 * @typedef {object} ServiceContext
 * @property {string} dataDir
 * @property {boolean} durable false: the data is thrown away, so nothing waits for the disk
 * @property {NodeJS.ProcessEnv} env
 * @property {import('./keeper-client.mjs').Keeper} keeper
 * @property {() => Promise<import('./debian/apt.mjs').Apt>} apt
 * @property {(line: string) => void} log
 * @property {AbortSignal} signal
 */

/**
 * Starts a program and waits until it is ready. Throws with the end of its log when it ends before.
 * @template T
 * @param {object} options
 * @param {import('./keeper-client.mjs').Keeper} options.keeper
 * @param {import('./keeper-client.mjs').ProgramSpec} options.spec
 * @param {(signal: AbortSignal) => Promise<T>} options.ready
 * @param {AbortSignal} options.signal
 * @returns {Promise<T>} what `ready` says
 */
export async function startServer({ keeper, spec, ready, signal }) {
  const ended = new AbortController();
  const onExit = (
    /** @type {import('./keeper-client.mjs').ProgramExit} */ { name, code, signal: killedBy },
  ) => {
    if (name === spec.name)
      ended.abort(new Error(`${name} ended with ${killedBy ?? `code ${code}`}`));
  };
  keeper.events.on('exit', onExit);
  try {
    await keeper.start(spec);
    return await ready(AbortSignal.any([signal, ended.signal]));
  } catch (error) {
    await keeper.stop(spec.name);
    signal.throwIfAborted();
    const reason = messageOf(ended.signal.aborted ? ended.signal.reason : error);
    throw new Error(`${reason}: ${await lastLines(spec.logFile)}`, { cause: error });
  } finally {
    keeper.events.off('exit', onExit);
  }
}

/**
 * The end of a log, on one line.
 * @param {string} file
 * @param {number} [count]
 */
export async function lastLines(file, count = 6) {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim().split('\n').slice(-count).join(' | ') || '(nothing logged)';
}

class NotOnPathError extends Error {}

/**
 * @param {readonly string[]} names
 * @param {NodeJS.ProcessEnv} env
 * @returns {string} the path of the first of the programs that is on PATH
 */
export function findOnPath(names, env) {
  for (const name of names) {
    for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not in this folder.
      }
    }
  }
  throw new NotOnPathError(`no ${names.join(' or ')} on PATH`);
}

/**
 * Goes through the ways to a server until one works. Throws with the reasons of all when none does.
 * @template T
 * @param {string} what
 * @param {readonly { name: string, open: () => Promise<T> }[]} ways
 * @param {{ log: (line: string) => void, signal: AbortSignal }} context
 * @returns {Promise<T>}
 */
export async function firstThatWorks(what, ways, { log, signal }) {
  const failures = [];
  for (const { name, open } of ways) {
    try {
      return await open();
    } catch (error) {
      signal.throwIfAborted();
      failures.push(`${name}: ${messageOf(error)}`);
      // That a program is not installed is no news; that an installed one failed is.
      if (!(error instanceof NotOnPathError)) log(`${what}: not by ${name} (${messageOf(error)})`);
    }
  }
  throw new Error(
    [
      `${what} was neither found nor could it be started. Tried:`,
      ...failures.map((failure) => `  - ${failure}`),
      'With Docker, `docker compose up -d mongo redis` starts both; then set MONGODB_URI and REDIS_URL.',
    ].join('\n'),
  );
}
