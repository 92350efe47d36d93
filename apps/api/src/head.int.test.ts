import { createComment } from '@tributary/database';
import {
  type BlogDay,
  type Entity,
  type ObservationRow,
  RefreshRunSchema,
} from '@tributary/shared';
import { createDocument } from './openapi/document.ts';
import { createPages } from './openapi/pages.ts';
import { createRoutes } from './routes.ts';
import { type Answer, openTestApi, type TestApi } from './testing/open-test-api.ts';
import { type Seed, seedLink } from './testing/seed.ts';

const NOW = Date.parse('2026-11-10T12:00:00Z');
const DAY = '2026-11-01';
const routes = createRoutes({ channelAliases: new Map(), allowPrivateAddresses: false });
const gets = routes.filter(({ method }) => method === 'GET');

let api: TestApi;
const samples: Record<string, string> = {
  start: DAY,
  end: '2026-11-02',
  level: 'campaign',
  limit: '1',
};
let blogId: string;
beforeAll(async () => {
  api = await openTestApi({ name: 'head' });
  const ads = await seedAds();
  samples.id = ads.link._id;
  blogId = await seedBlog();
  for (const title of ['a', 'b']) {
    await createComment(api.db, 'test', { key: 'k', title, contents: 'c', now: NOW });
  }
  const refresh = await api.ask('/refresh', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ id: samples.id }),
  });
  samples.run = RefreshRunSchema.parse(refresh.json()).id;
}, 60_000);
afterAll(() => api?.close());

async function seedAds(): Promise<Seed> {
  const entity = { title: 'E', status: 'active' } as const;
  const entities: Entity[] = [
    { ...entity, level: 'c', id: 'c1', parent: '77' },
    { ...entity, level: 'c', id: 'c2', parent: '77' },
    { ...entity, level: 'g', id: 'g1', parent: 'c1' },
    { ...entity, level: 'd', id: 'd1', parent: 'g1' },
  ];
  const options = { type: 'SOCIAL_ADS', account: '77', now: NOW, historyDays: 30 } as const;
  const seed = await seedLink(api.db, { ...options, entities });
  const rows: Record<string, ObservationRow> = {
    a: ['', '', '', '', 10, 1, 0, 0, 5, null, 1],
    c: ['c1', '', '', '', 10, 1, 0, 0, 5, null, 1],
    g: ['c1', 'g1', '', '', 10, 1, 0, 0, 5, null, 1],
    d: ['c1', 'g1', 'd1', '', 10, 1, 0, 0, 5, null, 1],
  };
  for (const [level, row] of Object.entries(rows)) {
    await seed.collect({ source: `${level}-base`, day: DAY, rows: [row], fetchedAt: NOW });
  }
  return seed;
}

async function seedBlog(): Promise<string> {
  const options = { type: 'PORTAL1_BLOG', account: 'blog', now: NOW, historyDays: 30 } as const;
  const seed = await seedLink(api.db, { ...options, settings: { feedUrl: 'https://x.example' } });
  const day: BlogDay = {
    pageViews: 100,
    visitors: 40,
    visits: 60,
    averageDurationSeconds: 30.5,
    referrers: [],
    posts: [],
    neighbours: { mutual: 5, oneWay: 3, other: 52 },
  };
  await seed.collect({
    source: 'blog-days',
    set: 'blog',
    day: DAY,
    rows: [day],
    fetchedAt: NOW,
  });
  return seed.link._id;
}

const VALUES: Record<string, string> = {
  adAccount: '77',
  campaign: 'c1',
  adGroup: 'g1',
  ads: 'd1',
};

interface Parameter {
  name: string;
  in: string;
  required: boolean;
}

/** A good request of a route: a parameter that is not known here must be added to pass. */
function addressOf(path: string): string {
  const operation = (createDocument(routes, '').paths as Record<string, Record<string, object>>)[
    path
  ];
  const { parameters = [] } = (operation?.get ?? {}) as { parameters?: Parameter[] };
  const sampleOf = ({ name }: Parameter) => {
    const [, level = ''] = /^\/data\/(.*)$/.exec(path) ?? [];
    const own = name === 'id' && level === 'blog-portal1' ? blogId : undefined;
    const value = own ?? (name === 'value' ? VALUES[level] : samples[name]);
    if (value === undefined) throw new Error(`No sample for ${path} ${name}`);
    return value;
  };
  const isSent = ({ name, required }: Parameter) => required || name === 'limit';
  const query = parameters
    .filter((one) => one.in === 'query' && isSent(one))
    .map((one) => `${one.name}=${encodeURIComponent(sampleOf(one))}`);
  const filled = parameters
    .filter((one) => one.in === 'path')
    .reduce((text, one) => text.replace(`{${one.name}}`, sampleOf(one)), path);
  return `${filled}?${query.join('&')}`;
}

