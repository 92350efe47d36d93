import type { Route } from './http/define-route.ts';
import { createPages } from './openapi/pages.ts';
import { createRoutes } from './routes.ts';
import {
  type Answer,
  type AskOptions,
  openTestApi,
  type TestApi,
} from './testing/open-test-api.ts';
import { requestOf, valuesOf } from './testing/route-request.ts';
import { routeName } from './testing/route-table.ts';
import { type SeededTenant, seedTenant } from './testing/seed-tenant.ts';

const routes = createRoutes({ channelAliases: new Map(), allowPrivateAddresses: false });
const gets = routes.filter(({ method }) => method === 'GET');

let api: TestApi;
let tenant: SeededTenant;
beforeAll(async () => {
  api = await openTestApi({ name: 'head' });
  tenant = await seedTenant(api, { word: 'head', number: '731564625' });
}, 60_000);
afterAll(() => api?.close());

const addressOf = (route: Route, more: object = {}) =>
  requestOf(route, { ...valuesOf(route, tenant.ids), ...more }).path;

/** What a HEAD has to repeat; the id is each request's own. */
function headersOf({ headers }: Answer) {
  const { date, 'x-request-id': id, ...rest } = headers;
  expect([date, id]).toEqual([expect.any(String), expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  return rest;
}

async function expectSameHead(address: string, status: number, more: AskOptions = {}) {
  const options = { key: tenant.key, ...more };
  const get = await api.ask(address, options);
  const head = await api.ask(address, { ...options, method: 'HEAD' });
  expect({ status: get.status, text: get.text }).toMatchObject({ status });
  expect([head.status, head.bytes.length]).toEqual([status, 0]);
  expect(headersOf(head)).toEqual(headersOf(get));
  if (status !== 304) expect(head.headers['content-length']).toBe(String(get.bytes.length));
  expect(get.headers['x-request-id']).not.toBe(head.headers['x-request-id']);
  return get;
}

const named = gets.map((route) => [routeName(route), route] as const);

test.each(named.filter(([, { csv }]) => csv))('HEAD for %s of a table', async (_, route) => {
  for (const encoding of ['identity', 'gzip']) {
    const headers = { Accept: 'text/csv', 'Accept-Encoding': encoding };
    const { headers: sent } = await expectSameHead(addressOf(route), 200, { headers });
    expect(sent['content-type']).toContain('text/csv');
  }
});

describe.each(named)('HEAD for %s', (_, route) => {
  it('is the GET without its body', async () => {
    await expectSameHead(addressOf(route), 200);
    const gzip = { headers: { 'Accept-Encoding': 'gzip' } };
    await expectSameHead(addressOf(route), 200, gzip);
  });

  it('says the same where nothing has changed', async () => {
    const { headers } = await expectSameHead(addressOf(route), 200);
    expect(headers.etag !== undefined).toBe(route.path.startsWith('/data/'));
    if (headers.etag === undefined) return;
    const unchanged = { headers: { 'If-None-Match': headers.etag } };
    await expectSameHead(addressOf(route), 304, unchanged);
  });

  it('is refused as the GET is, without a body', async () => {
    await expectSameHead(addressOf(route, { 'query.nonsense': '1' }), 400);
    await expectSameHead(addressOf(route), 401, { key: null });
    const key = await api.createKey(tenant.tenant, ['write']);
    await expectSameHead(addressOf(route), 403, { key });
    await expectSameHead(`${route.path.replace('{run}', 'x')}/`, 404);
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
