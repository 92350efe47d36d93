// @ts-check
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startServer } from './server-process.mjs';

/** @param {string} path relative to this file */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * The port in the API's line of log that it listens; the admin server has a line of its own.
 * @param {string} line
 * @returns {number | undefined}
 */
export function readApiPort(line) {
  return (
    Number(/"address":"http:[^"]*:(\d+)","msg":"The API listens"/.exec(line)?.[1]) || undefined
  );
}

/**
 * Our API as it is run in production but for the keys, with the monitor of the event loop beside it.
 * @param {string} uri
 * @param {Record<string, string>} [env]
 */
export async function startApi(uri, env = {}) {
  const adminPort = await freePort();
  const server = await startServer(
    ['--import', here('monitor.mjs'), here('../../apps/api/dist/main.js')],
    {
      env: {
        MONGODB_URI: uri,
        CREDENTIALS_KEYS: `bench:${randomBytes(32).toString('base64')}`,
        AUTH: 'off',
        API_PORT: '0',
        API_ADMIN_PORT: String(adminPort),
        NODE_ENV: 'production',
        ...env,
      },
      readPort: readApiPort,
    },
  );
  return { ...server, adminPort };
}

/**
 * @param {string} uri
 * @param {{ packed: boolean }} options whether it compresses its answers
 */
export function startNaive(uri, { packed }) {
  const env = { MONGODB_URI: uri, PACKED: packed ? 'on' : 'off', NODE_ENV: 'production' };
  return startServer([here('servers/naive.mjs')], { env });
}

/** @param {string} uri */
export function startFloor(uri) {
  const env = { MONGODB_URI: uri, NODE_ENV: 'production' };
  return startServer([here('servers/floor.mjs')], { env });
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
