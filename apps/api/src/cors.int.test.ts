import { EXPOSED_HEADERS } from './http/cors.ts';
import type { Method, Route } from './http/define-route.ts';
import { createDocument } from './openapi/document.ts';
import { createRoutes } from './routes.ts';
import { type Answer, openTestApi, type TestApi } from './testing/open-test-api.ts';
import { seedLink } from './testing/seed.ts';

const LISTED = 'https://app.example.com';
const BASE_PATH = '/v1';
const FOREIGN = [
  'https://evil.example',
  'https://app.example.com.evil.example',
  'http://app.example.com',
  'https://app.example.com:444',
  'https://APP.example.com',
  'https://app.example.com/',
  'null',
  '*',
];

const routes = createRoutes({ channelAliases: new Map(), allowPrivateAddresses: false });
const byPath = new Map<string, Method[]>();
for (const { path, method } of routes) byPath.set(path, [...(byPath.get(path) ?? []), method]);

let api: TestApi;
let closed: TestApi;
beforeAll(async () => {
  const CORS_ORIGINS = new Set([LISTED, 'http://localhost:5173']);
  api = await openTestApi({ name: 'cors', env: { CORS_ORIGINS, BASE_PATH } });
  closed = await openTestApi({ name: 'cors_none', env: { BASE_PATH } });
}, 60_000);
afterAll(async () => {
  await api?.close();
  await closed?.close();
});

const namesOf = ({ headers }: Answer) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));
const listOf = (header: unknown) => String(header).split(', ').toSorted();
const pathOf = ({ path }: Pick<Route, 'path'>) => `${BASE_PATH}${path.replaceAll(/\{\w+\}/g, 'x')}`;
const preflight = (path: string, origin: string, method = 'GET') =>
  api.ask(path, {
    method: 'OPTIONS',
    key: null,
    headers: { Origin: origin, 'Access-Control-Request-Method': method },
  });

describe('a listed origin', () => {
  it.each([
    ['/comment', 200],
    ['/comment?nonsense=1', 400],
    ['/nowhere', 404],
    ['/openapi.json', 200],
    ['/docs', 200],
    [`/comment?x=${'y'.repeat(9_000)}`, 414],
  ] as const)('reads what %.20s answers', async (path, status) => {
    const answer = await api.ask(`${BASE_PATH}${path}`, { headers: { Origin: LISTED } });
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBe(LISTED);
    expect(listOf(answer.headers['access-control-expose-headers'])).toEqual(EXPOSED_HEADERS);
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    expect(listOf(answer.headers.vary)).toEqual(['Origin']);
  });

  it('is one among other things that an answer varies by', async () => {
    const options = { type: 'SOCIAL_ADS', account: '77', now: 1, historyDays: 30 } as const;
    const { link } = await seedLink(api.db, options);
    const query = `id=${link._id}&value=77&start=2026-11-01&end=2026-11-01`;
    const ask = () =>
      api.ask(`${BASE_PATH}/data/adAccount?${query}`, { headers: { Origin: LISTED } });
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(listOf(answer.headers.vary)).toEqual(['Accept', 'Accept-Encoding', 'Origin']);
  });

  it.each([...byPath])('may ask for %s whatever it has', async (path, methods) => {
    const answer = await preflight(pathOf({ path: path as Route['path'] }), LISTED, methods[0]);
    const allowed = methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]));
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers['access-control-allow-origin']).toBe(LISTED);
    expect(listOf(answer.headers['access-control-allow-methods'])).toEqual(allowed.toSorted());
    expect(answer.headers['access-control-allow-headers']).toBe(
      'Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-API-Key',
    );
    expect(Number(answer.headers['access-control-max-age'])).toBeGreaterThan(0);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(['/openapi.json', '/docs'])('may ask for %s', async (path) => {
    const answer = await preflight(`${BASE_PATH}${path}`, 'http://localhost:5173');
    expect([answer.status, answer.headers['access-control-allow-methods']]).toEqual([
      204,
      'GET, HEAD',
    ]);
  });

  it('gets no preflight for nothing, and OPTIONS alone is no preflight', async () => {
    expect((await preflight(`${BASE_PATH}/nowhere`, LISTED)).status).toBe(404);
    const headers = { Origin: LISTED };
    const answer = await api.ask(`${BASE_PATH}/comment`, { method: 'OPTIONS', headers });
    expect(answer.status).toBe(405);
  });
});

describe('an origin that is not listed', () => {
  it.each(FOREIGN)('%s learns nothing, and its preflight fails', async (origin) => {
    for (const path of ['/comment', '/openapi.json', '/nowhere']) {
      const answer = await api.ask(`${BASE_PATH}${path}`, { headers: { Origin: origin } });
      expect([namesOf(answer), answer.headers.vary]).toEqual([[], 'Origin']);
      const asked = await preflight(`${BASE_PATH}${path}`, origin);
      expect([namesOf(asked), asked.status >= 400]).toEqual([[], true]);
    }
  });
});

describe('without a list', () => {
  it('an Origin changes nothing', async () => {
    for (const path of ['/comment', '/comment?x=1', '/openapi.json', '/docs', '/nowhere']) {
      for (const method of ['GET', 'OPTIONS']) {
        const plain = await closed.ask(`${BASE_PATH}${path}`, { method });
        const headers = { Origin: LISTED, 'Access-Control-Request-Method': 'GET' };
        const answer = await closed.ask(`${BASE_PATH}${path}`, { method, headers });
        expect([answer.status, Object.keys(answer.headers)]).toEqual([
          plain.status,
          Object.keys(plain.headers),
        ]);
        expect([namesOf(answer), answer.headers.vary]).toEqual([[], undefined]);
      }
    }
  });
});

test('every header that the document tells of is exposed', () => {
  const { paths } = createDocument(routes, '') as {
    paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>;
  };
  const told = Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap(({ headers = {} }) => Object.keys(headers));
  expect(EXPOSED_HEADERS).toEqual(expect.arrayContaining([...new Set(told)]));
  expect(told).toContain('Link');
});
