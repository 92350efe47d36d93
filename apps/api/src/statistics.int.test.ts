import { gunzipSync } from 'node:zlib';
import { accountKey, createLink, wantDiscovery } from '@tributary/database';
import {
  AdStatisticsSchema,
  BlogStatisticsSchema,
  type Entity,
  type Figures,
  ProblemSchema,
  StatisticsSchema,
} from '@tributary/shared';
import { type Answer, openTestApi, type TestApi } from './testing/open-test-api.ts';
import { type Seed, seedLink } from './testing/seed.ts';

const now = Date.parse('2026-11-10T12:00:00Z');
const at = (text: string) => Date.parse(text);

const entities: Entity[] = [
  { level: 'a', id: 'act_12-34', parent: '', title: 'Account', status: 'active' },
  { level: 'c', id: 'c1', parent: 'act_12-34', title: 'Spring', status: 'active' },
  { level: 'c', id: 'c2', parent: 'act_12-34', title: 'Quiet', status: 'paused' },
  { level: 'g', id: 'g1', parent: 'c1', title: 'Group', status: 'active' },
  { level: 'd', id: 'd.1', parent: 'g1', title: 'Ad', status: 'active' },
];

let api: TestApi;
let ads: Seed;
let blog: Seed;

beforeAll(async () => {
  api = await openTestApi({ name: 'statistics' });
  const { db } = api;
  const historyDays = 9; // wanted from 2026-11-01 on
  ads = await seedLink(db, {
    type: 'SOCIAL_ADS',
    account: 'act_12-34',
    now,
    historyDays,
    entities,
  });
  blog = await seedLink(db, { type: 'PORTAL1_BLOG', account: 'my-blog', now, historyDays });
  await collectAds();
  await collectBlog();
}, 60_000);
afterAll(() => api?.close());

const figures = (
  impressions: number,
  clicks: number,
  spend: number,
  reach: number | null,
): Figures => [impressions, clicks, 2_000_000, 61_500_000, spend, null, reach];

async function collectAds() {
  const fetchedAt = at('2026-11-05T03:00:00Z');
  const lists = ['age', 'gender', 'country', 'region', 'device', 'hour'] as const;
  for (const day of ['2026-11-01', '2026-11-02']) {
    for (const level of ['a', 'c'] as const) {
      const id = level === 'c' ? 'c1' : '';
      for (const list of lists) {
        const rows = list === 'age' && day === '2026-11-01' ? ageRows(id) : [];
        await ads.collect({ source: `${level}-${list}`, day, rows, fetchedAt });
      }
      await ads.collect({
        source: `${level}-base`,
        day,
        rows: day === '2026-11-01' ? [[id, '', '', '', ...figures(1200, 30, 14_250_000, 900)]] : [],
        fetchedAt,
      });
    }
    await ads.collect({
      source: 'd-base',
      day,
      rows: [['c1', 'g1', 'd.1', '', ...figures(1200, 30, 9_007_199_254_740_991, 900)]],
      fetchedAt,
    });
  }
  await ads.collect({
    source: 'c-base',
    day: '2026-11-04',
    rows: [['c1', '', '', '', ...figures(1, 0, 1, 1)]],
    fetchedAt: at('2026-11-05T04:00:00Z'),
  });
}

function ageRows(id: string): Parameters<Seed['collect']>[0]['rows'] {
  return [
    [id, '', '', 'unknown', 100, 0, 0, 0, 0, null, 50],
    [id, '', '', '25-34', 300, 10, 0, 0, 4_000_000, null, 200],
    [id, '', '', '18-24', 500, 10, 2_000_000, 61_500_000, 8_000_000, null, 400],
  ];
}

