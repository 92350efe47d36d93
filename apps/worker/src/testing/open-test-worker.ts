import { randomBytes } from 'node:crypto';
import type { CollectRequest, Connector } from '@tributary/connectors';
import {
  type Account,
  type AuthorizedLink,
  accountKey,
  connectDatabase,
  createLink,
  type Database,
  ensureIndexes,
  findAccount,
  LASTING_COLLECTIONS,
  LINK_ACCOUNT,
  randomId,
  readCoverage,
  saveCredentials,
  wantDiscovery,
} from '@tributary/database';
import { createCredentialBox, createLogger } from '@tributary/runtime';
import {
  type ChannelAccount,
  type Day,
  type Entity,
  eachDay,
  type Lane,
  type ObservationRow,
  type Observed,
  spread,
  type TurnJob,
} from '@tributary/shared';
import { z } from 'zod';
import type { WorkerDeps } from '../deps.ts';
import { createWorkerMetrics } from '../metrics.ts';
import { createRowGate } from '../row-gate.ts';
import { runTurn } from '../turn.ts';
import type { Outcome } from '../work-on-account.ts';

type Rows = AsyncIterable<Observed[]>;

/** A platform that answers what the test wants; without orders every source has one row a day. */
export interface Script {
  accounts: ChannelAccount[];
  entities: Entity[];
  /** In place of the rows: what a source gives, or throws. */
  collect: ((request: CollectRequest) => Rows | Promise<Rows>) | undefined;
  /** Thrown by the account list, or by the tree. */
  listFails: Error | undefined;
  treeFails: Error | undefined;
  /** Every call of collect, in order. */
  asked: { account: string; source: string; from: Day; to: Day; report: string | undefined }[];
}

export const SEOUL: ChannelAccount = {
  id: '1',
  title: 'One',
  zone: 'Asia/Seoul',
  currency: 'KRW',
  status: 'active',
};

const CAMPAIGN = { level: 'c', id: 'c1', parent: '1', title: 'C', status: 'active' } as const;

/** Figures of one delivering day. */
export const figures = (impressions: number) => [impressions, 1, 0, 0, 1_000_000, null, 5] as const;

/** Ids are a platform's, not an account's: those of the first account are short. */
export const idOf = (account: string, id: string) =>
  account === SEOUL.id ? id : `${id}-of-${account}`;

/** One row a day of the request's source, a page each. */
export async function* rowsOf(
  request: CollectRequest,
  impressions = 100,
): AsyncGenerator<Observed[]> {
  const fill = request.source.fills[0];
  if (!fill) throw new TypeError('Only sources with fills are scripted');
  const { level, part, from: set } = fill;
  const id = (levels: string, value: string) =>
    levels.includes(level) ? idOf(request.account.id, value) : '';
  const value = part === 'base' ? '' : part === 'hour' ? '09' : 'x';
  const ids = [id('cgd', 'c1'), id('gd', 'g1'), id('d', 'd1')] as const;
  const row: ObservationRow = [...ids, value, ...figures(impressions)];
  for (const day of eachDay(request.from, request.to)) yield [{ day, set, rows: [row] }];
}

function createScript(): Script & { connector: Connector } {
  const script: Script = {
    accounts: [SEOUL],
    entities: [CAMPAIGN],
    collect: undefined,
    listFails: undefined,
    treeFails: undefined,
    asked: [],
  };
  const connector: Connector = {
    type: 'SOCIAL_ADS',
    CredentialsSchema: z.strictObject({ token: z.string() }),
    SettingsSchema: z.strictObject({ historyDays: z.number() }),
    async listAccounts() {
      if (script.listFails) throw script.listFails;
      return script.accounts;
    },
    async *listEntities({ account }) {
      if (script.treeFails) throw script.treeFails;
      yield script.entities.map((one) => ({ ...one, id: idOf(account.id, one.id) }));
    },
    async *collect(request) {
      const { account, source, from, to, report } = request;
      script.asked.push({ account: account.id, source: source.id, from, to, report: report?.id });
      yield* (await script.collect?.(request)) ?? rowsOf(request);
    },
  };
  return Object.assign(script, { connector });
}

type TurnSignal = Parameters<typeof runTurn>[2];

export type TestWorker = Awaited<ReturnType<typeof openTestWorker>>;

