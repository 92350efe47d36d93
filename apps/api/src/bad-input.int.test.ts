import { createLink, type Database } from '@tributary/database';
import { type Problem, ProblemSchema } from '@tributary/shared';
import type { z } from 'zod';
import type { Route } from './http/define-route.ts';
import { createRoutes } from './routes.ts';
import {
  type Answer,
  type AskOptions,
  openTestApi,
  type TestApi,
} from './testing/open-test-api.ts';
import { MADE_UP_IDS, requestOf, type Values, valuesOf } from './testing/route-request.ts';

const routes = createRoutes({ channelAliases: new Map(), allowPrivateAddresses: false });

let api: TestApi;
let before: string;
/** Nothing but the links exists. */
let ids = MADE_UP_IDS;

beforeAll(async () => {
  api = await openTestApi({ name: 'bad_input' });
  const ads = await addLink(api.db, 'SOCIAL_ADS');
  const blog = await addLink(api.db, 'PORTAL1_BLOG');
  ids = { ...ids, 'social link': ads, 'feed link': ads, 'blog link': blog };
  before = JSON.stringify(await api.dump());
});
afterAll(() => api?.close());

async function addLink(db: Database, type: 'SOCIAL_ADS' | 'PORTAL1_BLOG'): Promise<string> {
  const link = { tenant: 'test', type, title: type, tag: '', settings: {}, now: 1 };
  return (await createLink(db, link))._id;
}

const goodRequest = (route: Route, more: Values = {}) =>
  requestOf(route, { ...valuesOf(route, ids), ...more });
const goodBody = (route: Route) =>
  JSON.parse(goodRequest(route).body ?? '{}') as Record<string, unknown>;

function shapeOf(route: Route): Record<string, z.ZodType> {
  return (route.query as z.ZodObject).shape as Record<string, z.ZodType>;
}

function parametersOf(route: Route): string[] {
  return Object.keys(shapeOf(route));
}

/** Asks with a good request of the route, changed by the case. */
function askRoute(
  route: Route,
  change: { query?: Record<string, string | undefined>; raw?: string; body?: unknown } = {},
  options: AskOptions = {},
): Promise<Answer> {
  const query = Object.entries(change.query ?? {}).map(([name, value]) => [`query.${name}`, value]);
  const { path, ...request } = goodRequest(route, Object.fromEntries(query));
  const raw = change.raw === undefined ? '' : `${path.includes('?') ? '&' : '?'}${change.raw}`;
  return api.ask(`${path}${raw}`, {
    ...request,
    ...('body' in change && { body: JSON.stringify(change.body) }),
    ...options,
    headers: { ...request.headers, ...options.headers },
  });
}

function expectProblem(answer: Answer, status: number, code: string): Problem {
  expect({ status: answer.status, body: answer.text }).toMatchObject({ status });
  expect(answer.headers['content-type']).toBe('application/problem+json');
  const problem = ProblemSchema.parse(answer.json());
  expect(problem).toMatchObject({ status, code, requestId: answer.headers['x-request-id'] });
  return problem;
}

/** The answer is 400 and names the parameter and what was sent. */
function expectInvalid(answer: Answer, name: string, ...words: string[]): void {
  const { errors } = expectProblem(answer, 400, 'invalid_request');
  const found = errors.filter((error) => error.name === name);
  expect({ errors, names: found.map((error) => error.name) }).toMatchObject({ names: [name] });
  for (const word of words) expect(found[0]?.message).toContain(word);
}

const named = routes.map((route) => ({ name: `${route.method} ${route.path}`, route }));
const withParameters = named.flatMap(({ name, route }) =>
  parametersOf(route).map((parameter) => ({ name: `${name} ${parameter}`, route, parameter })),
);
const ofParameters = (...wanted: string[]) =>
  withParameters.filter(({ parameter }) => wanted.includes(parameter));
const withBody = named.filter(({ route }) => route.body !== undefined);
const withoutBody = named.filter(({ route }) => !route.body && !route.upload);