async function collectBlog() {
  const day = {
    pageViews: 100,
    visitors: 40,
    visits: 60,
    averageDurationSeconds: 30.5,
    referrers: [
      { id: 'search', title: 'Search', count: 70, detail: [{ title: 'shoes', count: 70 }] },
      { title: 'Direct', count: 30, detail: [] },
    ],
    posts: [{ id: 'p1', title: 'Shoes', views: 90, type: 'post', writtenOn: '2026-10-01' }],
    neighbours: { mutual: 5, oneWay: 3, other: 52 },
  };
  const set = 'blog' as const;
  const collect = (on: string, value: typeof day) =>
    blog.collect({
      source: 'blog-days',
      set,
      day: on,
      rows: [value],
      fetchedAt: at(`${on}T20:00:00Z`),
    });
  await collect('2026-11-01', day);
  await collect('2026-11-02', { ...day, visitors: 55, visits: 20, averageDurationSeconds: 10 });
}

function data(path: string, id: string, range: string, value?: string): string {
  const [start, end = start] = range.split('/');
  const named = value === undefined ? '' : `&value=${encodeURIComponent(value)}`;
  return `/data/${path}?id=${id}&start=${start}&end=${end}${named}`;
}

const askAds = (path: string, range: string, value: string, headers: Record<string, string> = {}) =>
  api.ask(data(path, ads.link._id, range, value), { headers });

function expectProblem(answer: Answer, status: number, code: string) {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
  const problem = ProblemSchema.parse(answer.json());
  expect(problem.code).toBe(code);
  return problem;
}

const ZERO =
  '{"impressions":0,"clicks":0,"conversions":0,"amount":0,"spend":0,"reach":0,"ppc":null,"rimp":null,"ctr":0,"cpc":0,"cpm":0}';
const LISTS = '"gender":[],"country":[],"region":[],"device":[],"hour":[]';

