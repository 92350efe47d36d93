import {
  type ApiScope,
  connectDatabase,
  createApiKey,
  createKeyCheck,
  type Database,
  revokeApiKey,
} from '@tributary/database';
import { createProducerConnection, createTurnQueues, type TurnQueues } from '@tributary/queue';
import {
  type AdminServer,
  createAdminServer,
  createLogger,
  createReleasers,
} from '@tributary/runtime';
import { createQueueBoard } from './queue-board.ts';
import { openFreezableProxy } from './testing/freezable-proxy.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const ACCOUNT = 'secretlink234567.77';
const releasers = createReleasers();
const logger = createLogger({ name: 'test', level: 'silent' });

let db: Database;
let queues: TurnQueues;
let guarded: AdminServer;
let open: AdminServer;
let passed = 0;

beforeAll(async () => {
  const { MONGODB_URI, REDIS_URL } = process.env;
  if (!MONGODB_URI || !REDIS_URL) throw new Error('These tests need MONGODB_URI and REDIS_URL');
  const uri = new URL(MONGODB_URI);
  uri.pathname = `/worker_board_${process.pid}`;
  db = await connectDatabase({ uri: uri.href, appName: 'worker-test', logger });
  releasers.add('database', async () => {
    await db.db.dropDatabase();
    await db.close();
  });
  const connection = createProducerConnection({ url: REDIS_URL, name: 'board-test', logger });
  releasers.add('redis', () => connection.disconnect());
  const prefix = `board-${process.pid}`;
  queues = createTurnQueues({ connection, prefix, channels: ['SOCIAL_ADS'], logger });
  releasers.add('queues', async () => {
    for (const queue of queues.all()) await queue.obliterate({ force: true });
    await queues.close();
  });
  await queues.enqueue('SOCIAL_ADS', { v: 1, account: ACCOUNT, lane: 'fresh' });
  const checkKey = createKeyCheck({ db, clock: { now: () => NOW }, monotonic: () => passed });
  guarded = await openAdmin(checkKey);
  open = await openAdmin(undefined);
}, 60_000);
afterAll(() => releasers.releaseAll());

async function openAdmin(checkKey: Parameters<typeof createQueueBoard>[0]['checkKey']) {
  const server = await createAdminServer({
    port: 0,
    logger,
    livez: () => ({ ok: true }),
    readyz: () => ({ ok: true }),
    metrics: async () => '',
    extra: createQueueBoard({ queues: queues.all(), checkKey }),
  });
  releasers.add('admin server', () => server.close());
  return server;
}

const keyOf = (...scopes: ApiScope[]) =>
  createApiKey(db, { tenant: 'ops', scopes, title: 'test', now: NOW });
const basic = (key: string) => `Basic ${Buffer.from(`anybody:${key}`).toString('base64')}`;

interface Ask {
  method?: string;
  headers?: Record<string, string>;
}
async function ask(server: AdminServer, path: string, { method = 'GET', headers = {} }: Ask = {}) {
  const res = await fetch(server.url + path, {
    method,
    headers,
    signal: AbortSignal.timeout(10_000),
  });
  return { status: res.status, headers: res.headers, text: await res.text() };
}

const LIST = '/queues/api/queues?activeQueue=SOCIAL_ADS.fresh&status=waiting&page=1&jobsPerPage=10';
const PAGES = ['/queues', '/queues/', LIST, '/queues/static/favicon.ico', '/queues/nothing'];
/** What changes a queue when the page is not read-only. */
const PAUSE = '/queues/api/queues/SOCIAL_ADS.fresh/pause';

const fresh = () => {
  const found = queues.all().find(({ name }) => name === 'SOCIAL_ADS.fresh');
  if (!found) throw new Error('There is no queue SOCIAL_ADS.fresh');
  return found;
};