/** What a HEAD has to repeat; the id is each request's own. */
function headersOf({ headers }: Answer) {
  const { date, 'x-request-id': id, ...rest } = headers;
  expect([date, id]).toEqual([expect.any(String), expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  return rest;
}

async function expectSameHead(address: string, status: number, options: object = {}) {
  const get = await api.ask(address, options);
  const head = await api.ask(address, { ...options, method: 'HEAD' });
  expect({ status: get.status, text: get.text }).toMatchObject({ status });
  expect([head.status, head.bytes.length]).toEqual([status, 0]);
  expect(headersOf(head)).toEqual(headersOf(get));
  if (status !== 304) expect(head.headers['content-length']).toBe(String(get.bytes.length));
  expect(get.headers['x-request-id']).not.toBe(head.headers['x-request-id']);
  return get;
}

test.each(gets.filter(({ csv }) => csv).map(({ path }) => path))(
  'HEAD %s of a table',
  async (path) => {
    for (const encoding of ['identity', 'gzip']) {
      const headers = { Accept: 'text/csv', 'Accept-Encoding': encoding };
      const { headers: sent } = await expectSameHead(addressOf(path), 200, { headers });
      expect(sent['content-type']).toContain('text/csv');
    }
  },
);

describe.each(gets.map((route) => route.path))('HEAD %s', (path) => {
  it('is the GET without its body', async () => {
    await expectSameHead(addressOf(path), 200);
    const gzip = { headers: { 'Accept-Encoding': 'gzip' } };
    await expectSameHead(addressOf(path), 200, gzip);
  });

  it('says the same where nothing has changed', async () => {
    const { headers } = await api.ask(addressOf(path));
    if (headers.etag === undefined) return;
    const unchanged = { headers: { 'If-None-Match': headers.etag } };
    await expectSameHead(addressOf(path), 304, unchanged);
  });

  it('is refused as the GET is, without a body', async () => {
    await expectSameHead(`${addressOf(path)}&nonsense=1`, 400);
    await expectSameHead(addressOf(path), 401, { key: null });
    await expectSameHead(addressOf(path), 403, { key: await api.createKey('test', ['write']) });
    await expectSameHead(`${path.replace('{run}', 'x')}/`, 404);
  });
});

test.each(Object.keys(createPages(routes, '')))(
  'HEAD %s is the GET without its body',
  async (path) => {
    await expectSameHead(path, 200, { key: null });
  },
);

test('a path that has no GET has no HEAD', async () => {
  const reads = new Set(gets.map(({ path }) => path));
  const others = routes.filter(({ path }) => !reads.has(path));
  expect(others.length).toBeGreaterThan(0);
  for (const { path } of others) {
    const head = await api.ask(path, { method: 'HEAD' });
    expect([head.status, head.bytes.length]).toEqual([405, 0]);
    expect(head.headers.allow).not.toContain('HEAD');
  }
});

test('answers that never became a request carry an id as well, and nobody chooses it', async () => {
  const own = { 'X-Request-Id': 'chosen-by-the-client', 'Request-Id': 'chosen-by-the-client' };
  const answers = [
    await api.ask('/comment', { headers: own }),
    await api.ask('/nowhere', { headers: own }),
    await api.ask(`/comment?x=${'y'.repeat(9_000)}`, { headers: own }),
    await api.ask('/comment', { headers: { ...own, long: 'x'.repeat(20_000) } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 414, 431]);
  const ids = answers.map(({ headers }) => headers['x-request-id']);
  expect(new Set(ids).size).toBe(4);
  for (const [index, { status, text, headers }] of answers.entries()) {
    expect(JSON.stringify([headers, text])).not.toContain('chosen-by');
    if (status === 200) expect(ids[index]).toMatch(/^[0-9a-f-]{36}$/);
    else expect(JSON.parse(text)).toMatchObject({ requestId: ids[index] });
  }
});
