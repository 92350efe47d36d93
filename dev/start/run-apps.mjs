// @ts-check
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lastLines } from '../services/start-server.mjs';
import { addressesOf, appEnvironment, startApps } from './apps.mjs';
import { ensureLinks } from './demo-links.mjs';
import { waitForFirstLoad } from './first-load.mjs';
import { exampleQueries, readyMessage } from './report.mjs';
import { readSecrets } from './secrets.mjs';
import { withDatabase } from './settings.mjs';

/**
 * Runs the apps until `signal` aborts or one of the programs ends by itself; always ends by throwing the reason. What was started
 * is left to the keeper of the services. `runFile` is written when everything is ready.
 * @param {object} options
 * @param {string} options.root
 * @param {string} options.dataDir
 * @param {string} options.runFile
 * @param {import('./settings.mjs').Ports} options.ports
 * @param {import('../services/ensure-services.mjs').Services} options.services
 * @param {(line: string) => void} options.log
 * @param {AbortSignal} options.signal
 * @returns {Promise<never>}
 */
export async function runApps({ root, dataDir, runFile, ports, services, log, signal }) {
  const { keeper, pids } = services;
  const secrets = await readSecrets(join(dataDir, 'secrets.json'));
  const addresses = addressesOf(ports);
  const { api, sandbox } = addresses;
  const mongodbUri = withDatabase(services.mongodb.uri, 'tributary');
  const redisUrl = services.redis.url;
  const env = appEnvironment({ ports, sandbox, mongodbUri, redisUrl, secrets, env: process.env });

  const logs = await startApps({ root, dataDir, keeper, addresses, env, log, signal });
  const watched = watchPrograms({ dataDir, keeper, signal });
  try {
    log(`Sandbox, worker and API are running; ${api} answers with what is loaded so far`);
    await ensureLinks({ api, sandbox, log, signal: watched });
    const { links, range } = await waitForFirstLoad({ api, sandbox, log, signal: watched });
    const queries = await exampleQueries({ api, links, range, signal: watched });
    const run = {
      ...addresses,
      mongodbUri,
      redisUrl,
      links: links.map(({ id, type }) => ({ id, type })),
      pids: { start: process.pid, ...pids },
    };
    // The address of a given MongoDB may hold a password.
    await writeFile(runFile, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600 });
    log(readyMessage({ addresses, queries, dataDir }));
    return await untilAborted(watched);
  } catch (error) {
    watched.throwIfAborted(); // the reason says more than what it interrupted
    throw error;
  } finally {
    await logs.close();
  }
}

/**
 * A signal that also aborts when one of the running programs ends by itself.
 * @param {{ dataDir: string, keeper: import('../services/keeper-client.mjs').Keeper, signal: AbortSignal }} options
 */
function watchPrograms({ dataDir, keeper, signal }) {
  const failed = new AbortController();
  keeper.events.on('exit', ({ name, code, signal: killedBy }) => {
    if (signal.aborted || failed.signal.aborted) return;
    const what = `${name} ended unexpectedly with ${killedBy ?? `code ${code}`}`;
    lastLines(join(dataDir, 'logs', `${name}.log`), 10).then(
      (lines) => failed.abort(new Error(`${what}: ${lines}`)),
      () => failed.abort(new Error(what)),
    );
  });
  return AbortSignal.any([signal, failed.signal]);
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
function untilAborted(signal) {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