describe('query parameters', () => {
  const required = withParameters.filter(
    ({ route, parameter }) => !shapeOf(route)[parameter]?.safeParse(undefined).success,
  );
  it.each(required)('$name: missing is 400 and named', async ({ route, parameter }) => {
    expectInvalid(
      await askRoute(route, { query: { [parameter]: undefined } }),
      parameter,
      'Missing',
    );
  });

  it.each(withParameters)(
    '$name: twice is 400 "must appear once"',
    async ({ route, parameter }) => {
      const answer = await askRoute(route, {
        query: { [parameter]: 'a' },
        raw: `${parameter}=b`,
      });
      expectInvalid(answer, parameter, 'must appear once');
    },
  );

  const filled = withParameters.filter(
    ({ route, parameter }) => !shapeOf(route)[parameter]?.safeParse('').success,
  );
  it.each(filled.filter(({ parameter }) => parameter !== 'cursor'))(
    '$name: empty is 400 and named',
    async ({ route, parameter }) => {
      expectInvalid(await askRoute(route, { query: { [parameter]: '' } }), parameter, "''");
    },
  );

  it.each(named)('$name: unknown ones are 400 and named', async ({ route }) => {
    expectInvalid(await askRoute(route, { raw: 'surprise=17' }), 'surprise', "'surprise'");
    expectInvalid(await askRoute(route, { raw: 'id[$ne]=x' }), 'id[$ne]', "'id[$ne]'");
    expectInvalid(await askRoute(route, { raw: '__proto__=x' }), '__proto__');
    expectInvalid(await askRoute(route, { raw: 'constructor=x' }), 'constructor');
  });

  it.each(named)('$name: bytes that are no UTF-8 are 400', async ({ route }) => {
    expectInvalid(await askRoute(route, { raw: 'odd=%ff' }), 'odd', '%ff');
    expectInvalid(await askRoute(route, { raw: 'odd=%' }), 'odd', '%');
  });

  it.each(withParameters)('$name: NUL is 400 and named', async ({ route, parameter }) => {
    expectInvalid(await askRoute(route, { query: { [parameter]: 'a\0b' } }), parameter);
  });

  const notFreeText = withParameters.filter(
    ({ parameter }) => parameter !== 'title' && parameter !== 'tag',
  );
  it.each(notFreeText)(
    '$name: an operator is plain text that fits nothing',
    async ({ route, parameter }) => {
      const answer = await askRoute(route, { query: { [parameter]: '{"$gt":""}' } });
      const isEmptyList = answer.status === 200 && answer.text === '[]';
      expect(isEmptyList || [400, 404].includes(answer.status)).toBe(true);
    },
  );

  it.each(ofParameters('start', 'end'))(
    '$name: what is no date is 400',
    async ({ route, parameter }) => {
      for (const day of [
        '2026-02-29',
        '2026-13-01',
        '2026-11-31',
        '0000-01-01',
        '9999-12-31',
        '+010000-01-01',
        '2026-1-1',
        '20261101',
        '2026-11-01T00:00:00Z',
        ' 2026-11-01',
        'today',
      ]) {
        const answer = await askRoute(route, { query: { [parameter]: day } });
        expectInvalid(answer, parameter, `'${day}'`, 'YYYY-MM-DD');
      }
    },
  );

  it.each(ofParameters('end'))(
    '$name: before start, or more than 400 days, is 400',
    async ({ route }) => {
      const ask = (start: string, end: string) => askRoute(route, { query: { start, end } });
      expectInvalid(await ask('2026-11-02', '2026-11-01'), 'end', "'2026-11-01'", "'2026-11-02'");
      expectInvalid(await ask('2025-01-01', '2026-02-05'), 'end', '400 days', '401');
      expect((await ask('2025-01-01', '2026-02-04')).status).not.toBe(400);
    },
  );

  it.each(ofParameters('limit'))('$name: outside of 1 to 500 is 400', async ({ route }) => {
    for (const limit of ['0', '-1', '501', '1e9', 'NaN', '1.5', '007']) {
      expectInvalid(await askRoute(route, { query: { limit } }), 'limit', `'${limit}'`);
    }
  });

  it.each(ofParameters('cursor'))('$name: forged or foreign is 400', async ({ route }) => {
    const foreign = Buffer.from('["other","campaign","","1"]').toString('base64url');
    for (const cursor of ['x', 'W10', foreign, '{"$gt":""}']) {
      expectInvalid(await askRoute(route, { query: { cursor } }), 'cursor');
    }
  });

  it('more than fifty are 400', async () => {
    const many = Array.from({ length: 1000 }, (_, index) => `p${index}=`).join('&');
    expectProblem(await api.ask(`/link?${many}`), 400, 'invalid_request');
  });
});