describe('GET /data/adAccount, /data/campaign, /data/adGroup', () => {
  it('sends the interface to the letter: fields, order, lists, unattributed last', async () => {
    const unattributed = (impressions: number, spend: string, rest: string) =>
      `{"impressions":${impressions},"clicks":10,"conversions":0,"amount":0,"spend":${spend},"reach":null,"ppc":null,"rimp":null,${rest}}`;
    const total =
      '{"impressions":1200,"clicks":30,"conversions":2,"amount":61.5,"spend":14.25,"reach":900,"ppc":null,"rimp":null,"ctr":2.5,"cpc":0.475,"cpm":11.875}';
    const lists = ['gender', 'country', 'region', 'device', 'hour'].map((list) => {
      const where = ['region', 'hour'].includes(list) ? 'null,"amount":null' : '2,"amount":61.5';
      return `"${list}":[{"${list}":"unattributed","data":{"impressions":1200,"clicks":30,"conversions":${where},"spend":14.25,"reach":null,"ppc":null,"rimp":null,"ctr":2.5,"cpc":0.475,"cpm":11.875}}]`;
    });
    const age =
      '{"age":"18-24","data":{"impressions":500,"clicks":10,"conversions":2,"amount":61.5,"spend":8,"reach":400,"ppc":null,"rimp":null,"ctr":2,"cpc":0.8,"cpm":16}},' +
      '{"age":"25-34","data":{"impressions":300,"clicks":10,"conversions":0,"amount":0,"spend":4,"reach":200,"ppc":null,"rimp":null,"ctr":3.333333,"cpc":0.4,"cpm":13.333333}},' +
      '{"age":"unknown","data":{"impressions":100,"clicks":0,"conversions":0,"amount":0,"spend":0,"reach":50,"ppc":null,"rimp":null,"ctr":0,"cpc":0,"cpm":0}},' +
      `{"age":"unattributed","data":${unattributed(300, '2.25', '"ctr":3.333333,"cpc":0.225,"cpm":7.5')}}`;
    const first = `{"date":"2026-11-01","total":${total},"age":[${age}],${lists.join(',')}}`;
    const second = `{"date":"2026-11-02","total":${ZERO},"age":[],${LISTS}}`;
    for (const [path, value] of [
      ['adAccount', 'act_12-34'],
      ['campaign', 'c1'],
    ] as const) {
      const both = await askAds(path, '2026-11-01/2026-11-02', value);
      expect(both.text).toBe(
        `{"date":"2026-11-01/2026-11-02","data":{"SOCIAL_ADS":[${first},${second}]}}`,
      );
      const one = await askAds(path, '2026-11-01', value);
      expect(one.text).toBe(`{"date":"2026-11-01","data":{"SOCIAL_ADS":[${first}]}}`);
      expect(StatisticsSchema.parse(both.json())).toBeDefined();
      expect(both.headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': String(both.bytes.length),
        'cache-control': 'private, no-cache',
        vary: 'Accept, Accept-Encoding',
        'data-state': 'provisional',
        'data-as-of': '2026-11-05T03:00:00.000Z',
      });
      expect(both.headers['data-missing']).toBeUndefined();
    }
  });

  it('knows an ad account with and without act_ and dashes, and by a campaign of it', async () => {
    const known = await askAds('adAccount', '2026-11-01', 'act_12-34');
    for (const value of ['1234', '12-34', 'act_1234', 'c1', 'c2']) {
      const answer = await askAds('adAccount', '2026-11-01', value);
      expect(answer.text).toBe(known.text);
    }
  });

  it('an entity of another level is 404 entity_not_found', async () => {
    for (const [path, value] of [
      ['adAccount', 'g1'],
      ['campaign', 'act_12-34'],
      ['campaign', 'g1'],
      ['adGroup', 'c1'],
      ['ads', 'g1'],
    ] as const) {
      expectProblem(await askAds(path, '2026-11-01', value), 404, 'entity_not_found');
    }
  });

  it('leaves days out that are not collected, and names them', async () => {
    const answer = await askAds('campaign', '2026-11-01/2026-11-06', 'c1');
    const { data: body } = answer.json() as { data: { SOCIAL_ADS: { date: string }[] } };
    expect(body.SOCIAL_ADS.map(({ date }) => date)).toEqual([
      '2026-11-01',
      '2026-11-02',
      '2026-11-04',
    ]);
    expect(answer.headers['data-state']).toBe('partial');
    const lists = ['age', 'gender', 'country', 'region', 'device', 'hour'];
    const missing = `days=2026-11-03, days=2026-11-05..2026-11-06, ${lists.map((list) => `${list}=2026-11-04`).join(', ')}; count=9`;
    expect(answer.headers['data-missing']).toBe(missing);
  });

  it('counts neither the future nor days before the first wanted one as missing', async () => {
    const future = await askAds('campaign', '2026-11-11/2026-12-01', 'c1');
    expect(future.text).toBe('{"date":"2026-11-11/2026-12-01","data":{"SOCIAL_ADS":[]}}');
    expect(future.headers['data-state']).toBe('missing');
    expect(future.headers['data-missing']).toBeUndefined();
    const early = await askAds('campaign', '2026-10-01/2026-11-02', 'c1');
    expect(early.headers['data-state']).toBe('provisional');
  });

  it('nothing collected is 200 with an empty list and Data-State missing', async () => {
    const answer = await askAds('adGroup', '2026-11-03', 'g1');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('{"date":"2026-11-03","data":{"SOCIAL_ADS":[]}}');
    expect(answer.headers).toMatchObject({
      'data-state': 'missing',
      'data-missing': 'days=2026-11-03; count=1',
    });
    expect(answer.headers['data-as-of']).toBeUndefined();
  });

  it('a campaign without delivery has days of zeros', async () => {
    const answer = await askAds('campaign', '2026-11-01', 'c2');
    expect(answer.text).toBe(
      `{"date":"2026-11-01","data":{"SOCIAL_ADS":[{"date":"2026-11-01","total":${ZERO},"age":[],${LISTS}}]}}`,
    );
  });

  it('gzip is one member of the same bytes, and HEAD is the same without them', async () => {
    for (const range of ['2026-11-01/2026-11-06', '2026-11-01', '2026-11-03']) {
      const plain = await askAds('campaign', range, 'c1', { 'Accept-Encoding': 'identity' });
      const zipped = await askAds('campaign', range, 'c1', { 'Accept-Encoding': 'br, gzip;q=0.5' });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(zipped.headers['content-encoding']).toBe('gzip');
      expect(zipped.headers['content-length']).toBe(String(zipped.bytes.length));
      expect(gunzipSync(zipped.bytes).toString()).toBe(plain.text);
      const path = data('campaign', ads.link._id, range, 'c1');
      const head = await api.ask(path, { method: 'HEAD', headers: { 'Accept-Encoding': 'gzip' } });
      expect(head.bytes.length).toBe(0);
      const { date: _d, 'x-request-id': _r, ...rest } = head.headers;
      const { date: _e, 'x-request-id': _s, ...of } = zipped.headers;
      expect(rest).toEqual(of);
    }
  });

  it('the ETag differs per encoding, entity and range; 304 carries the headers and no body', async () => {
    const tags = new Set<string>();
    for (const headers of [{ 'Accept-Encoding': 'gzip' }, { 'Accept-Encoding': 'gzip;q=0' }]) {
      for (const value of ['c1', 'c2']) {
        for (const range of ['2026-11-01', '2026-11-01/2026-11-02']) {
          const answer = await askAds('campaign', range, value, headers);
          const etag = String(answer.headers.etag);
          expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
          tags.add(etag);
          for (const sent of [etag, `"x", ${etag.slice(2)}`, '*']) {
            const same = await askAds('campaign', range, value, {
              ...headers,
              'If-None-Match': sent,
            });
            expect(same.status).toBe(304);
            expect(same.bytes.length).toBe(0);
            for (const name of ['etag', 'vary', 'cache-control', 'data-state', 'data-as-of']) {
              expect(same.headers[name]).toBe(answer.headers[name]);
            }
          }
        }
      }
    }
    expect(tags.size).toBe(8);
  });

  it('a changed day changes the ETag of what holds it', async () => {
    const day = '2026-11-09';
    const collect = (impressions: number) =>
      ads.collect({
        source: 'g-base',
        day,
        rows: [['c1', 'g1', '', '', ...figures(impressions, 0, 0, 0)]],
        fetchedAt: at('2026-11-10T03:00:00Z') + impressions,
      });
    await collect(10);
    const before = await askAds('adGroup', day, 'g1');
    await collect(11);
    const headers = { 'If-None-Match': String(before.headers.etag) };
    const after = await askAds('adGroup', day, 'g1', headers);
    expect(after.status).toBe(200);
    expect(after.text).toBe(before.text.replaceAll('"impressions":10', '"impressions":11'));
  });

  it('refuses an answer above 64 MB and names the last end that fits', async () => {
    const day = (of: number) => `2026-10-0${of}`;
    for (const one of [1, 2, 3, 4, 5]) {
      const rows: Parameters<Seed['collect']>[0]['rows'] = [
        ['c1', 'g1', '', '', ...figures(one, 0, 0, 0)],
      ];
      await ads.collect({ source: 'g-base', day: day(one), rows, fetchedAt: now });
    }
    // Only the length that the documents name is large.
    await api.db.db
      .collection('statDays')
      .updateMany({ _id: { $regex: /\.g\.g1\.2026-10/ } } as object, {
        $set: { n: 20 * 1024 * 1024 },
      });
    const answer = await askAds('adGroup', `${day(1)}/${day(5)}`, 'g1');
    const { detail, errors } = expectProblem(answer, 400, 'range_too_large');
    expect(detail).toContain('2026-10-03');
    expect(errors[0]).toMatchObject({ in: 'query', name: 'end' });
  });

  it('PORTAL1_SEARCH_AD has no account level yet: 501, after wrong links and before unknown values', async () => {
    const link = { tenant: 'test', type: 'PORTAL1_SEARCH_AD', title: 'x', tag: '' } as const;
    const { _id } = await createLink(api.db, { ...link, settings: {}, now });
    expectProblem(
      await api.ask(data('adAccount', _id, '2026-11-01', 'x')),
      501,
      'not_yet_available',
    );
    expectProblem(await api.ask(data('campaign', _id, '2026-11-01', 'x')), 404, 'entity_not_found');
  });
});

