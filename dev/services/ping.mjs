// @ts-check
import { connect as connectTcp } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';

/**
 * Asks the server at a MongoDB URI for its version.
 * @param {string} uri
 * @param {number} [timeoutMs]
 * @returns {Promise<string>}
 */
export async function pingMongodb(uri, timeoutMs = 8_000) {
  // The driver comes with mongodb-memory-server-core. Only it understands every URI (TLS, SRV, authentication, replica sets).
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(uri, {
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    socketTimeoutMS: timeoutMs,
  });
  try {
    const { version } = await client.db('admin').command({ buildInfo: 1 });
    return String(version);
  } finally {
    await client.close();
  }
}

/**
 * Asks the server at a Redis URL for its version.
 * @param {string} url
 * @param {number} [timeoutMs]
 * @returns {Promise<string>}
 */
export function pingRedis(url, timeoutMs = 8_000) {
  return new Promise((resolve, reject) => {
    const { protocol, hostname, port, username, password } = new URL(url);
    if (protocol !== 'redis:' && protocol !== 'rediss:') {
      throw new Error(`Invalid protocol '${protocol}' in a Redis URL, expected redis: or rediss:`);
    }
    const host = hostname.replace(/^\[|\]$/g, '');
    const target = { host, port: Number(port || 6379) };
    const socket =
      protocol === 'rediss:' ? connectTls({ ...target, servername: host }) : connectTcp(target);
    const finish = (/** @type {Error | undefined} */ error, version = 'unknown') => {
      clearTimeout(timer);
      socket.destroy();
      if (error) reject(error);
      else resolve(version);
    };
    const timer = setTimeout(
      () => finish(new Error(`No answer in ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    let received = '';
    socket.setEncoding('utf8');
    socket.once('error', (error) => finish(error));
    socket.once('close', () => finish(new Error('The connection was closed')));
    socket.on('data', (chunk) => {
      received += chunk;
      const failure = /^-(.*)\r\n/m.exec(received);
      if (failure) finish(new Error(failure[1]));
      const version = /^(?:valkey|redis)_version:([^\r\n]+)\r\n/m.exec(received);
      if (version) finish(undefined, version[1]);
    });
    const login = [decodeURIComponent(username), decodeURIComponent(password)].filter(Boolean);
    if (login.length > 0) socket.write(encodeCommand(['AUTH', ...login]));
    socket.write(encodeCommand(['INFO', 'server']));
  });
}

/** @param {readonly string[]} words */
function encodeCommand(words) {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return `*${words.length}\r\n${parts.join('')}`;
}

/**
 * Repeats a ping until it succeeds; a server that has just been started needs a moment.
 * @param {() => Promise<string>} ping
 * @param {{ timeoutMs: number, signal?: AbortSignal | undefined }} options
 * @returns {Promise<string>}
 */
export async function pingUntilReady(ping, { timeoutMs, signal }) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await ping();
    } catch (error) {
      if (Date.now() > deadline) {
        throw new Error(`Not ready after ${timeoutMs / 1000} s: ${messageOf(error)}`, {
          cause: error,
        });
      }
      await delay(100, undefined, { signal });
    }
  }
}

/**
 * @param {unknown} error
 * @returns {string}
 */
export function messageOf(error) {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