describe('path parameters', () => {
  const withParams = named.flatMap(({ name, route }) =>
    Array.from(route.path.matchAll(/\{(\w+)\}/g), ([place, parameter = '']) => ({
      name: `${name} ${parameter}`,
      parameter,
      ask: (segment: string) =>
        api.ask(route.path.replace(place, segment), { method: route.method }),
    })),
  );

  it.each(withParams)('$name: unknown ones and operators are 404 and quoted', async ({ ask }) => {
    for (const value of ['x', '{"$gt":""}', '[$ne]', '../link', '한국', '__proto__', '%']) {
      const answer = await ask(encodeURIComponent(value));
      expect(expectProblem(answer, 404, 'not_found').detail).toContain(`'${value}'`);
    }
  });

  it.each(withParams)('$name: NUL and what is too long are 400 and named', async (given) => {
    expectInvalid(await given.ask('a%00b'), given.parameter, 'path.');
    expectInvalid(await given.ask('x'.repeat(201)), given.parameter, 'at most 200');
  });

  it.each(withParams)('$name: bytes that are no UTF-8 are 400, none is 404', async ({ ask }) => {
    for (const bytes of ['%ff', '%', '%c0%ae']) {
      expectProblem(await ask(bytes), 400, 'invalid_request');
    }
    expectProblem(await ask(''), 404, 'not_found');
  });
});

describe('ids', () => {
  it.each(ofParameters('id'))('$name: unknown is 404 link_not_found', async ({ route }) => {
    const answer = await askRoute(route, { query: { id: 'nosuchlink' } });
    expect(expectProblem(answer, 404, 'link_not_found').detail).toContain("'nosuchlink'");
  });

  it.each(ofParameters('id'))("$name: another tenant's is the same 404", async ({ route }) => {
    const key = await api.createKey('other');
    const own = expectProblem(await askRoute(route, {}, { key }), 404, 'link_not_found');
    const id = route.path === '/data/blog-portal1' ? ids['blog link'] : ids['social link'];
    expect(own.detail).toContain(id);
  });

  const data = named.filter(({ route }) => route.path.startsWith('/data/'));
  it.each(data)('$name: a link of the other kind is 409 wrong_channel', async ({ route }) => {
    const id = route.path === '/data/blog-portal1' ? ids['social link'] : ids['blog link'];
    expectProblem(await askRoute(route, { query: { id } }), 409, 'wrong_channel');
  });

  it.each(data.filter(({ route }) => parametersOf(route).includes('value')))(
    '$name: an unknown value is 404 entity_not_found',
    async ({ route }) => {
      expectProblem(await askRoute(route), 404, 'entity_not_found');
    },
  );
});

