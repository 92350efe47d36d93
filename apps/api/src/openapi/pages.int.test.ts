import { openTestApi, type TestApi } from '../testing/open-test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ name: 'pages', env: { BASE_PATH: '/v1' } });
}, 60_000);
afterAll(() => api.close());

test('the document is there for everybody and knows where the API lies', async () => {
  const answer = await api.ask('/v1/openapi.json', { key: null });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
  expect(answer.json()).toMatchObject({ openapi: '3.1.1', servers: [{ url: '/v1' }] });
});

test('the page tells every operation and loads nothing', async () => {
  const answer = await api.ask('/v1/docs', { key: null });
  expect([answer.status, answer.headers['content-type']]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  expect(answer.headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-/,
  );
  const { paths } = (await api.ask('/v1/openapi.json')).json() as { paths: object };
  for (const path of Object.keys(paths)) expect(answer.text).toContain(`<code>${path}</code>`);
  expect(answer.text).not.toMatch(/<(script|img|iframe|link)|url\(|https?:\/\//);
});

test.each(['/v1/docs', '/v1/openapi.json'])(
  '%s has a head, and takes nothing else',
  async (path) => {
    const head = await api.ask(path, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(1_000);
    expect((await api.ask(path, { method: 'POST' })).status).toBe(405);
    expect((await api.ask(`${path}/`)).status).toBe(404);
    expect((await api.ask(path, { body: 'x' })).status).toBe(400);
  },
);
