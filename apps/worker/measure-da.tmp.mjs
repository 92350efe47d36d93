import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { connectDatabase, createLink, ensureIndexes, listAccounts, saveCredentials, wantDiscovery, readCoverage, randomId } from '@tributary/database';
import { createCredentialBox, createLogger } from '@tributary/runtime';
import { CHANNELS, addDays } from '@tributary/shared';

const historyDays = Number(process.argv[2] ?? 90);
const withFeed = process.argv[3] !== 'nofeed';
const logger = createLogger({ name: 'm', level: 'silent' });
const name = `measure_${randomId()}`;
const uri = `mongodb://127.0.0.1:27117/${name}`;
const kids = [];
function start(app, env) {
  const child = spawn(process.execPath, [`../${app}/dist/main.js`], { cwd: import.meta.dirname, env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  kids.push(child);
  const lines = [];
  for (const s of [child.stdout, child.stderr]) createInterface({ input: s }).on('line', (l) => lines.push(l));
  return { child, lines, line: async (re) => { for (let i = 0; i < 600; i++) { const f = lines.map((l) => re.exec(l)).find(Boolean); if (f) return f; await wait(50); } throw new Error(lines.join('\n')); } };
}
const sandbox = start('sandbox', { SANDBOX_PORT: '0' });
const [, url] = await sandbox.line(/listening on (http:\S+)/);
const keys = `t:${randomBytes(32).toString('base64')}`;
const db = await connectDatabase({ uri, appName: 'measure', logger });
await ensureIndexes(db);
const box = createCredentialBox(keys);
const now = Date.now();
const link = await createLink(db, { tenant: 't1', type: 'PORTAL1_DA', title: 'x', tag: '', now, settings: { historyDays, ...(withFeed && { feedUrl: `${url}/feed` }) } });
const saved = await saveCredentials(db, box, link, { clientId: 'sandbox-da-client', clientSecret: 'sandbox-da-secret', refreshToken: 'sandbox-da-refresh', feedToken: 'sandbox-feed-token' }, now);
await wantDiscovery(db, saved, now);
const began = performance.now();
const worker = start('worker', { NODE_ENV: 'test', WORKER_ADMIN_PORT: '0', MONGODB_URI: uri, REDIS_URL: 'redis://127.0.0.1:6390', QUEUE_PREFIX: name.replaceAll('_', '-'), CREDENTIALS_KEYS: keys, PORTAL1_DA_BASE_URL: `${url}/portal1-da`, PORTAL1_DA_TOKEN_URL: `${url}/portal1-da/oauth2.0/token`, ALLOW_PRIVATE_ADDRESSES: 'true' });
const yesterday = addDays(new Date(now + 9 * 3600e3).toISOString().slice(0, 10), -1);
const sources = CHANNELS.PORTAL1_DA.sources.filter((s) => withFeed || !s.feed).length;
for (let i = 0; i < 550; i++) {
  await wait(1000);
  const accounts = (await listAccounts(db, link._id)).filter((a) => a.status !== 'closed');
  let ok = 0;
  for (const a of accounts) { const { cells } = await readCoverage(db, a._id, a.historyFrom, yesterday); for (const d of cells.values()) ok += [...d.values()].filter((c) => c.state === 'ok').length; }
  const all = accounts.length * sources * historyDays;
  if (i % 10 === 0) console.log(((performance.now() - began) / 1000).toFixed(0), 's', ok, '/', all);
  if (accounts.length > 0 && ok >= all) break;
}
console.log('loaded in', ((performance.now() - began) / 1000).toFixed(1), 's');
const { calls } = await (await fetch(`${url}/__sandbox/ledger?channel=PORTAL1_DA`)).json();
const by = {};
for (const c of calls) { const k = `${c.kind} ${c.level ?? ''} ${c.breakdowns.join()} ${c.status}`; by[k] = (by[k] ?? 0) + 1; }
console.log(calls.length, 'calls', by);
console.log('not 200:', calls.filter((c) => c.status !== 200).length);
for (const k of kids) k.kill('SIGTERM');
await wait(1500);
await db.db.dropDatabase();
await db.close();
process.exit(0);
