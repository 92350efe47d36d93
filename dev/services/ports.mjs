// @ts-check
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from './process-identity.mjs';

const loopback = '127.0.0.1';

/**
 * A port of the loopback interface that nobody listens on at this moment.
 * @returns {Promise<number>}
 */
export async function freePort() {
  const server = await listen(0);
  const address = server.address();
  await close(server);
  if (address === null || typeof address === 'string') throw new Error('No port was given');
  return address.port;
}

/**
 * @param {number} port
 * @returns {Promise<boolean>} true when a server can be opened on the loopback interface's port
 */
export async function isPortFree(port) {
  try {
    await close(await listen(port));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE') return false;
    throw error;
  }
}

/**
 * Waits until something accepts connections on the loopback interface's port.
 * @param {number} port
 * @param {{ timeoutMs: number, signal?: AbortSignal | undefined }} options
 */
export async function waitForPort(port, { timeoutMs, signal }) {
  const deadline = Date.now() + timeoutMs;
  while (!(await accepts(port))) {
    if (Date.now() > deadline)
      throw new Error(`Nothing listens on port ${port} after ${timeoutMs / 1000} s`);
    await delay(50, undefined, { signal });
  }
}

/** @param {number} port */
function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: loopback, timeout: 1_000 });
    const answer = (/** @type {boolean} */ yes) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(false));
    socket.once('error', () => answer(false));
  });
}

/**
 * @param {number} port
 * @returns {Promise<import('node:net').Server>}
 */
function listen(port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: loopback, exclusive: true }, () => resolve(server));
  });
}

/**
 * @param {import('node:net').Server} server
 * @returns {Promise<void>}
 */
function close(server) {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
