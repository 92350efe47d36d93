// @ts-check
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { startServer } from '../bench/server-process.mjs';
import { readApiPort } from '../bench/servers.mjs';
import { ORIGIN } from './canaries.mjs';

const ERROR_LINE = /^\{"level":"(?:error|fatal)"/;
const ERRORS_MAX = 50;

/** @param {string} path relative to this file */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * @typedef {Awaited<ReturnType<typeof startApi>>} ApiProcess
 */

/**
 * The built API as a process of its own, watched from inside.
 * @param {string} uri
 * @param {(line: string) => boolean} isSecret
 */
export async function startApi(uri, isSecret) {
  /** @type {string[]} */
  let errors = [];
  const args = ['--import', here('inside.mjs'), here('../../apps/api/dist/main.js')];
  const server = await startServer(args, {
    env: {
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
    readPort: readApiPort,
    onLine(line) {
      const isTold = ERROR_LINE.test(line) || isSecret(line);
      if (isTold && errors.length < ERRORS_MAX) errors.push(line);
    },
  });
  return {
    ...server,
    /** @returns {string[]} lines of its log since asked last: errors, and those that hold a secret */
    takeErrors() {
      const taken = errors;
      errors = [];
      return taken;
    },
    /** @returns {Promise<import('./inside.mjs').Inside>} */
    look: () => server.ask('look'),
  };
}
