import { gunzipSync } from 'node:zlib';
import { type Entity, type Figures, type ObservationRow, ProblemSchema } from '@tributary/shared';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';
import { readTable, textOfCell } from './testing/read-table.ts';
import { type Seed, seedLink } from './testing/seed.ts';

const now = Date.parse('2026-11-10T12:00:00Z');
const fetchedAt = Date.parse('2026-11-05T03:00:00Z');
const DAYS_HEADER =
  'date,dimension,value,impressions,clicks,conversions,amount,spend,reach,ppc,rimp,ctr,cpc,cpm\r\n';
const KEYWORDS = ['shoes, red', '12" pizza', '=HYPERLINK("x")', '-5', 'two\r\nlines', '운동화 👟'];
const MANY = 20_000;

const entities: Entity[] = [
  { level: 'a', id: '77', parent: '', title: 'Account', status: 'active' },
  { level: 'c', id: 'c1', parent: '77', title: 'Spring', status: 'active' },
  { level: 'c', id: 'c2', parent: '77', title: 'Quiet', status: 'paused' },
  { level: 'g', id: 'g1', parent: 'c1', title: 'Group', status: 'active' },
  { level: 'd', id: 'd1', parent: 'g1', title: 'Ad', status: 'active' },
];

let api: TestApi;
let ads: Seed;
let blog: Seed;

beforeAll(async () => {
  api = await openTestApi({ name: 'csv' });
  const seed = { now, historyDays: 9 };
  ads = await seedLink(api.db, { type: 'PORTAL2_KEYWORD', account: '77', entities, ...seed });
  blog = await seedLink(api.db, { type: 'PORTAL1_BLOG', account: 'my-blog', ...seed });
  await collectAds();
  await collectBlog();
}, 60_000);
afterAll(() => api?.close());

const figures = (impressions: number, spend = 0): Figures => [
  impressions,
  1,
  0,
  0,
  spend,
  impressions,
  null,
];

async function collectAds() {
  const collect = (source: string, day: string, rows: ObservationRow[]) =>
    ads.collect({ source, day, rows, fetchedAt });
  const words = KEYWORDS.map(
    (word, index): ObservationRow => [
      'c1',
      'g1',
      '',
      word,
      ...figures(100 - index, 9_007_199_254_740_991 - index),
    ],
  );
  const many = Array.from(
    { length: MANY },
    (_, index): ObservationRow => ['c1', 'g1', '', `keyword ${index}`, ...figures(1)],
  );
  for (const [day, keywords] of [
    ['2026-11-01', words],
    ['2026-11-02', []],
    ['2026-11-03', many],
  ] as const) {
    await collect('g-keyword', day, [...keywords]);
    await collect(
      'g-base',
      day,
      keywords.length > 0 ? [['c1', 'g1', '', '', ...figures(30_000)]] : [],
    );
    await collect('a-base', day, [['', '', '', '', ...figures(30_000)]]);
    await collect('c-base', day, [['c1', '', '', '', ...figures(30_000)]]);
    await collect('d-base', day, [['c1', 'g1', 'd1', '', ...figures(5, 2_500_000)]]);
  }
}

async function collectBlog() {
  await blog.collect({
    source: 'blog-days',
    set: 'blog',
    day: '2026-11-01',
    rows: [
      {
        pageViews: 100,
        visitors: 40,
        visits: 60,
        averageDurationSeconds: 30.5,
        referrers: [{ title: '@home', count: 3, detail: [{ title: 'a, b', count: 3 }] }],
        posts: [{ id: 'p1', title: 'Shoes', views: 90, type: 'post', writtenOn: '2026-10-01' }],
        neighbours: { mutual: 5, oneWay: 3, other: 52 },
      },
    ],
    fetchedAt,
  });
}

interface Asked {
  path: string;
  seed?: Seed;
  value?: string;
  range?: string;
}

function ask(
  { path, seed = ads, value, range = '2026-11-01/2026-11-02' }: Asked,
  headers: Record<string, string> = {},
  method = 'GET',
) {
  const [start, end = start] = range.split('/');
  const named = value === undefined ? '' : `&value=${value}`;
  const url = `/data/${path}?id=${seed.link._id}&start=${start}&end=${end}${named}`;
  return api.ask(url, { method, headers: { Accept: 'text/csv', ...headers } });
}