describe('GET /data/ads', () => {
  it('sums the collected days exactly, beyond 2^53, without ever adding reach', async () => {
    const answer = await askAds('ads', '2026-11-01/2026-11-03', 'd.1');
    expect(answer.text).toBe(
      '{"date":"2026-11-01/2026-11-03","data":{"impressions":2400,"clicks":60,"conversions":4,"amount":123,"spend":18014398509.481982,' +
        '"reach":null,"ppc":null,"rimp":null,"ctr":2.5,"cpc":300239975.158033,"cpm":7505999378.950826}}',
    );
    expect(answer.headers).toMatchObject({
      'data-state': 'partial',
      'data-missing': 'days=2026-11-03; count=1',
    });
    expect(AdStatisticsSchema.parse(answer.json())).toBeDefined();
  });

  it('a single day is exact, with its reach', async () => {
    const answer = await askAds('ads', '2026-11-01', 'd.1');
    expect(answer.text).toContain('"spend":9007199254.740991,"reach":900,');
    const etag = String(answer.headers.etag);
    const same = await askAds('ads', '2026-11-01', 'd.1', { 'If-None-Match': etag });
    expect(same.status).toBe(304);
  });

  it('nothing collected is 409 not_collected, with Retry-After while it is planned', async () => {
    const planned = await askAds('ads', '2026-11-03', 'd.1');
    expectProblem(planned, 409, 'not_collected');
    expect(planned.headers).toMatchObject({ 'data-state': 'missing', 'retry-after': '1' });
    const never = await askAds('ads', '2026-10-03', 'd.1');
    expectProblem(never, 409, 'not_collected');
    expect(never.headers['retry-after']).toBeUndefined();
  });

  it('days before and after a change of currency are not added', async () => {
    const _id = accountKey(ads.link._id, 'act_12-34');
    const accounts = api.db.db.collection<{ _id: string }>('accounts');
    await accounts.updateOne({ _id }, { $set: { frozenBefore: '2026-11-02' } });
    expectProblem(await askAds('ads', '2026-11-01/2026-11-02', 'd.1'), 409, 'conflict');
    expect((await askAds('ads', '2026-11-01', 'd.1')).status).toBe(200);
    await accounts.updateOne({ _id }, { $unset: { frozenBefore: '' } });
  });
});

