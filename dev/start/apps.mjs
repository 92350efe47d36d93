// @ts-check
import { join } from 'node:path';
import { startServer } from '../services/start-server.mjs';
import { followLog } from './follow-log.mjs';
import { waitForAnswer } from './request-json.mjs';

/** @typedef {{ api: string, adminApi: string, adminWorker: string, sandbox: string }} Addresses */

/** Keeps the worker within 512 MB; docs/configuration.md says when it has to grow. */
export const workerNodeOptions = ['--max-old-space-size=256'];

const liveTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;

/**
 * @param {import('./settings.mjs').Ports} ports
 * @returns {Addresses}
 */
export function addressesOf(ports) {
  return {
    api: loopback(ports.API_PORT),
    adminApi: loopback(ports.API_ADMIN_PORT),
    adminWorker: loopback(ports.WORKER_ADMIN_PORT),
    sandbox: loopback(ports.SANDBOX_PORT),
  };
}

/** @param {number} port */
function loopback(port) {
  return `http://127.0.0.1:${port}`;
}

/**
 * What the apps are told; everything else keeps its default.
 * @param {object} options
 * @param {import('./settings.mjs').Ports} options.ports
 * @param {string} options.sandbox its address
 * @param {string} options.mongodbUri
 * @param {string} options.redisUrl
 * @param {import('./secrets.mjs').Secrets} options.secrets
 * @param {NodeJS.ProcessEnv} options.env
 * @returns {Record<string, string>}
 */
export function appEnvironment({ ports, sandbox, mongodbUri, redisUrl, secrets, env }) {
  const numbers = Object.entries(ports).map(([name, port]) => [name, String(port)]);
  return {
    ...Object.fromEntries(numbers),
    // Some shells export a HOST of their own; without keys nothing may listen beyond loopback.
    HOST: '127.0.0.1',
    SANDBOX_HOST: '127.0.0.1',
    MONGODB_URI: mongodbUri,
    REDIS_URL: redisUrl,
    ...secrets,
    AUTH: 'off',
    CLOCK_URL: `${sandbox}/__sandbox/clock`,
    ...platformUrls(sandbox),
    ALLOW_PRIVATE_ADDRESSES: 'true',
    NODE_ENV: 'development',
    LOG_LEVEL: env.LOG_LEVEL || 'info',
  };
}

/**
 * Where the sandbox answers for each platform.
 * @param {string} sandbox its address
 */
function platformUrls(sandbox) {
  return {
    SOCIAL_ADS_BASE_URL: `${sandbox}/social-ads`,
    SEARCH_ENGINE_ADS_BASE_URL: `${sandbox}/search-engine-ads`,
    SEARCH_ENGINE_ADS_TOKEN_URL: `${sandbox}/search-engine-ads/token`,
    PORTAL1_SEARCH_AD_BASE_URL: `${sandbox}/portal1-search-ad`,
    PORTAL2_KEYWORD_BASE_URL: `${sandbox}/portal2-keyword`,
    PORTAL2_DISPLAY_BASE_URL: `${sandbox}/portal2-display`,
    PORTAL1_DA_BASE_URL: `${sandbox}/portal1-da`,
    PORTAL1_DA_TOKEN_URL: `${sandbox}/portal1-da/oauth2.0/token`,
  };
}

/**
 * Starts sandbox, worker and api, one after the other, and waits until each is live.
 * @param {object} options
 * @param {string} options.root
 * @param {string} options.dataDir
 * @param {import('../services/keeper-client.mjs').Keeper} options.keeper
 * @param {Addresses} options.addresses
 * @param {Record<string, string>} options.env
 * @param {(line: string) => void} options.log
 * @param {AbortSignal} options.signal
 * @returns {Promise<{ close(): Promise<void> }>} follows the logs until it is closed
 */
export async function startApps({ root, dataDir, keeper, addresses, env, log, signal }) {
  const apps = [
    { name: 'sandbox', live: `${addresses.sandbox}/__sandbox/health`, nodeOptions: [] },
    { name: 'worker', live: `${addresses.adminWorker}/livez`, nodeOptions: workerNodeOptions },
    { name: 'api', live: `${addresses.adminApi}/livez`, nodeOptions: [] },
  ];
  /** @type {{ close(): Promise<void> }[]} */
  const followers = [];
  const close = async () => {
    for (const follower of followers) await follower.close();
  };
  try {
    for (const { name, live, nodeOptions } of apps) {
      const logFile = join(dataDir, 'logs', `${name}.log`);
      const spec = {
        name,
        command: process.execPath,
        args: ['--enable-source-maps', ...nodeOptions, join(root, 'apps', name, 'dist', 'main.js')],
        env,
        cwd: root,
        logFile,
        stopSignal: /** @type {const} */ ('SIGTERM'),
        stopTimeoutMs,
      };
      const ready = (/** @type {AbortSignal} */ either) =>
        waitForAnswer(live, { timeoutMs: liveTimeoutMs, signal: either });
      await startServer({ keeper, spec, ready, signal });
      followers.push(followLog(logFile, (line) => log(`[${name}] ${line}`)));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}
