import { randomBytes } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import {
  type ApiScope,
  connectDatabase,
  createApiKey,
  type Database,
  ensureIndexes,
  LASTING_COLLECTIONS,
} from '@tributary/database';
import { type CredentialBox, createCredentialBox, createLogger } from '@tributary/runtime';
import { type ApiOptions, createApi } from '../api.ts';
import { createRoutes } from '../routes.ts';
import { createAnswerCheck } from './check-answer.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  /** The body as JSON; fails when it is none. */
  json(): unknown;
}

export interface AskOptions {
  method?: string;
  headers?: Record<string, string | readonly string[]>;
  body?: string | Uint8Array;
  /** null sends none; absent: the key of the tenant `test` with all scopes. */
  key?: string | null;
}

export interface TestApi {
  url: string;
  /** What the API was told. */
  env: ApiOptions['env'];
  db: Database;
  box: CredentialBox;
  /** The moment every request is answered at; may be moved. */
  clock: { now(): number; set(now: number): void };
  createKey(tenant: string, scopes?: readonly ApiScope[]): Promise<string>;
  /** The path goes out exactly as written; an answer that does not fit the OpenAPI document fails. */
  ask(path: string, options?: AskOptions): Promise<Answer>;
  /** Every document of the database, by collection. */
  dump(): Promise<Record<string, unknown[]>>;
  close(): Promise<void>;
}

interface TestApiOptions
  extends Partial<Pick<ApiOptions, 'builtChannels' | 'logger' | 'onLimited'>> {
  /** Part of the database's name. */
  name: string;
  env?: Partial<ApiOptions['env']>;
  now?: string;
  /** Where the API reaches MongoDB in place of MONGODB_URI: `host:port`. */
  mongoHost?: string;
}

export function requireMongo(): URL {
  const uri = process.env.MONGODB_URI;
  if (!uri) throw new Error('MONGODB_URI is not set: these tests need a MongoDB server');
  return new URL(uri);
}

/** An API of its own on a free port, over a database of its own that goes when it is closed. */
export async function openTestApi({
  name,
  env = {},
  now = '2026-11-10T12:00:00Z',
  mongoHost,
  logger = createLogger({ name: 'test', level: 'silent' }),
  ...options
}: TestApiOptions): Promise<TestApi> {
  const uri = requireMongo();
  if (mongoHost) uri.host = mongoHost;
  uri.pathname = `/api_${name}_${process.pid}`;
  const connection = { uri: uri.href, appName: 'api-test', logger, monitorCommands: true };
  const db = await connectDatabase(connection);
  await db.db.dropDatabase();
  await ensureIndexes(db, LASTING_COLLECTIONS);
  const box = createCredentialBox(`test:${randomBytes(32).toString('base64')}`);
  let at = Date.parse(now);
  const clock = { now: () => at, set: (to: number) => (at = to) };
  const settings: ApiOptions['env'] = {
    HOST: '127.0.0.1',
    API_PORT: 0,
    AUTH: 'on',
    BASE_PATH: '',
    CORS_ORIGINS: new Set(),
    CHANNEL_ALIASES: new Map([['OLD_DISPLAY', 'PORTAL1_DA']]),
    ALLOW_PRIVATE_ADDRESSES: false,
    // Tests ask more than clients may; those of the limits set their own.
    RATE_LIMIT_PER_MINUTE: 0,
    AUTH_FAILURES_PER_MINUTE: 0,
    TRUSTED_PROXIES: '',
    ...env,
  };
  const checkAnswer = createAnswerCheck(
    createRoutes({ channelAliases: settings.CHANNEL_ALIASES, allowPrivateAddresses: true }),
    settings.BASE_PATH,
  );
  const api = await createApi({
    env: settings,
    db,
    box,
    clock,
    logger,
    ...options,
  });
  const createKey = async (
    tenant: string,
    scopes: readonly ApiScope[] = ['read', 'write', 'refresh'],
  ) => (await createApiKey(db, { tenant, scopes, title: 'test', now: at })).key;
  const ownKey = await createKey('test');
  return {
    url: api.url,
    env: settings,
    db,
    box,
    clock,
    createKey,
    async ask(path, options = {}) {
      const answer = await ask(api.url, path, { key: ownKey, ...options });
      checkAnswer(options.method ?? 'GET', path, answer);
      return answer;
    },
    async dump() {
      const collections = await db.db.collections();
      const entries = collections
        .sort((a, b) => (a.collectionName < b.collectionName ? -1 : 1))
        .map(async (one) => [one.collectionName, await one.find().sort({ _id: 1 }).toArray()]);
      return Object.fromEntries(await Promise.all(entries));
    },
    async close() {
      await api.close();
      await db.db.dropDatabase();
      await db.close();
    },
  };
}

function ask(base: string, path: string, options: AskOptions): Promise<Answer> {
  const { method = 'GET', headers = {}, body, key } = options;
  const agent = new Agent({ keepAlive: false });
  return new Promise((resolve, reject) => {
    const req = request(base, {
      agent,
      path,
      method,
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        // A GET's body would go out without a length otherwise.
        ...(body === undefined || 'Transfer-Encoding' in headers
          ? {}
          : { 'Content-Length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
      timeout: 10_000,
    });
    req.on('timeout', () => req.destroy(new Error(`No answer to ${method} ${path}`)));
    req.on('error', reject);
    req.on('response', (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString();
        const { statusCode: status = 0 } = res;
        resolve({ status, headers: res.headers, bytes, text, json: () => JSON.parse(text) });
      });
    });
    req.end(body);
  });
}
