// @ts-check
/**
 * `npm run fuzz`: attacks the built API with requests made from its own OpenAPI document. Ends with 1 when an answer, a database command or
 * a pause of the event loop is not what it has to be.
 *
 *   npm run fuzz -- [--requests 100000] [--seconds N] [--seed N] [--only K or K-L]
 *
 * `node dev/fuzz/main.mjs` attacks what is built as it is: the build before takes a `dist` that was changed by hand back.
 * Uses MONGODB_URI's server or finds one as `npm test` does; its own database is dropped at the end.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectDatabase } from '@tributary/database';
import { createLogger } from '@tributary/runtime';
import { interruption } from '../interruption.mjs';
import { ensureServices } from '../services/ensure-services.mjs';
import { removeData } from '../services/remove-data.mjs';
import { startApi } from './api-process.mjs';
import { readArguments } from './arguments.mjs';
import { createCampaign } from './campaign.mjs';
import { openConnection } from './connection.mjs';
import { readDocument } from './document.mjs';
import { findNextPages } from './next-pages.mjs';
import { createOracles } from './oracles.mjs';
import { createPlan } from './plan.mjs';
import { createPools } from './pools.mjs';
import { printReport } from './report.mjs';
import { seedTenants } from './seed.mjs';
import { createSender } from './sender.mjs';
import { keepState } from './stored-state.mjs';
import { createTally } from './tally.mjs';

/** @typedef {import('./arguments.mjs').Arguments} Arguments */

const log = console.log;

/** @param {number} port */
async function fetchDocument(port) {
  const connection = openConnection(port);
  const bytes = Buffer.from(`GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  const { body } = await connection.ask(bytes, false);
  connection.close();
  return readDocument(JSON.parse(body.toString()));
}

/**
 * @param {{ plan: import('./plan.mjs').Plan, api: import('./document.mjs').Api, port: number, keys: Record<import('./requests.mjs').Caller, string | undefined> }} given
 */
async function learnPages({ plan, api, port, keys }) {
  const connection = openConnection(port);
  const target = { port, keys };
  /** @param {'own' | 'foreign'} tenant */
  const pagesOf = (tenant) =>
    findNextPages({
      api,
      connection,
      target,
      draftOf: (operation, attempt) => plan.draftOf(operation, attempt, tenant),
    });
  plan.usePages({ own: await pagesOf('own'), foreign: await pagesOf('foreign') });
  connection.close();
}

/**
 * @param {string} uri
 * @param {Arguments} options
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} true when nothing was found
 */
async function fuzz(uri, options, signal) {
  const logger = createLogger({ name: 'fuzz', level: 'warn' });
  const database = await connectDatabase({ uri, appName: 'tributary-fuzz', logger });
  try {
    const seeded = await seedTenants(database, Date.now());
    const { own, foreign } = seeded;
    const secrets = [own.key, own.readKey, foreign.key, foreign.readKey];
    const api = await startApi(uri, (line) => secrets.some((secret) => line.includes(secret)));
    try {
      return await attackApi(api, { database, seeded, secrets, options, signal });
    } finally {
      const code = await api.stop();
      if (code !== 0) log(`The API ended with code ${code}`);
    }
  } finally {
    await database.db.dropDatabase();
    await database.close();
  }
}

/**
 * @param {import('./api-process.mjs').ApiProcess} api
 * @param {{ database: import('@tributary/database').Database, seeded: import('./seed.mjs').Seeded, secrets: string[], options: Arguments, signal: AbortSignal }} given
 * @returns {Promise<boolean>} true when nothing was found
 */
async function attackApi(api, { database, seeded, secrets, options, signal }) {
  const { port } = api;
  const { seed, only } = options;
  const { own, foreign } = seeded;
  const document = await fetchDocument(port);
  const host = `127.0.0.1:${port}`;
  const plan = createPlan({ api: document, pools: createPools(seeded), seed, key: own.key, host });
  const keys = { own: own.key, reader: own.readKey, foreign: foreign.key, nobody: undefined };
  await learnPages({ plan, api: document, port, keys });
  const uploads = document.operations.filter(({ isUpload }) => isUpload).map(({ path }) => path);
  const sender = createSender({ port, keys, uploads });
  const tally = createTally();
  const attacked = {
    api,
    plan,
    sender,
    tally,
    state: await keepState(database),
    judge: createOracles(document, secrets),
    onRound: reportProgress,
  };
  const campaign = createCampaign(attacked, endOfTime(options, signal));
  const [from, to] = only ?? [0, options.requests ?? Math.max(100_000, plan.corpusEnd)];
  const startedAt = performance.now();
  try {
    if (!only) await campaign.learn();
    await campaign.attack(from, to);
  } finally {
    sender.close();
  }
  signal.throwIfAborted();
  const took = (performance.now() - startedAt) / 1_000;
  const { outcome } = campaign;
  return printReport({ log, options, api: document, plan, tally, outcome, port, took });
}

/** @type {Parameters<typeof createCampaign>[0]['onRound']} */
function reportProgress(sent, { findings }) {
  if (sent % 10_000 === 0) log(`${sent} requests, ${findings.length} findings`);
}

/**
 * @param {Arguments} options
 * @param {AbortSignal} signal
 */
function endOfTime({ seconds }, signal) {
  if (seconds === undefined) return signal;
  // Not AbortSignal.timeout: Node 20 forgets one that only AbortSignal.any refers to.
  const end = new AbortController();
  setTimeout(() => end.abort(), seconds * 1_000).unref();
  return AbortSignal.any([signal, end.signal]);
}

async function main() {
  const options = readArguments(process.argv.slice(2));
  const signal = interruption();
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const dataDir = join(root, '.tributary', `fuzz-${process.pid}`);
  await mkdir(dataDir, { recursive: true });
  try {
    const services = await ensureServices({ dataDir, log, signal, durable: false });
    try {
      const uri = new URL(services.mongodb.uri);
      uri.pathname = `/fuzz_${process.pid}`;
      log(`Seed ${options.seed}`);
      if (!(await fuzz(uri.href, options, signal))) process.exitCode = 1;
    } finally {
      await services.stop();
    }
  } finally {
    await removeData(dataDir, { log });
  }
}

await main();
