// @ts-check
/**
 * What an upload to `POST /link/import` costs the API in time and memory: `node dev/bench/import.mjs [megabytes] [csv|json]`
 * (100 csv), after a build. Rows of 90 days come in turn, the order that costs most. Uses MONGODB_URI's server or finds one as
 * `npm test` does; its own database is dropped at the end. Linux only: memory is read from `/proc`.
 */
import { mkdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  accountKey,
  connectDatabase,
  createLink,
  ensureIndexes,
  saveAccounts,
  saveTreeState,
  upsertEntities,
} from '@tributary/database';
import { createLogger } from '@tributary/runtime';
import { addDays, dayAt } from '@tributary/shared';
import { interruption } from '../interruption.mjs';
import { ensureServices } from '../services/ensure-services.mjs';
import { removeData } from '../services/remove-data.mjs';
import { startApi } from './servers.mjs';

const log = console.log;
const megabyte = 1024 * 1024;
const days = 90;
const campaigns = 200;
const parts = ['age', 'gender', 'devicePlatform', 'publisherGroup', 'placementGroup'];
const tenant = 'default'; // the only tenant while AUTH=off

/**
 * A link of one account whose campaigns are known.
 * @param {import('@tributary/database').Database} db
 * @param {number} now
 */
async function seedLink(db, now) {
  await ensureIndexes(db);
  const title = 'bench';
  const type = /** @type {const} */ ('PORTAL1_DA');
  const link = await createLink(db, { tenant, type, title, tag: '', settings: {}, now });
  const listed = { id: '1', title, zone: 'Asia/Seoul', currency: 'KRW', status: 'active' };
  await saveAccounts(
    db,
    link,
    [/** @type {import('@tributary/shared').ChannelAccount} */ (listed)],
    { now, historyDays: 400, withoutFeed: true },
  );
  const account = accountKey(link._id, '1');
  const entities = Array.from({ length: campaigns }, (_, index) => ({
    level: /** @type {const} */ ('c'),
    id: `c${index}`,
    parent: '1',
    title,
    status: /** @type {const} */ ('active'),
  }));
  await upsertEntities(db, { tenant, link: link._id, account, entities, now });
  await saveTreeState(db, account, { tree: { fetchedAt: now } });
  return link._id;
}

const fields = [
  'date',
  'level',
  'entityId',
  'dimension',
  'value',
  'impressions',
  'clicks',
  'spend',
  'conversions',
  'amount',
];

/** @param {number} number @param {string} today */
function rowOf(number, today) {
  const date = addDays(today, -1 - (number % days));
  const rest = Math.floor(number / days);
  const campaign = `c${rest % campaigns}`;
  const part = parts[Math.floor(rest / campaigns) % parts.length] ?? '';
  const round = Math.floor(rest / campaigns / parts.length);
  const values = {
    age: `${round % 900}-999`,
    gender: ['m', 'f', 'male', 'female', 'unknown'][round % 5],
  };
  const value = part === 'age' || part === 'gender' ? values[part] : `Group ${round}`;
  return [
    date,
    'campaign',
    campaign,
    part,
    value,
    number % 5000,
    number % 90,
    `${number % 700}.25`,
    1,
    9.5,
  ];
}

/**
 * @param {number} bytes
 * @param {'csv' | 'json'} form
 * @param {string} today
 */
function* textOf(bytes, form, today) {
  let sent = 0;
  let piece = form === 'csv' ? `${fields.join(',')}\r\n` : '[';
  for (let number = 0; sent + piece.length < bytes - 1_000; number += 1) {
    const row = rowOf(number, today);
    // Five words of a gender are soon used up: then the row would come twice.
    if (row[3] === 'gender' && number >= days * campaigns * parts.length * 5) continue;
    if (form === 'csv') piece += `${row.join(',')}\r\n`;
    else {
      const comma = number === 0 ? '' : ',';
      piece +=
        comma + JSON.stringify(Object.fromEntries(fields.map((name, at) => [name, row[at]])));
    }
    if (piece.length < 65_536) continue;
    yield piece;
    sent += piece.length;
    piece = '';
  }
  yield form === 'csv' ? piece : `${piece}]`;
}

/**
 * @param {number} port
 * @param {{ link: string, bytes: number, form: 'csv' | 'json', today: string }} upload
 * @returns {Promise<string>}
 */
function send(port, { link, bytes, form, today }) {
  const type = form === 'csv' ? 'text/csv' : 'application/json';
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': type };
    const path = `/link/import?id=${link}`;
    const req = request({ port, path, method: 'POST', headers }, (res) => {
      let text = `${res.statusCode} `;
      res.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      res.on('end', () => resolve(text));
    });
    req.on('error', reject);
    Readable.from(textOf(bytes, form, today)).pipe(req);
  });
}

/**
 * @param {string} uri
 * @param {number} bytes
 * @param {'csv' | 'json'} form
 */
async function bench(uri, bytes, form) {
  const logger = createLogger({ name: 'bench', level: 'warn' });
  const database = await connectDatabase({ uri, appName: 'tributary-bench', logger });
  try {
    const now = Date.now();
    const link = await seedLink(database, now);
    const api = await startApi(uri);
    try {
      const before = await api.peakMib();
      for (const round of ['first', 'again']) {
        const endWatch = await api.watch();
        const [startedAt, cpu] = [performance.now(), await api.cpuMs()];
        const upload = { link, bytes, form, today: dayAt(now, 'Asia/Seoul') };
        const answer = await send(api.port, upload);
        const seconds = (performance.now() - startedAt) / 1000;
        const { workMs } = await endWatch();
        const [peak, cpuSeconds] = [await api.peakMib(), ((await api.cpuMs()) - cpu) / 1000];
        log(`${form} ${round}: ${answer.slice(0, 200)}`);
        log(
          `  ${(bytes / megabyte).toFixed(0)} MB in ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of processor time; ` +
            `memory ${before} MiB at rest, ${peak} MiB at most; ` +
            `longest pause ${workMs.toFixed(0)} ms`,
        );
      }
    } finally {
      await api.stop();
    }
  } finally {
    await database.db.dropDatabase();
    await database.close();
  }
}

async function main() {
  const [size = '100', form = 'csv'] = process.argv.slice(2);
  const bytes = Number(size) * megabyte;
  if (!(bytes > 0 && bytes <= 100 * megabyte)) throw new Error(`'${size}' MB, expected 1 to 100`);
  if (form !== 'csv' && form !== 'json') throw new Error(`'${form}', expected csv or json`);
  const signal = interruption();
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const dataDir = join(root, '.tributary', `bench-import-${process.pid}`);
  await mkdir(dataDir, { recursive: true });
  try {
    const services = await ensureServices({ dataDir, log, signal, durable: false });
    try {
      const uri = new URL(services.mongodb.uri);
      uri.pathname = `/bench_import_${process.pid}`;
      await bench(uri.href, bytes, form);
    } finally {
      await services.stop();
    }
  } finally {
    await removeData(dataDir, { log });
  }
}

await main();
