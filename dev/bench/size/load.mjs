// @ts-check
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  accountKey,
  createLink,
  ensureIndexes,
  findAccount,
  planAccountOf,
  readCoverage,
  saveCredentials,
  wantDiscovery,
} from '@tributary/database';
import { createCredentialBox } from '@tributary/runtime';
import { addDays, dayAt, plan } from '@tributary/shared';
import { startServer } from '../server-process.mjs';
import { accountId } from './connector.mjs';
import { watchMemory } from './memory.mjs';

/**
 * @typedef {import('@tributary/database').Database} Database
 * @typedef {object} Loading
 * @property {string} uri
 * @property {string} redisUrl
 * @property {string} keys what seals credentials
 * @property {import('./account.mjs').Size} size
 * @property {number} days
 * @property {number} accounts how many of them, each of a link of its own
 * @property {string} rows that all turns of the worker hold at once
 * @property {readonly string[]} nodeOptions of the worker
 * @property {AbortSignal} signal
 * @property {(line: string) => void} log
 */

const tenant = 'default';
const pollMs = 2_000;
const tellMs = 30_000;

/** @param {string} path relative to this file */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Loads new links of the generated account by a worker of its own, until nothing is left to collect or to seal.
 * @param {Database} db
 * @param {Loading} options
 * @returns {Promise<{ link: string, peakMib: number, seconds: number, cpuSeconds: number, rows: number }>} one of the links,
 *   and what all of them took
 */
export async function loadAccounts(
  db,
  {
    uri,
    redisUrl,
    keys,
    size,
    days,
    accounts: count,
    rows: rowsInMemory,
    nodeOptions,
    signal,
    log,
  },
) {
  await ensureIndexes(db);
  const link = await makeLink(db, keys, days);
  const links = [link];
  while (links.length < count) links.push(await makeLink(db, keys, days));
  const accounts = links.map((one) => accountKey(one, accountId));
  const platform = await startServer([here('platform.mjs'), JSON.stringify(size)], { env: {} });
  try {
    const env = {
      MONGODB_URI: uri,
      REDIS_URL: redisUrl,
      PREFIX: `size-${link}`,
      PLATFORM_URL: `http://127.0.0.1:${platform.port}`,
      KEYS: keys,
      ROWS_IN_MEMORY: rowsInMemory,
    };
    const worker = await startServer([...nodeOptions, here('worker.mjs')], { env });
    const memory = watchMemory(worker.pid);
    try {
      const startedAt = performance.now();
      const seconds = () => Math.round((performance.now() - startedAt) / 1000);
      let toldAt = startedAt;
      for (
        let left = await leftOfAll(db, accounts);
        left.work > 0;
        left = await leftOfAll(db, accounts)
      ) {
        if (!worker.isRunning()) throw new Error('The worker ended before everything was loaded');
        if (performance.now() - toldAt > tellMs) {
          toldAt = performance.now();
          log(
            `${seconds()} s: ${left.windows} windows and ${left.days} days to seal are left, ${memory.now()} MiB, peak ${memory.peak()} MiB`,
          );
        }
        await sleep(pollMs, undefined, { signal });
      }
      const { rows } = await leftOfAll(db, accounts);
      const cpuSeconds = (await worker.cpuMs()) / 1000;
      return { link, peakMib: memory.peak(), seconds: seconds(), cpuSeconds, rows };
    } finally {
      memory.stop();
      await worker.stop();
    }
  } finally {
    await platform.stop();
  }
}

/**
 * @param {Database} db
 * @param {string} keys
 * @param {number} days
 */
async function makeLink(db, keys, days) {
  const now = Date.now();
  const type = 'SEARCH_ENGINE_ADS';
  const settings = { historyDays: days };
  const link = await createLink(db, { tenant, type, title: 'size', tag: '', settings, now });
  const saved = await saveCredentials(db, createCredentialBox(keys), link, { token: 'none' }, now);
  if (!saved) throw new Error('The new link is gone');
  await wantDiscovery(db, saved, now);
  return link._id;
}

/**
 * @param {Database} db
 * @param {readonly string[]} ids
 */
async function leftOfAll(db, ids) {
  const all = { work: 0, windows: 0, days: 0, rows: 0 };
  for (const id of ids) {
    const one = await leftOf(db, id);
    all.work += one.work;
    all.windows += one.windows;
    all.days += one.days;
    all.rows += one.rows;
  }
  return all;
}

/**
 * What is not collected or not sealed yet, and the rows that are stored.
 * @param {Database} db
 * @param {string} id
 */
async function leftOf(db, id) {
  const account = await findAccount(db, id);
  if (account?.tree.fetchedAt === undefined) return { work: 1, windows: 0, days: 0, rows: 0 };
  const now = Date.now();
  const planned = { ...planAccountOf(account), until: {} };
  const tomorrow = addDays(dayAt(now, account.zone), 1);
  const { cells, sealed } = await readCoverage(db, id, planned.historyFrom, tomorrow);
  const left = plan({ now, account: planned, cells, sealed });
  const stored = [...cells.values()].flatMap((ofDay) => [...ofDay.values()]);
  const failing = stored.filter(({ state }) => state !== 'ok').length;
  if (failing > 0)
    throw new Error(
      `${failing} cells failed: ${JSON.stringify(stored.find(({ state }) => state !== 'ok'))}`,
    );
  const windows = left.fresh.length + left.bulk.length;
  const rows = stored.reduce((sum, { digest = '0-' }) => sum + Number(digest.split('-')[0]), 0);
  return { work: windows + left.seal.length, windows, days: left.seal.length, rows };
}