describe('bodies', () => {
  const fields = withBody.flatMap(({ name, route }) =>
    Object.keys(goodBody(route)).map((field) => ({ name: `${name} ${field}`, route, field })),
  );
  const optional = ['tag', 'settings', 'paused', 'historyDays'];

  it.each(fields.filter(({ field }) => !optional.includes(field)))(
    '$name: missing is 400 and named',
    async ({ route, field }) => {
      const { [field]: _, ...body } = goodBody(route);
      expectInvalid(await askRoute(route, { body }), field);
    },
  );

  it.each(fields)(
    '$name: an operator or another type is 400 and named',
    async ({ route, field }) => {
      const good = goodBody(route);
      for (const value of [{ $gt: '' }, [], true, null, { 'a.b': 1 }]) {
        if (value === good[field]) continue;
        const answer = await askRoute(route, { body: { ...good, [field]: value } });
        const { errors } = expectProblem(answer, 400, 'invalid_request');
        expect(errors.some(({ name }) => name === field || name.startsWith(`${field}.`))).toBe(
          true,
        );
      }
    },
  );

  it.each(withBody)('$name: unknown and read-only fields are 400 and named', async ({ route }) => {
    for (const field of ['surprise', 'tenant', '_id', 'createdAt', '$where', 'constructor']) {
      const answer = await askRoute(route, { body: { ...goodBody(route), [field]: '1' } });
      expectInvalid(answer, field, field);
    }
  });

  it.each(withBody)('$name: what is no JSON object in UTF-8 is 400', async ({ route }) => {
    const good = JSON.stringify(goodBody(route));
    const [first = ''] = Object.keys(goodBody(route));
    const bodies = [
      '',
      '{',
      '""',
      'null',
      '[]',
      `${good}x`,
      good.replace(/}$/, `,"${first}":"again"}`),
      good.replace(/}$/, ',"__proto__":{"admin":true}}'),
      `{"x":${'['.repeat(1000)}${']'.repeat(1000)}}`,
      `\uFEFF${good}`,
      Buffer.concat([Buffer.from(good.slice(0, -1)), Buffer.from([0xff])]),
    ];
    for (const body of bodies) {
      expectProblem(await askRoute(route, {}, { body }), 400, 'invalid_request');
    }
  });

  it.each(withBody)('$name: a key twice is 400 and named', async ({ route }) => {
    const [first = ''] = Object.keys(goodBody(route));
    const body = JSON.stringify(goodBody(route)).replace(/}$/, `,"\\u00${hex(first)}":"again"}`);
    expectInvalid(await askRoute(route, {}, { body }), first, 'twice');
  });

  it.each(withBody)('$name: another media type, charset or coding is 415', async ({ route }) => {
    for (const headers of [
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      { 'Content-Type': 'application/json; charset=euc-kr' },
      { 'Content-Type': 'application/jsonp' },
      { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
    ]) {
      expectProblem(await askRoute(route, {}, { headers }), 415, 'unsupported_media_type');
    }
  });

  const withSmallBody = named.filter(({ route }) => !route.upload);
  it.each(withSmallBody)('$name: more than 64 KB is 413, declared or not', async ({ route }) => {
    const body = 'x'.repeat(64 * 1024 + 1);
    expectProblem(await askRoute(route, {}, { body }), 413, 'payload_too_large');
    const headers = { 'Transfer-Encoding': 'chunked' };
    expectProblem(await askRoute(route, {}, { body, headers }), 413, 'payload_too_large');
  });

  it.each(withoutBody)('$name: any body is 400', async ({ route }) => {
    expectProblem(await askRoute(route, {}, { body: '{}' }), 400, 'invalid_request');
    const headers = { 'Transfer-Encoding': 'chunked' };
    expectProblem(await askRoute(route, {}, { body: '{}', headers }), 400, 'invalid_request');
  });

  it('POST /refresh: takes exactly one of id, tag and type', async () => {
    const ask = (body: object) =>
      api.ask('/refresh', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json' },
      });
    expectInvalid(await ask({}), 'id', 'exactly one of id, tag, type');
    expectInvalid(await ask({ id: 'x', tag: 'y' }), 'tag', "'y'", 'nothing beside id');
    expectInvalid(await ask({ tag: 'y', type: 'SOCIAL_ADS' }), 'type', 'nothing beside tag');
    expectInvalid(await ask({ tag: { $gt: '' } }), 'tag');
    expectInvalid(await ask({ type: 'SOCIAL' }), 'type', "'SOCIAL'", 'SOCIAL_ADS');
    expectProblem(await ask({ id: 'x' }), 404, 'link_not_found');
    expectProblem(await ask({ tag: 'y' }), 404, 'link_not_found');
    expectProblem(await ask({ type: 'PORTAL1_DA' }), 404, 'link_not_found');
    const key = await api.createKey('other');
    const foreign = { method: 'POST', key, headers: { 'Content-Type': 'application/json' } };
    for (const body of [{ id: ids['social link'] }, { type: 'SOCIAL_ADS' }, { tag: '' }]) {
      const answer = await api.ask('/refresh', { ...foreign, body: JSON.stringify(body) });
      expectProblem(answer, 404, 'link_not_found');
    }
  });

  it('POST /refresh: a range is two dates in order, of at most 400 days', async () => {
    const route = named.find(({ name }) => name === 'POST /refresh')?.route;
    if (!route) throw new Error('No such route');
    const ask = (start: string, end?: string) =>
      askRoute(route, { body: { id: ids['social link'], start, end } });
    for (const day of ['2026-02-29', '2026-13-01', '20261101', 'today', '']) {
      expectInvalid(await ask(day, '2026-11-02'), 'start', 'YYYY-MM-DD');
      expectInvalid(await ask('2026-11-01', day), 'end', 'YYYY-MM-DD');
    }
    expectInvalid(await ask('2026-11-02', '2026-11-01'), 'end', "'2026-11-01'", "'2026-11-02'");
    expectInvalid(await ask('2025-01-01', '2026-02-05'), 'end', '400 days', '401');
    expectInvalid(await ask('2026-11-01'), 'end', 'with start');
  });

  it('secrets are quoted in no error', async () => {
    const secret = 'hunter2canary';
    for (const credentials of [
      { accessToken: [secret] },
      { accessToken: 'x', appSecret: { [secret]: secret } },
      { accessToken: 'x', surprise: secret },
      secret,
    ]) {
      const answer = await api.ask('/link', {
        method: 'POST',
        body: JSON.stringify({ type: 'SOCIAL_ADS', title: 'Shop', tag: 'shoes', credentials }),
        headers: { 'Content-Type': 'application/json' },
      });
      expectProblem(answer, 400, 'invalid_request');
      expect(answer.text).not.toContain(secret);
    }
  });
});

