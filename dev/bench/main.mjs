// @ts-check
/**
 * `npm run bench`: what the API costs beside a naive program and a floor, in processor time of the server. Arguments: the
 * number of rounds (3). Uses MONGODB_URI's server or finds one as `npm test` does; its own database is dropped at the end.
 */
import { mkdir } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { connectDatabase } from '@tributary/database';
import { createLogger } from '@tributary/runtime';
import { interruption } from '../interruption.mjs';
import { ensureServices } from '../services/ensure-services.mjs';
import { removeData } from '../services/remove-data.mjs';
import { rangePaths, runRound, warmCampaigns, withServer } from './comparison.mjs';
import { copyDays } from './copies.mjs';
import { askOnce } from './load.mjs';
import { longestPauses } from './pauses.mjs';
import { boundLine, comparisonLines } from './report.mjs';
import { seedCampaigns } from './seed.mjs';
import { startApi } from './servers.mjs';

const log = console.log;
/** More than our cache of plain days holds, so that asking for them in turn never finds one there. */
const manyCampaigns = 40;
const longestDays = 400;

/**
 * @param {string} uri
 * @param {import('./seed.mjs').Seeded} seeded
 */
async function compareSizes(uri, seeded) {
  await withServer(startApi(uri), async ({ port }) => {
    const [path = ''] = rangePaths(seeded).ours;
    const plain = await askOnce({ port, path });
    const packed = await askOnce({ port, path, headers: { 'Accept-Encoding': 'gzip' } });
    if (!gunzipSync(packed.body).equals(plain.body)) throw new Error('The two bodies differ');
    const whole = gzipSync(plain.body, { level: 6 }).length;
    const ratio = packed.bytes / whole;
    log(
      `Body of 90 days: plain ${plain.bytes} bytes, gzip ${packed.bytes}, whole-body gzip -6 ${whole}`,
    );
    const text = `${ratio.toFixed(2)} x whole-body gzip`;
    log(boundLine('Gzip body', ratio, { atMost: 1.4, text }));
  });
}

/**
 * @param {string} uri
 * @param {number} rounds
 * @param {AbortSignal} signal
 */
async function bench(uri, rounds, signal) {
  const logger = createLogger({ name: 'bench', level: 'warn' });
  const database = await connectDatabase({ uri, appName: 'tributary-bench', logger });
  try {
    const now = Date.now();
    log(`Writing ${manyCampaigns} campaigns of 90 days and one of ${longestDays} of size L`);
    const seeded = await seedCampaigns(database, { campaigns: manyCampaigns, days: 90, now });
    const long = await seedCampaigns(database, { campaigns: 1, days: longestDays, now, size: 'L' });
    await copyDays(database, seeded.link, seeded.campaigns.slice(0, warmCampaigns));
    /** @type {import('./comparison.mjs').Round[]} */
    const done = [];
    for (let round = 1; round <= rounds && !signal.aborted; round += 1) {
      log(`Round ${round} of ${rounds}`);
      done.push(await runRound(uri, seeded));
    }
    signal.throwIfAborted();
    log(`\nNode ${process.version}, ${cpus().length} x ${cpus()[0]?.model}`);
    log(comparisonLines(done).join('\n'));
    log('');
    await compareSizes(uri, seeded);
    for (const [form, { gapMs, workMs }] of Object.entries(await longestPauses(uri, long))) {
      const text = `${workMs.toFixed(1)} ms of own work (${gapMs.toFixed(1)} ms with waiting for a core)`;
      log(boundLine(`Longest pause, 400 days of size L ${form}`, workMs, { atMost: 10, text }));
    }
  } finally {
    await database.db.dropDatabase();
    await database.close();
  }
}

async function main() {
  const rounds = Number(process.argv[2] ?? 3);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 20) {
    throw new Error(`Number of rounds '${process.argv[2]}', expected 1 to 20`);
  }
  const signal = interruption();
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const dataDir = join(root, '.tributary', `bench-${process.pid}`);
  await mkdir(dataDir, { recursive: true });
  try {
    const services = await ensureServices({ dataDir, log, signal, durable: false });
    try {
      const uri = new URL(services.mongodb.uri);
      uri.pathname = `/bench_${process.pid}`;
      await bench(uri.href, rounds, signal);
    } finally {
      await services.stop();
    }
  } finally {
    await removeData(dataDir, { log });
  }
}

await main();