describe('with keys', () => {
  it('answers 401 with one body to no key and to one that is made up, revoked or of a wrong form', async () => {
    const revoked = await keyOf('admin');
    await revokeApiKey(db, revoked.id, NOW);
    const { key } = await keyOf('admin');
    const changed = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
    const answers = [];
    for (const path of PAGES) {
      for (const authorization of [
        undefined,
        'Bearer x',
        `Bearer ${revoked.key}`,
        `Bearer ${changed}`,
        basic(changed),
        basic(''),
        'Basic ?',
        key,
      ]) {
        const headers = authorization === undefined ? {} : { authorization };
        answers.push(await ask(guarded, path, { headers }));
        answers.push(await ask(guarded, path, { headers, method: 'PUT' }));
      }
    }
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
    expect(answers[0]?.headers.get('www-authenticate')).toBe(
      'Basic realm="queues", charset="UTF-8"',
    );
    expect(answers[0]?.headers.get('content-type')).toBe('application/problem+json');
  });

  it('answers 403 to the key of a client, whatever it asks for', async () => {
    const { key } = await keyOf('read', 'write', 'refresh');
    for (const path of PAGES) {
      for (const headers of [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }]) {
        const answer = await ask(guarded, path, { headers });
        expect([answer.status, JSON.parse(answer.text).code]).toEqual([403, 'forbidden']);
        expect(answer.text).not.toContain(ACCOUNT);
      }
    }
    const acting = await ask(guarded, PAUSE, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}` },
    });
    expect([acting.status, await fresh().isPaused()]).toEqual([403, false]);
  });

  it('shows the page to an admin key, as bearer, X-API-Key or the password of a browser', async () => {
    const { key } = await keyOf('admin');
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { 'x-api-key': key },
      { authorization: basic(key) },
    ] as Record<string, string>[]) {
      expect((await ask(guarded, '/queues', { headers })).text).toContain('<html');
      const list = await ask(guarded, LIST, { headers });
      expect([list.status, list.text]).toEqual([200, expect.stringContaining(ACCOUNT)]);
    }
  });

  it('lets an admin key act, unless a browser says that another page sent it', async () => {
    const { key } = await keyOf('admin');
    const act = (headers: Record<string, string>) =>
      ask(guarded, PAUSE, { method: 'PUT', headers: { authorization: basic(key), ...headers } });
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect((await act({ 'sec-fetch-site': site })).status).toBe(403);
      expect(await fresh().isPaused()).toBe(false);
    }
    expect((await act({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect(await fresh().isPaused()).toBe(true);
    await fresh().resume();
    expect((await act({})).status).toBe(200);
    expect(await fresh().isPaused()).toBe(true);
    await fresh().resume();
  });

  it('refuses a key that was revoked within five seconds', async () => {
    const { id, key } = await keyOf('admin');
    const headers = { authorization: `Bearer ${key}` };
    expect((await ask(guarded, LIST, { headers })).status).toBe(200);
    await revokeApiKey(db, id, NOW);
    passed += 5_000;
    expect((await ask(guarded, LIST, { headers })).status).toBe(401);
  });

  it('asks for no key at the probes', async () => {
    for (const path of ['/livez', '/readyz', '/metrics', '/queuesx']) {
      expect((await ask(guarded, path)).status).toBe(path === '/queuesx' ? 404 : 200);
    }
  });
});

describe('without keys', () => {
  it('everybody may look, and nobody may act', async () => {
    const { key } = await keyOf('admin');
    expect((await ask(open, '/queues')).text).toContain('<html');
    expect((await ask(open, LIST)).text).toContain(ACCOUNT);
    for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
      const answer = await ask(open, PAUSE, {
        method,
        headers: { authorization: `Bearer ${key}` },
      });
      expect([answer.status, JSON.parse(answer.text).code]).toEqual([403, 'forbidden']);
    }
    expect(await fresh().isPaused()).toBe(false);
  });
});

it('answers 503 and shows nothing while MongoDB is away', async () => {
  const mongo = new URL(process.env.MONGODB_URI ?? '');
  const proxy = await openFreezableProxy(mongo.href);
  const uri = new URL(proxy.url);
  uri.pathname = `/${db.db.databaseName}`;
  const away = await connectDatabase({ uri: uri.href, appName: 'worker-test', logger });
  releasers.add('database away', () => away.close());
  const server = await openAdmin(createKeyCheck({ db: away, clock: { now: () => NOW } }));
  const { key } = await keyOf('admin');
  await proxy.close();
  const answer = await ask(server, LIST, { headers: { authorization: `Bearer ${key}` } });
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([503, 'unavailable']);
  expect(answer.text).not.toContain(ACCOUNT);
}, 30_000);
