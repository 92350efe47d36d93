// @ts-check
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readApiPort } from '../bench/servers.mjs';
import { ORIGIN } from './canaries.mjs';

const START_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 15_000;
const TELL_WITHIN_MS = 30_000;
const ERROR_LINE = /^\{"level":"(?:error|fatal)"/;
const ERRORS_MAX = 50;

/** @param {string} path relative to this file */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * @typedef {object} ApiProcess
 * @property {number} port
 * @property {() => boolean} isRunning
 * @property {() => Promise<import('./inside.mjs').Inside>} look
 * @property {() => string[]} takeErrors lines of its log since asked last: errors, and those that hold a secret
 * @property {() => Promise<number | null>} stop answers its exit code
 */

/**
 * The built API as a process of its own, watched from inside.
 * @param {string} uri
 * @param {(line: string) => boolean} isSecret
 * @returns {Promise<ApiProcess>}
 */
export async function startApi(uri, isSecret) {
  const child = spawn(
    process.execPath,
    ['--import', here('inside.mjs'), here('../../apps/api/dist/main.js')],
    {
      env: {
        PATH: process.env.PATH,
        MONGODB_URI: uri,
        CREDENTIALS_KEYS: `fuzz:${randomBytes(32).toString('base64')}`,
        AUTH: 'on',
        API_PORT: '0',
        API_ADMIN_PORT: '0',
        RATE_LIMIT_PER_MINUTE: '1000000',
        AUTH_FAILURES_PER_MINUTE: '1000000',
        CORS_ORIGINS: ORIGIN,
        NODE_ENV: 'production',
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  );
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  /** @type {string[]} */
  let errors = [];
  const stop = async () => {
    if (isRunning()) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await exited;
      clearTimeout(late);
    }
    return child.exitCode;
  };
  const listening = new Promise((/** @type {(port: number) => void} */ resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The API ended with code ${code}`)));
    const { stdout } = child;
    if (!stdout) throw new Error('The API has no output');
    createInterface({ input: stdout }).on('line', (line) => {
      const port = readApiPort(line);
      if (port) resolve(port);
      if ((ERROR_LINE.test(line) || isSecret(line)) && errors.length < ERRORS_MAX)
        errors.push(line);
    });
    AbortSignal.timeout(START_WITHIN_MS).addEventListener('abort', () =>
      reject(new Error('The API did not start')),
    );
  });
  try {
    return {
      port: await listening,
      isRunning,
      stop,
      takeErrors() {
        const taken = errors;
        errors = [];
        return taken;
      },
      async look() {
        const told = once(child, 'message', { signal: AbortSignal.timeout(TELL_WITHIN_MS) });
        child.send('look');
        return (await told)[0];
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
