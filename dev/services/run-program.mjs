// @ts-check
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * @typedef {object} RunOptions
 * @property {Record<string, string | undefined>} [env] added to our own environment
 * @property {string} [cwd]
 * @property {number} [uid]
 * @property {number} [gid]
 * @property {number} timeoutMs
 * @property {number} [silenceMs] the longest time without a line of output
 * @property {AbortSignal | undefined} [signal]
 * @property {(line: string) => void} [onLine] every line of stdout, stderr and descriptor 3
 */

const tailLines = 12;

/**
 * Runs a program to its end and returns what it wrote to stdout.
 * Throws with the last lines of output when it can't be started, ends with another code than 0, or takes too long.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} options
 * @returns {Promise<string>}
 */
export function runProgram(command, args, options) {
  const { env, cwd, uid, gid, timeoutMs, silenceMs, signal, onLine } = options;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      cwd: cwd ?? '/',
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    /** @type {string[]} */
    const tail = [];
    let stdout = '';
    /** @type {Error | undefined} */
    let given;
    const stop = (/** @type {Error} */ reason) => {
      given ??= reason;
      child.kill('SIGKILL');
    };
    const name = command.split('/').at(-1);
    const timer = setTimeout(
      () => stop(new Error(`${name} took longer than ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    const silence =
      silenceMs === undefined
        ? undefined
        : setTimeout(
            () => stop(new Error(`${name} was silent for ${silenceMs / 1000} s`)),
            silenceMs,
          );
    const onAbort = () => stop(new Error(`${name} was interrupted`, { cause: signal?.reason }));
    signal?.addEventListener('abort', onAbort, { once: true });

    for (const stream of child.stdio.slice(1)) {
      if (!stream || !('readable' in stream)) continue;
      createInterface({ input: stream }).on('line', (line) => {
        silence?.refresh();
        if (stream === child.stdout) stdout += `${line}\n`;
        // Descriptor 3 carries apt's progress, which explains no failure.
        if (stream !== child.stdio[3] && line.trim() !== '') tail.push(line.trimEnd());
        if (tail.length > tailLines) tail.shift();
        onLine?.(line);
      });
    }
    const settle = () => {
      clearTimeout(timer);
      clearTimeout(silence);
      signal?.removeEventListener('abort', onAbort);
    };
    child.once('error', (error) => {
      settle();
      reject(given ?? error);
    });
    child.once('close', (code, killedBy) => {
      settle();
      if (given) reject(given);
      else if (code === 0) resolve(stdout);
      else
        reject(new Error(`${name} ended with ${killedBy ?? `code ${code}`}: ${tail.join(' | ')}`));
    });
  });
}

/**
 * Lines about a long step, at most one in `everyMs`: what, how far, and the seconds so far.
 * @param {(line: string) => void} log
 * @param {string} what
 * @param {number} [everyMs]
 */
export function createProgress(log, what, everyMs = 5_000) {
  const start = Date.now();
  let last = start;
  const seconds = () => Math.round((Date.now() - start) / 1000);
  return {
    /** @param {string} howFar */
    update(howFar) {
      if (Date.now() - last < everyMs) return;
      last = Date.now();
      log(`${what}: ${howFar}, ${seconds()} s`);
    },
    /** @param {string} result */
    done(result) {
      log(`${what}: ${result}, ${seconds()} s`);
    },
  };
}