/** The worker's parts over a real database of their own, a scripted platform and a clock that stands still. */
export async function openTestWorker({ now = '2026-11-21T00:02:00Z' } = {}) {
  const base = process.env.MONGODB_URI;
  if (!base) throw new Error('MONGODB_URI is not set: these tests need a MongoDB server');
  const uri = new URL(base);
  uri.pathname = `/worker_${randomId()}`;
  const logger = createLogger({ name: 'test', level: 'silent' });
  const db = await connectDatabase({
    uri: uri.href,
    appName: 'worker-test',
    logger,
    monitorCommands: true,
  });
  await ensureIndexes(db, LASTING_COLLECTIONS);
  const commands: Record<string, unknown>[] = [];
  db.db.client.on('commandStarted', ({ command }) => commands.push(command));
  const script = createScript();
  const clock = { time: Date.parse(now), now: () => clock.time };
  const enqueued: TurnJob[] = [];
  const deps: WorkerDeps = {
    db,
    box: createCredentialBox(`test:${randomBytes(32).toString('base64')}`),
    connectors: { SOCIAL_ADS: script.connector },
    queues: {
      enqueue: async (_channel, job) => {
        enqueued.push(job);
      },
    },
    tokenLocks: {
      withTokenLock: () => Promise.reject(new Error('The scripted platform renews no tokens')),
    },
    clock,
    logger,
    metrics: createWorkerMetrics({
      turnsByQueue: async () => new Map(),
      planningLagSeconds: async () => 0,
    }),
    gate: createRowGate(400_000),
    random: () => 1,
  };
  const turn = (id: string, lane: Lane = 'fresh', signal?: TurnSignal): Promise<Outcome> =>
    runTurn(deps, { v: 1, account: id, lane }, signal ?? new AbortController().signal);
  return {
    db,
    deps,
    clock,
    script,
    enqueued,
    turn,
    /** A new link with credentials, of which the accounts are not listed yet. */
    async link({ tenant = 't1', historyDays = 1 } = {}): Promise<AuthorizedLink> {
      const settings = { historyDays };
      const fields = { tenant, type: 'SOCIAL_ADS', title: 'L', tag: '', settings } as const;
      const created = await createLink(db, { ...fields, now: clock.time });
      const link = { ...created, _id: idWithMiddleSlots(script.accounts) };
      const links = db.db.collection<{ _id: string }>('links');
      await links.deleteOne({ _id: created._id });
      await links.insertOne(link);
      return await giveCredentials(deps, link);
    },
    giveCredentials: (link: AuthorizedLink) => giveCredentials(deps, link),
    /** A new link whose accounts are listed; answers their keys. */
    async listed(options: { tenant?: string; historyDays?: number } = {}) {
      const link = await this.link(options);
      await turn(accountKey(link._id, LINK_ACCOUNT));
      return { link, ids: script.accounts.map(({ id }) => accountKey(link._id, id)) };
    },
    account: (id: string) => readAccount(db, id),
    cell: async (id: string, day: Day, source: string) =>
      (await readCoverage(db, id, day, day)).cells.get(day)?.get(source),
    /** The commands sent to the database since the last call. */
    takeCommands: () => commands.splice(0),
    count: (collection: string, id: RegExp) =>
      db.db.collection<{ _id: string }>(collection).countDocuments({ _id: id }),
    async close() {
      deps.metrics.registry.clear();
      await db.db.dropDatabase();
      await db.close();
    },
  };
}

/**
 * A link's id whose accounts have their slots in the middle of the hour: with any other a slot may come due in the
 * minutes that a test lets pass.
 */
function idWithMiddleSlots(accounts: readonly ChannelAccount[]): string {
  for (let tries = 0; tries < 100_000; tries += 1) {
    const id = randomId();
    const parts = accounts.map((account) => spread(accountKey(id, account.id), 100));
    if (parts.every((part) => part >= 40 && part < 60)) return id;
  }
  throw new Error('No id gives every account its slots in the middle of the hour');
}

async function readAccount(db: Database, id: string): Promise<Account> {
  const account = await findAccount(db, id);
  if (!account) throw new Error(`There is no account '${id}'`);
  return account;
}

async function giveCredentials(
  { db, box, clock }: WorkerDeps,
  link: AuthorizedLink,
): Promise<AuthorizedLink> {
  const saved = await saveCredentials(db, box, link, { token: 'secret' }, clock.now());
  if (!saved) throw new Error('The link is deleted');
  await wantDiscovery(db, saved, clock.now());
  return saved;
}