function hex(text: string): string {
  return `${text.charCodeAt(0).toString(16)}${text.slice(1)}`;
}

describe('keys', () => {
  it.each(named)('$name: every kind of bad key is the same 401', async ({ route }) => {
    const keys = [null, 'x', 'trb_x', `trb_${'a'.repeat(16)}_${'a'.repeat(52)}_${'a'.repeat(7)}`];
    const answers = await Promise.all(keys.map((key) => askRoute(route, {}, { key })));
    const bodies = answers.map((answer) => {
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      return { ...expectProblem(answer, 401, 'unauthenticated'), requestId: '' };
    });
    for (const body of bodies) expect(body).toEqual(bodies[0]);
  });

  it.each(named)('$name: a key without the scope is 403', async ({ route }) => {
    const key = await api.createKey('test', [route.scope === 'read' ? 'write' : 'read']);
    expectProblem(await askRoute(route, {}, { key }), 403, 'forbidden');
  });

  it.each(named)('$name: a bad request without a key is 400', async ({ route }) => {
    expectProblem(await askRoute(route, { raw: 'odd=1' }, { key: null }), 400, 'invalid_request');
  });
});

describe('paths and methods', () => {
  const pathOf = ({ path }: Route) => path.replaceAll(/\{\w+\}/g, 'nosuchthing');
  const paths = [...new Set(routes.map(pathOf))];

  it.each(paths)('%s is exact', async (path) => {
    for (const odd of [`${path}/`, `/${path}`, path.toUpperCase(), `${path}/x`, `${path};a`]) {
      expectProblem(await api.ask(odd), 404, 'not_found');
    }
  });

  it.each(paths)('%s refuses other methods with Allow', async (path) => {
    const methods = routes.filter((route) => pathOf(route) === path).map(({ method }) => method);
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      if (methods.some((one) => one === method)) continue;
      const answer = await api.ask(path, { method });
      expectProblem(answer, 405, 'method_not_allowed');
      const allowed = answer.headers.allow?.split(', ').filter((one) => one !== 'HEAD');
      expect(allowed?.sort()).toEqual([...methods].sort());
    }
  });

  it('a malformed path is 400, never 500', async () => {
    for (const path of ['/link%', '/%ff', '/data/%zz']) {
      expectProblem(await api.ask(path), 400, 'invalid_request');
    }
  });

  it('an address of more than 8 KB is 414, headers of more than 16 KB are 431', async () => {
    expectProblem(await api.ask(`/link?tag=${'x'.repeat(9000)}`), 414, 'uri_too_long');
    const answer = await api.ask('/link', { headers: { 'X-Long': 'x'.repeat(20_000) } });
    expect(answer.status).toBe(431);
    expect(ProblemSchema.parse(answer.json())).toMatchObject({ code: 'headers_too_large' });
  });
});

it('nothing of all that was stored', async () => {
  const after = await api.dump();
  const { apiKeys: _keys, ...rest } = after;
  const { apiKeys: _before, ...known } = JSON.parse(before) as typeof after;
  expect(JSON.parse(JSON.stringify(rest))).toEqual(known);
});
