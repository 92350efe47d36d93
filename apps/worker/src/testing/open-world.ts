import { randomBytes } from 'node:crypto';
import {
  type Account,
  accountKey,
  connectDatabase,
  createLink,
  type Database,
  ensureIndexes,
  findAccount,
  findLink,
  LASTING_COLLECTIONS,
  LINK_ACCOUNT,
  listAccounts,
  randomId,
  readCoverage,
  saveCredentials,
  storeHash,
  wantDiscovery,
} from '@tributary/database';
import { createProducerConnection, createTurnQueues, waitForConnection } from '@tributary/queue';
import { createCredentialBox, createLogger } from '@tributary/runtime';
import { addDays, CHANNELS, dayAt } from '@tributary/shared';
import { planAccount } from '../plan-account.ts';
import { type Program, startProgram, until } from './processes.ts';
import { startSandbox } from './sandbox.ts';

const LOADED_MS = 120_000;
const SOCIAL_CREDENTIALS = { accessToken: 'sandbox-social-token' };

/** What keeps a store from being complete; all zero = it is. */
export interface Outstanding {
  /** Links and accounts whose list or tree is not there. */
  unread: number;
  windows: number;
  unsealed: number;
  /** Cells that are not ok. */
  failing: number;
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/**
 * Platforms, a database, a place in Redis and two links of their own; workers are started by the test. `SANDBOX_NOW` is
 * such that a whole hour of figures lies ahead.
 */
export async function openWorld({ now, historyDays }: { now: string; historyDays: number }) {
  const { MONGODB_URI, REDIS_URL } = process.env;
  if (!MONGODB_URI || !REDIS_URL) throw new Error('MONGODB_URI and REDIS_URL must name servers');
  const name = `worker-${randomId()}`;
  const uri = new URL(MONGODB_URI);
  uri.pathname = `/${name.replaceAll('-', '_')}`;
  const logger = createLogger({ name: 'test', level: 'silent' });
  const sandbox = await startSandbox(now);
  const db = await connectDatabase({ uri: uri.href, appName: 'worker-test', logger });
  await ensureIndexes(db, LASTING_COLLECTIONS);
  const redis = createProducerConnection({ url: REDIS_URL, name, logger });
  await waitForConnection(redis, 5_000);
  const queues = createTurnQueues({ connection: redis, prefix: name, logger });
  const keys = `test:${randomBytes(32).toString('base64')}`;
  const box = createCredentialBox(keys);
  const workers: Program[] = [];

  async function link(
    type: 'SOCIAL_ADS' | 'PORTAL1_BLOG',
    credentials: unknown,
    settings: Record<string, unknown>,
  ): Promise<string> {
    const at = await sandbox.now();
    const all = { historyDays, ...settings };
    const made = await createLink(db, {
      tenant: 't1',
      type,
      title: type,
      tag: '',
      settings: all,
      now: at,
    });
    const saved = await saveCredentials(db, box, made, credentials, at);
    if (saved) await wantDiscovery(db, saved, at);
    return made._id;
  }
  const social = await link('SOCIAL_ADS', SOCIAL_CREDENTIALS, {});
  const blog = await link(
    'PORTAL1_BLOG',
    { feedToken: 'sandbox-feed-token' },
    { feedUrl: `${sandbox.url}/feed`, timezone: 'Asia/Seoul' },
  );

  const emptyRedis = async () => {
    const found = await redis.keys(`${name}:*`);
    if (found.length > 0) await redis.del(...found);
    return found.length;
  };
  return {
    sandbox,
    db,
    queues,
    social,
    blog,
    /** Deletes everything that the workers keep in Redis; answers how many keys there were. */
    emptyRedis,
    redisUrl: REDIS_URL,
    mongoUri: uri.href,
    async startWorker({ redisUrl = REDIS_URL, mongoUri = uri.href } = {}): Promise<Program> {
      const worker = startProgram('worker', {
        NODE_ENV: 'test',
        WORKER_ADMIN_PORT: '0',
        MONGODB_URI: mongoUri,
        REDIS_URL: redisUrl,
        QUEUE_PREFIX: name,
        CREDENTIALS_KEYS: keys,
        SOCIAL_ADS_BASE_URL: `${sandbox.url}/social-ads`,
        ALLOW_PRIVATE_ADDRESSES: 'true',
        CLOCK_URL: `${sandbox.url}/__sandbox/clock`,
        // Turns of a killed process come back soon.
        TURN_LOCK_MS: '3000',
        STALLED_CHECK_MS: '1000',
      });
      workers.push(worker);
      await worker.line(/The worker takes turns/);
      return worker;
    },
    accounts: () => accountsOf(db, [social, blog]),
    outstanding: async () => await outstanding(db, [social, blog], await sandbox.now()),
    /** Waits until nothing is due, failed or unsealed. */
    async loaded(timeoutMs = LOADED_MS): Promise<void> {
      let left: Outstanding | undefined;
      const isDone = async () => {
        left = await outstanding(db, [social, blog], await sandbox.now());
        return Object.values(left).every((count) => count === 0);
      };
      await until('everything collected', isDone, { timeoutMs, everyMs: 200 }).catch((cause) => {
        throw new Error(`Not everything is collected: ${JSON.stringify(left)}`, { cause });
      });
    },
    /** A new access token, as a person gives one. */
    async giveCredentials(): Promise<void> {
      const found = await findLink(db, 't1', social);
      const at = await sandbox.now();
      const saved = found && (await saveCredentials(db, box, found, SOCIAL_CREDENTIALS, at));
      if (!saved) throw new Error('The link is gone');
      await wantDiscovery(db, saved, at);
    },
    linkOf: (id: string) => findLink(db, 't1', id),
    hash: () => storeHash(db),
    /** The stored days by key: hash of the text, and the highest run they were sealed from. */
    async statDays(): Promise<Map<string, { h: string; i: number }>> {
      const found = await db.db
        .collection<{ _id: string; h: string; i: number }>('statDays')
        .find({}, { projection: { h: 1, i: 1 } })
        .toArray();
      return new Map(found.map(({ _id, h, i }) => [_id, { h, i }]));
    },
    /** Turns under way, as the accounts tell. */
    async busy(): Promise<number> {
      const at = await sandbox.now();
      const all = await accountsOf(db, [social, blog]);
      return all.flatMap(({ lane }) => [lane.fresh, lane.bulk]).filter((one) => one.busyUntil > at)
        .length;
    },
    async close(): Promise<void> {
      for (const one of [...workers, sandbox.program])
        if (one.isRunning()) await one.end('SIGKILL');
      await queues.close();
      await emptyRedis();
      redis.disconnect();
      await db.db.dropDatabase();
      await db.close();
    },
  };
}

async function accountsOf(db: Database, links: readonly string[]): Promise<Account[]> {
  const found = await Promise.all(
    links.map(async (link) => [
      await findAccount(db, accountKey(link, LINK_ACCOUNT)),
      ...(await listAccounts(db, link)),
    ]),
  );
  return found.flat().filter((one) => one !== undefined);
}

async function outstanding(
  db: Database,
  links: readonly string[],
  now: number,
): Promise<Outstanding> {
  const left: Outstanding = { unread: 0, windows: 0, unsealed: 0, failing: 0 };
  for (const account of await accountsOf(db, links)) {
    if (account.tree.fetchedAt === undefined) left.unread += 1;
    if (account.account === LINK_ACCOUNT) continue;
    // A quiet lane's work counts too.
    const idle = { run: 0, starts: 0, busyUntil: 0 };
    const awake = { ...account, lane: { fresh: idle, bulk: idle } };
    const planned = await planAccount(db, awake, now);
    left.unread += planned.tree ? 1 : 0;
    left.windows += planned.fresh.length + planned.bulk.length;
    left.unsealed += planned.seal.length;
    const tomorrow = addDays(dayAt(now, account.zone), 1);
    const { cells } = await readCoverage(db, account._id, account.historyFrom, tomorrow);
    for (const ofDay of cells.values()) {
      left.failing += [...ofDay.values()].filter(({ state }) => state !== 'ok').length;
    }
    if (cells.size === 0) left.windows += CHANNELS[account.channel].sources.length;
  }
  return left;
}