describe('GET /data/blog-portal1', () => {
  it('combines the days of the range', async () => {
    const answer = await api.ask(data('blog-portal1', blog.link._id, '2026-11-01/2026-11-02'));
    expect(BlogStatisticsSchema.parse(answer.json())).toEqual(answer.json());
    expect(answer.text).toBe(
      '{"date":"2026-11-01/2026-11-02","data":{"visit_pv_cnt":200,"uv_cnt":55,"visit_cnt":80,' +
        '"referer":[{"title":"Search","percent":"70.0","detail":[{"title":"shoes","percent":"100.0"}]},{"title":"Direct","percent":"30.0","detail":[]}],' +
        '"rank_pv":[{"rank":1,"title":"Shoes","views":180,"type":"post","date":"2026-10-01"}],' +
        '"average_duration":25.4,"relation_dist":{"both_way_neighborhood":10,"one_way_neighborhood":6,"other":104}}}',
    );
    expect(answer.headers['data-state']).toBe('provisional');
  });

  it('nothing collected is 409 not_collected, also before the blog is known', async () => {
    const answer = await api.ask(data('blog-portal1', blog.link._id, '2026-11-05'));
    expectProblem(answer, 409, 'not_collected');
    const link = { tenant: 'test', type: 'PORTAL1_BLOG', title: 'x', tag: '' } as const;
    const created = await createLink(api.db, { ...link, settings: {}, now });
    await wantDiscovery(api.db, created, now + 30_000);
    const unknown = await api.ask(data('blog-portal1', created._id, '2026-11-05'));
    expectProblem(unknown, 409, 'not_collected');
    expect(unknown.headers).toMatchObject({ 'retry-after': '30', 'data-state': 'missing' });
  });
});
