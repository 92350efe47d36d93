// @ts-check
/**
 * `npm run bench:size`: loads one large account through the worker and reads it through the API, watching the worker's
 * memory and the API's event loop. Options: `--days` (31), `--scale` (1: 5,000 ad groups, 20,000 ads, 50,000 keywords),
 * `--accounts` (1; more are loaded at the same time), `--rows` (400,000: ROWS_IN_MEMORY of the worker), `--node=…` (an
 * option of node for the worker in place of what `npm start` gives it; can be repeated).
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connectDatabase } from '@tributary/database';
import { createLogger } from '@tributary/runtime';
import { dayAt } from '@tributary/shared';
import { interruption } from '../interruption.mjs';
import { ensureServices } from '../services/ensure-services.mjs';
import { removeData } from '../services/remove-data.mjs';
import { workerNodeOptions } from '../start/apps.mjs';
import { boundLine } from './report.mjs';
import { fullSize } from './size/account.mjs';
import { loadAccounts } from './size/load.mjs';
import { serveAccount } from './size/serve.mjs';

const log = console.log;
const workerMibMax = 512;
const pauseMsMax = 20;

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '31' },
    scale: { type: 'string', default: '1' },
    accounts: { type: 'string', default: '1' },
    rows: { type: 'string', default: '400000' },
    node: { type: 'string', multiple: true, default: workerNodeOptions },
  },
});

/**
 * @param {import('../services/ensure-services.mjs').Services} services
 * @param {AbortSignal} signal
 */
async function measure(services, signal) {
  const days = Number(values.days);
  const scale = Number(values.scale);
  const accounts = Number(values.accounts);
  const scaled = Object.entries(fullSize).map(([name, count]) => [
    name,
    Math.max(1, count * scale),
  ]);
  /** @type {import('./size/account.mjs').Size} */
  const size = Object.fromEntries(scaled);
  const uri = new URL(services.mongodb.uri);
  uri.pathname = `/size_${process.pid}`;
  const logger = createLogger({ name: 'size', level: 'warn' });
  const db = await connectDatabase({ uri: uri.href, appName: 'tributary-size', logger });
  try {
    log(`Accounts: ${accounts} of ${JSON.stringify(size)}, ${days} days`);
    const keys = `size:${randomBytes(32).toString('base64')}`;
    const options = {
      uri: uri.href,
      redisUrl: services.redis.url,
      keys,
      size,
      days,
      accounts,
      rows: values.rows,
    };
    const loaded = await loadAccounts(db, { ...options, nodeOptions: values.node, signal, log });
    const counts = await Promise.all(
      ['entities', 'observations', 'statDays', 'adMonths'].map(
        async (name) => `${name} ${await db.db.collection(name).countDocuments()}`,
      ),
    );
    log(`${loaded.rows} rows; documents: ${counts.join(', ')}`);
    log(`Sealed figures: ${await sealedHash(db, loaded.link)}`);
    log(`Loaded in ${loaded.seconds} s, ${loaded.cpuSeconds.toFixed(0)} s of processor time`);
    const text = `${loaded.peakMib} MiB`;
    log(boundLine('Memory of the worker', loaded.peakMib, { atMost: workerMibMax, text }));
    for await (const one of serveAccount(uri.href, { link: loaded.link, keys, size })) {
      const { level, encoding, bytes, requests, delayMs, workMs, peakMib } = one;
      const what = `${level} ${encoding}, ${requests} requests (last ${bytes} bytes), API ${peakMib} MiB, longest pause`;
      const text = `${workMs.toFixed(1)} ms of own work (${delayMs.toFixed(1)} ms with waiting for a core)`;
      log(boundLine(what, workMs, { atMost: pauseMsMax, text }));
    }
  } finally {
    await db.db.dropDatabase();
    await db.close();
  }
}

/**
 * One name for everything that is served of one link before today: the same for the same account, days and code of the
 * sealing. How much of today is read depends on the link's id.
 * @param {import('@tributary/database').Database} database
 * @param {string} link
 */
async function sealedHash({ db }, link) {
  const hash = createHash('sha256');
  const today = dayAt(Date.now(), 'Asia/Seoul');
  const sorted = { sort: /** @type {const} */ ({ _id: 1 }) };
  /** @type {Record<string, unknown>} */
  const ofLink = { _id: { $gte: `${link}.`, $lt: `${link}/` } };
  for await (const { _id, h } of db.collection('statDays').find(ofLink, sorted)) {
    const key = String(_id).slice(link.length);
    if (!key.endsWith(today)) hash.update(`${key} ${h} `);
  }
  for await (const { _id, d } of db.collection('adMonths').find(ofLink, sorted)) {
    const key = String(_id).slice(link.length);
    for (const [day, { t }] of Object.entries(d).sort(([a], [b]) => (a < b ? -1 : 1)))
      if (!today.endsWith(`${key.slice(-7)}-${day}`)) hash.update(`${key} ${day} ${t} `);
  }
  return hash.digest('hex').slice(0, 16);
}

async function main() {
  const signal = interruption();
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const dataDir = join(root, '.tributary', `size-${process.pid}`);
  await mkdir(dataDir, { recursive: true });
  try {
    const services = await ensureServices({ dataDir, log, signal, durable: false });
    try {
      await measure(services, signal);
    } finally {
      await services.stop();
    }
  } finally {
    await removeData(dataDir, { log });
  }
}

await main();