/** Does some work while the document of the first day of the ad group says otherwise. */
async function whileStored<T>(fields: object, work: () => Promise<T>): Promise<T> {
  const documents = api.db.db.collection('statDays');
  const day = { _id: { $regex: /\.g\.g1\.2026-11-01$/ } } as object;
  const { _id, ...before } = (await documents.findOne(day)) ?? {};
  await documents.updateOne(day, { $set: fields });
  try {
    return await work();
  } finally {
    await documents.updateOne(day, { $set: before });
  }
}

const adGroup = { path: 'adGroup', value: 'g1' };
const long = { ...adGroup, range: '2026-11-03' };
const all = (): [string, Asked][] => [
  ['adAccount', { path: 'adAccount', value: '77' }],
  ['campaign', { path: 'campaign', value: 'c1' }],
  ['adGroup', adGroup],
  ['ads', { path: 'ads', value: 'd1' }],
  ['blog-portal1', { path: 'blog-portal1', seed: blog, range: '2026-11-01' }],
];

describe('Accept: text/csv on /data', () => {
  it('sends a row for each total and entry, with the numbers of the JSON', async () => {
    const answer = await ask(adGroup);
    expect([answer.status, answer.text.startsWith(DAYS_HEADER)]).toEqual([200, true]);
    const rows = readTable(answer.text);
    expect(rows.map(({ date, dimension, value }) => [date, dimension, textOfCell(value)])).toEqual([
      ['2026-11-01', 'total', ''],
      ...KEYWORDS.map((word) => ['2026-11-01', 'keyword', word]),
      ['2026-11-01', 'keyword', 'unattributed'],
      ['2026-11-02', 'total', ''],
    ]);
    expect(rows[1]).toMatchObject({
      spend: '9007199254.740991',
      reach: '',
      rimp: '100',
      cpc: '9007199254.740991',
    });
    expect(rows.at(-1)).toMatchObject({ impressions: '0', reach: '', ppc: '0' });
    const json = await ask(adGroup, { Accept: 'application/json' });
    for (const { impressions, spend, cpm } of rows.slice(1, -2)) {
      expect(json.text).toContain(`{"impressions":${impressions},`);
      expect(json.text).toContain(`"spend":${spend},`);
      expect(json.text).toContain(`"cpm":${cpm}}`);
    }
  });

  it('sends an ad as one row, and a blog as a row for each figure', async () => {
    const ad = await ask({ path: 'ads', value: 'd1' });
    expect(ad.text).toBe(
      'date,impressions,clicks,conversions,amount,spend,reach,ppc,rimp,ctr,cpc,cpm\r\n' +
        '2026-11-01/2026-11-02,10,2,0,0,5,,2.5,10,20,2.5,500\r\n',
    );
    const answer = await ask({ path: 'blog-portal1', seed: blog, range: '2026-11-01' });
    expect(answer.text).toBe(
      [
        'date,section,metric,rank,title,detail,type,written_date,value',
        '2026-11-01,total,visit_pv_cnt,,,,,,100',
        '2026-11-01,total,uv_cnt,,,,,,40',
        '2026-11-01,total,visit_cnt,,,,,,60',
        '2026-11-01,total,average_duration,,,,,,30.5',
        "2026-11-01,referer,percent,,'@home,,,,100.0",
        `2026-11-01,referer_detail,percent,,'@home,"a, b",,,100.0`,
        '2026-11-01,rank_pv,views,1,Shoes,,post,2026-10-01,90',
        '2026-11-01,relation_dist,both_way_neighborhood,,,,,,5',
        '2026-11-01,relation_dist,one_way_neighborhood,,,,,,3',
        '2026-11-01,relation_dist,other,,,,,,52',
        '',
      ].join('\r\n'),
    );
  });

  it('tells the same of its figures as the JSON does, under an ETag and a file name of its own', async () => {
    for (const [name, question] of all()) {
      const tags = new Set<unknown>();
      const json = await ask(question, { Accept: '*/*' });
      tags.add(json.headers.etag);
      for (const encoding of ['gzip', 'identity']) {
        const headers = { 'Accept-Encoding': encoding };
        const answer = await ask(question, headers);
        for (const header of [
          'data-state',
          'data-as-of',
          'data-missing',
          'vary',
          'cache-control',
        ]) {
          expect([name, header, answer.headers[header]]).toEqual([
            name,
            header,
            json.headers[header],
          ]);
        }
        expect(answer.headers).toMatchObject({
          'content-type': 'text/csv; charset=utf-8; header=present',
          'content-length': String(answer.bytes.length),
        });
        expect(answer.headers['content-disposition']).toMatch(
          new RegExp(`^attachment; filename="${name}_[a-z0-9]+_2026-11-01(_2026-11-02)?\\.csv"$`),
        );
        expect(answer.headers['content-encoding']).toBe(encoding === 'gzip' ? 'gzip' : undefined);
        const etag = String(answer.headers.etag);
        tags.add(etag);
        const same = await ask(question, { ...headers, 'If-None-Match': etag });
        expect([name, same.status, same.text, same.headers.etag]).toEqual([name, 304, '', etag]);
        expect(same.headers['data-state']).toBe(json.headers['data-state']);
        const asJson = await ask(question, { ...headers, Accept: '*/*', 'If-None-Match': etag });
        expect(asJson.status).toBe(200);
        const head = await ask(question, headers, 'HEAD');
        const { date: _d, 'x-request-id': _r, ...told } = head.headers;
        const { date: _e, 'x-request-id': _s, ...sent } = answer.headers;
        expect([head.text, told]).toEqual(['', sent]);
      }
      expect([name, tags.size]).toEqual([name, 3]);
    }
  });

  it('a table of megabytes comes whole, in either encoding', async () => {
    const plain = await ask(long);
    const rows = readTable(plain.text);
    const keywords = new Set(rows.map(({ value }) => value));
    expect([rows.length, keywords.size]).toEqual([MANY + 2, MANY + 2]);
    expect(plain.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
    expect(plain.headers['content-length']).toBeUndefined();
    const zipped = await ask(long, { 'Accept-Encoding': 'gzip' });
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 4);
    const head = await ask(long, { 'Accept-Encoding': 'gzip' }, 'HEAD');
    expect([head.status, head.text, head.headers.etag]).toEqual([200, '', zipped.headers.etag]);
  });

  it('a day that is not collected has no row; without any the header line remains', async () => {
    const none = await ask({ ...adGroup, range: '2026-11-05/2026-11-06' });
    expect([none.status, none.text]).toEqual([200, DAYS_HEADER]);
    expect(none.headers).toMatchObject({
      'data-state': 'missing',
      'data-missing': 'days=2026-11-05..2026-11-06; count=2',
    });
    const some = await ask({ ...adGroup, range: '2026-11-02/2026-11-06' });
    expect(new Set(readTable(some.text).map(({ date }) => date)).size).toBe(2);
    expect(some.headers['data-state']).toBe('partial');
  });

  it('problems stay problems, and too much is too much', async () => {
    for (const [question, status, code] of [
      [{ ...adGroup, value: 'nobody' }, 404, 'entity_not_found'],
      [{ ...adGroup, range: '2026-11-31' }, 400, 'invalid_request'],
      [{ path: 'ads', value: 'd1', range: '2026-11-06' }, 409, 'not_collected'],
    ] as const) {
      const answer = await ask(question);
      expect([answer.status, ProblemSchema.parse(answer.json()).code]).toEqual([status, code]);
    }
    const large = await whileStored({ n: 65 * 1024 * 1024 }, () => ask(adGroup));
    expect([large.status, ProblemSchema.parse(large.json()).code]).toEqual([
      400,
      'range_too_large',
    ]);
  });

  it('a day that does not hold its text is an error, never a shorter table', async () => {
    const answer = await whileStored({ c: 1, h: 'another' }, () => ask(adGroup));
    expect([answer.status, ProblemSchema.parse(answer.json()).code]).toEqual([500, 'internal']);
  });
});

describe('what a client accepts', () => {
  it('is JSON for a browser and whoever has no preference', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    for (const accept of [browser, '*/*', 'application/*', 'application/json']) {
      const answer = await ask(adGroup, { Accept: accept });
      expect(answer.headers['content-type']).toBe('application/json');
    }
  });

  it('is refused where nothing fits, after the key and before any link', async () => {
    const question = {
      path: 'adGroup',
      value: 'g1',
      seed: { link: { _id: 'nosuchlink' } } as Seed,
    };
    const answer = await ask(question, { Accept: 'image/png' });
    const problem = ProblemSchema.parse(answer.json());
    expect([answer.status, problem.code]).toEqual([406, 'not_acceptable']);
    expect(problem.detail).toContain("'image/png'");
    expect(answer.headers.vary).toBe('Accept');
    const url = '/data/adGroup?id=x&start=2026-11-01&end=2026-11-01&value=g1';
    const stranger = await api.ask(url, { key: null, headers: { Accept: 'image/png' } });
    expect(stranger.status).toBe(401);
    const links = await api.ask('/link', { headers: { Accept: 'image/png' } });
    expect(links.status).toBe(200);
  });
});
