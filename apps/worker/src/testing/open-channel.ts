import { randomBytes } from 'node:crypto';
import { createConnectors, type RateBudget } from '@tributary/connectors';
import {
  accountKey,
  connectDatabase,
  createLink,
  ensureIndexes,
  LASTING_COLLECTIONS,
  LINK_ACCOUNT,
  listAccounts,
  randomId,
  saveCredentials,
  wantDiscovery,
} from '@tributary/database';
import { createCredentialBox, createLogger, createReleasers } from '@tributary/runtime';
import { type ChannelType, type Day, LANES } from '@tributary/shared';
import { createAccessTokens } from '../access-tokens.ts';
import type { WorkerDeps } from '../deps.ts';
import { createWorkerMetrics } from '../metrics.ts';
import { planAccount } from '../plan-account.ts';
import { createRowGate } from '../row-gate.ts';
import { runTurn } from '../turn.ts';
import { compareWithTruth } from './expect-truth.ts';
import { startSandbox } from './sandbox.ts';

const ROUNDS_MAX = 200;

export interface ChannelOptions {
  type: ChannelType;
  credentials: Record<string, unknown>;
  /** A function is told where the simulated platforms are, for addresses of feeds. */
  settings: Record<string, unknown> | ((sandbox: string) => Record<string, unknown>);
  /** Where tokens are refreshed, below the platform's prefix. */
  tokenPath?: string;
  /** What the clocks show; they stand still but for `advance`. */
  now: string;
}

/** Grants everything: the sandbox's limits are lifted where its clock stands still. */
const OPEN_BUDGET: RateBudget = { take: async () => {}, block: async () => {} };

export type OpenChannel = Awaited<ReturnType<typeof openChannel>>;

/** One link of one channel: the simulated platform as a process, turns in this one, a database of its own. */
export async function openChannel(options: ChannelOptions) {
  const { type, credentials, tokenPath = '/token', now } = options;
  const base = process.env.MONGODB_URI;
  if (!base) throw new Error('MONGODB_URI is not set: these tests need a MongoDB server');
  const uri = new URL(base);
  uri.pathname = `/channel_${randomId()}`;
  const sandbox = await startSandbox(now, { SANDBOX_CALLS_PER_HOUR: '0' });
  await setClock(sandbox.url, { frozen: true });
  const clock = { time: await sandbox.now(), now: () => clock.time };
  const logger = createLogger({ name: 'test', level: 'silent' });
  const db = await connectDatabase({ uri: uri.href, appName: 'worker-test', logger });
  await ensureIndexes(db, LASTING_COLLECTIONS);
  const releasers = createReleasers();
  const box = createCredentialBox(`test:${randomBytes(32).toString('base64')}`);
  const tokenLocks: WorkerDeps['tokenLocks'] = {
    withTokenLock: (_key, _ttlMs, fn) => fn(new AbortController().signal),
  };
  const prefix = `${sandbox.url}/${type.toLowerCase().replaceAll('_', '-')}`;
  const deps: WorkerDeps = {
    db,
    box,
    connectors: createConnectors({
      baseUrls: { [type]: prefix },
      tokenUrls: { [type]: `${prefix}${tokenPath}` },
      budget: OPEN_BUDGET,
      accessTokens: createAccessTokens({ db, box, tokenLocks, clock, logger }),
      clock,
      allowPrivateAddresses: true,
      releasers,
    }),
    queues: { enqueue: async () => {} },
    tokenLocks,
    clock,
    logger,
    metrics: createWorkerMetrics({
      turnsByQueue: async () => new Map(),
      planningLagSeconds: async () => 0,
    }),
    gate: createRowGate(400_000),
    random: () => 1,
  };
  const settings =
    typeof options.settings === 'function' ? options.settings(sandbox.url) : options.settings;
  const fields = { tenant: 't1', type, title: type, tag: '', settings };
  const made = await createLink(db, { ...fields, now: clock.time });
  const link = await saveCredentials(db, box, made, credentials, clock.time);
  if (!link) throw new Error('The link is gone');
  await wantDiscovery(db, link, clock.time);

  const turn = (account: string, lane: 'fresh' | 'bulk') =>
    runTurn(deps, { v: 1, account, lane }, new AbortController().signal);

  return {
    db,
    link,
    clock,
    sandbox,
    /** Lists the accounts and takes turns until nothing is due; answers how many turns it took. */
    async load(): Promise<number> {
      await turn(accountKey(link._id, LINK_ACCOUNT), 'fresh');
      for (let round = 1; round < ROUNDS_MAX; round += 1) {
        let due = 0;
        for (const account of await listAccounts(db, link._id)) {
          if (account.status === 'closed') continue;
          const planned = await planAccount(db, account, clock.time);
          const isDue = {
            fresh: planned.tree || planned.fresh.length + planned.seal.length > 0,
            bulk: planned.bulk.length > 0,
          };
          for (const lane of LANES.filter((one) => isDue[one])) {
            due += 1;
            await turn(account._id, lane);
          }
        }
        if (due === 0) return round;
      }
      throw new Error(`Still something to do after ${ROUNDS_MAX} rounds of turns`);
    },
    /** Compares what is stored with the truth; without `accounts` of all that the platform has open. */
    compare: (from: Day, to: Day, accounts?: readonly string[]) =>
      compareWithTruth({
        db,
        channel: type,
        link,
        sandbox: sandbox.url,
        from,
        to,
        ...(accounts && { accounts }),
      }),
    /** Moves both clocks on. */
    async advance(advanceMs: number): Promise<void> {
      await setClock(sandbox.url, { advanceMs });
      clock.time = await sandbox.now();
    },
    async close(): Promise<void> {
      await sandbox.program.end('SIGTERM');
      await releasers.releaseAll();
      deps.metrics.registry.clear();
      await db.db.dropDatabase();
      await db.close();
    },
  };
}

async function setClock(url: string, change: Record<string, unknown>): Promise<void> {
  const answer = await fetch(`${url}/__sandbox/clock`, {
    method: 'POST',
    body: JSON.stringify(change),
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(10_000),
  });
  if (!answer.ok) throw new Error(`The sandbox's clock answered ${answer.status}`);
}
