import { RetryableError } from '@tributary/runtime';
import { CHANNELS, type ObservationRow, seal } from '@tributary/shared';
import {
  ACCOUNT,
  access,
  fixture,
  NOW,
  row,
  usePortal2Display,
} from '../testing/portal2-display.ts';
import { json } from '../testing/scripted-server.ts';

const display = usePortal2Display();
const HOUR_MS = 3_600_000;
const ids = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);

test('asks for one dimension of an account by dates, with the groups of metrics that the platform demands', async () => {
  display.answerRows();
  await display.collect('a-age');
  const [call] = display.reports();
  expect(call?.url.pathname).toBe('/openapi/v4/adAccounts/report');
  expect(call?.headers).toMatchObject({
    authorization: 'Bearer business-token-secret',
    adaccountid: ACCOUNT.id,
  });
  expect(display.asked()).toEqual([
    {
      adAccountId: ACCOUNT.id,
      start: '20261118',
      end: '20261119',
      timeUnit: 'DAY',
      metricsGroup: 'BASIC,ADDITION,PIXEL_SDK_CONVERSION',
      dimension: 'AGE',
    },
  ]);
});

test('totals ask for no dimension', async () => {
  display.answerRows();
  await display.collect('a-base');
  expect(display.asked()[0]).not.toHaveProperty('dimension');
});

test("today is a call of its own, by the account's zone", async () => {
  display.answerRows();
  await display.collect('a-base', { from: '2026-11-20', to: '2026-11-21' });
  await display.collect('a-base', { from: '2026-11-21', to: '2026-11-21' });
  display.clock.time = NOW + 4 * HOUR_MS; // 01:00 of the 22nd in Seoul, still the 21st in UTC
  await display.collect('a-base', { from: '2026-11-20', to: '2026-11-21' });
  expect(display.asked().map(({ start, end, datePreset }) => [start, end, datePreset])).toEqual([
    ['20261120', '20261120', undefined],
    [undefined, undefined, 'TODAY'],
    [undefined, undefined, 'TODAY'],
    ['20261120', '20261121', undefined],
  ]);
});

test("an account's days are Korean ones whatever the settings say: in another zone, the platform's empty new day would be taken for the one that still runs", async () => {
  display
    .server()
    .answer((_seen, res) =>
      json(res, { content: [{ id: 1, config: 'ON' }], totalElements: 1, totalPages: 1 }),
    );
  const [account] = await display
    .connector()
    .listAccounts(access({ timezone: 'America/New_York', currency: 'USD' }));
  expect(account).toMatchObject({ zone: 'Asia/Seoul', currency: 'USD' });
});

test('an answer of today that came after midnight is not used: it may be empty for the new day', async () => {
  display.server().answer((_seen, res) => {
    display.clock.time = NOW + 3 * HOUR_MS;
    json(res, { data: [] });
  });
  const { observed, error } = await display.collect('a-base', {
    from: '2026-11-21',
    to: '2026-11-21',
  });
  expect(observed).toEqual([]);
  expect(error).toBeInstanceOf(RetryableError);
  expect(error?.code).toBe('day_ended');
});

test.each([
  ['c-base', 'campaignId', 5, { campaigns: ids(100, 12) }],
  ['g-base', 'adGroupId', 40, { campaigns: [1, 2], 'adGroups/1': ids(100, 50), 'adGroups/2': [7] }],
  [
    'd-base',
    'creativeId',
    100,
    {
      campaigns: [1],
      'adGroups/1': [2, 3],
      'creatives/2': ids(100, 90),
      'creatives/3': ids(200, 20),
    },
  ],
])(
  '%s asks for every object once, at most as many at once as allowed',
  async (id, parameter, most, tree) => {
    display.serve(tree, () => []);
    const { error } = await display.collect(id);
    expect(error).toBeUndefined();
    const groups = display.asked().map((query) => query[parameter]?.split(',') ?? []);
    const wanted = Object.entries(tree)
      .filter(([path]) => path.startsWith({ c: 'camp', g: 'adGr', d: 'crea' }[id[0] ?? ''] ?? ''))
      .flatMap(([, some]) => some.map(String));
    expect(groups.flat().toSorted()).toEqual(wanted.toSorted());
    expect(Math.max(...groups.map((group) => group.length))).toBeLessThanOrEqual(most);
    expect(groups).toHaveLength(Math.ceil(wanted.length / most));
  },
);

test('deleted objects are asked for like the others, and no object means no report', async () => {
  display.serve({}, () => []);
  const { observed, error } = await display.collect('c-base');
  expect([observed, error, display.reports()]).toEqual([[], undefined, []]);
  const [list] = display.server().seen;
  expect(list?.url.searchParams.get('config')).toBe('ON,OFF,DEL');
});

test('objects are listed once for some minutes, and new ones are found after that', async () => {
  display.serve({ campaigns: [1] }, () => []);
  await display.collect('c-base');
  display.serve({ campaigns: [1, 2] }, () => []);
  await display.collect('c-device');
  display.clock.time += 5 * 60_000;
  await display.collect('c-base');
  expect(display.asked().map(({ campaignId }) => campaignId)).toEqual(['1', '1', '1,2']);
  expect(display.server().seen).toHaveLength(5);
});

test('a call with one id is counted for its account, one with several for the app, and windows of the app queue', async () => {
  display.serve({ campaigns: [1, 2, 3, 4, 5, 6] }, () => []);
  await display.collect('c-base');
  const taken = display.budget().taken.map((key) => key.replace(/\/[\w-]{16}\//, '/app/'));
  expect(taken).toEqual([
    `PORTAL2_DISPLAY/app/${ACCOUNT.id}/lists`,
    'PORTAL2_DISPLAY/app/-/reportsWindow',
    'PORTAL2_DISPLAY/app/-/reports',
    `PORTAL2_DISPLAY/app/${ACCOUNT.id}/reports`,
  ]);
  expect(taken.join()).not.toContain('token');
});

test('links that name one app share its allowance whatever their tokens', async () => {
  const none = { content: [], totalElements: 0, totalPages: 0 };
  display.server().answer((_seen, res) => json(res, none));
  const credentials = { businessToken: 'another', appId: '77' };
  const accounts = display.connector().listAccounts({ ...access(), credentials });
  await expect(accounts).rejects.toMatchObject({ code: 'no_account' });
  expect(display.budget().taken).toEqual(['PORTAL2_DISPLAY/77/-/lists']);
});

test('after an answer the allowance is closed for the pause that the platform demands', async () => {
  display.serve({ campaigns: [1], 'adGroups/1': [2] }, () => []);
  await display.collect('a-base');
  await display.collect('g-base');
  const blocked = [...display.budget().blocked].map(([key, until]) => [
    key.split('/').at(-1),
    until - NOW,
  ]);
  expect(Object.fromEntries(blocked)).toEqual({ reports: 5_100, adGroupReports: 1_050 });
});

test('hours are two digits, keys of both spellings are read', async () => {
  display.server().answer((_seen, res) => json(res, fixture('account-hour')));
  const { observed, error } = await display.collect('a-hour');
  expect(error).toBeUndefined();
  expect(observed).toEqual([
    {
      day: '2026-11-18',
      set: 'a-hour',
      rows: [
        ['', '', '', '00', 120, 4, 0, 0, 3_070_000_000, null, 100],
        ['', '', '', '23', 88, 1, 1_000_000, 15_000_000_000, 2_900_000_000, null, 80],
      ],
    },
  ]);
});

test.each([
  ['a-age', { age: '25~29' }, '25-29'],
  ['a-age', { age: '70~' }, '70+'],
  ['a-age', { age: '15-19' }, '15-19'],
  ['a-age', { age: '알수없음' }, 'unknown'],
  ['a-age', { age: '그 외' }, '그 외'],
  ['a-gender', { gender: 'M' }, 'male'],
  ['a-gender', { gender: 'F' }, 'female'],
  ['a-gender', { gender: '알수없음' }, 'unknown'],
  ['a-device', { device_type: 'PC' }, 'desktop'],
  ['a-device', { device_type: 'iOS' }, 'mobile'],
  ['a-device', { device_type: 'constructor' }, 'other'],
  ['a-region', { location: '서울' }, '서울'],
  ['a-placement', { placement: '카카오톡' }, '카카오톡'],
])('%s: %p is %s', async (id, dimensions, word) => {
  display.answerRows(row(dimensions));
  const { observed } = await display.collect(id);
  expect(observed[0]?.rows[0]).toEqual(['', '', '', word, 10, 2, 0, 0, 100_000_000, null, 8]);
});

test('a row of a list with an empty value is no entry: it is what the list lacks', async () => {
  display.answerRows(row({ location: '' }), row({ location: '서울' }));
  const { observed } = await display.collect('a-region');
  expect(observed[0]?.rows.map((one) => (one as ObservationRow)[3])).toEqual(['서울']);
});

test('conversions within a day of the click, where the link says so', async () => {
  const metrics = { conv_purchase_1d: 1, conv_purchase_p_1d: 500, conv_purchase_7d: 9 };
  display.answerRows(row({}, metrics));
  const { observed } = await display.collect('a-base', {}, { conversionWindowDays: 1 });
  expect(observed[0]?.rows[0]).toMatchObject({ 6: 1_000_000, 7: 500_000_000 });
});

test('reach that the platform leaves out is not known', async () => {
  display.answerRows(row({}, { reach: undefined }));
  const { observed } = await display.collect('a-base');
  expect(observed[0]?.rows[0]).toEqual(['', '', '', '', 10, 2, 0, 0, 100_000_000, null, null]);
});

test('a malformed answer in the second call leaves the first one given out, and is an error', async () => {
  display.serve({ campaigns: ids(1, 6) }, ({ url }) =>
    url.searchParams.get('campaignId') === '6'
      ? [row({ campaign_id: 5 })]
      : [row({ campaign_id: 5 })],
  );
  const { observed, error } = await display.collect('c-base');
  expect(observed).toHaveLength(1);
  expect(error?.message).toContain("'5' in campaignId");
});

test.each([
  ['metrics that are empty, as without groups of metrics', 'a-base', { ...row(), metrics: {} }],
  ['another account', 'a-base', row({ ad_account_id: '1' })],
  ['a day before the window', 'a-base', row({}, {}, '2026-11-17')],
  ['a day after the window', 'a-base', row({}, {}, '2026-11-20')],
  ['two days in one row', 'a-base', { ...row(), end: '2026-11-19' }],
  ['an hour of another form', 'a-hour', row({ hour: '9' })],
  ['an hour that is no hour', 'a-hour', row({ hour: '24:00~24:59' })],
  ['a list without values', 'a-age', row()],
  ['a negative cost', 'a-base', row({}, { cost: -1 })],
  ['a grouped number', 'a-base', row({}, { cost: '1,234' })],
  ['an empty count', 'a-base', row({}, { imp: '' })],
  ['a broken count', 'a-base', row({}, { imp: 1.5 })],
  ['conversions that are missing', 'a-base', row({}, { conv_purchase_7d: undefined })],
  ['a field under both spellings', 'a-base', row({}, { convPurchase7d: 1 })],
])('refuses %s, giving nothing out', async (_name, id, bad) => {
  display.answerRows(bad);
  const { observed, error } = await display.collect(id);
  expect(error).toBeInstanceOf(RetryableError);
  expect(error?.code).toMatch(/^malformed/);
  expect(observed).toEqual([]);
});

test('a list that comes in pages is refused instead of being cut', async () => {
  display.server().answer((_seen, res) => json(res, { content: [{ id: 1 }], last: false }));
  const { error } = await display.collect('c-base');
  expect(error?.code).toBe('malformed_answer');
  expect(display.reports()).toEqual([]);
});

test('figures and ids beyond 2^53 stay exact', async () => {
  const campaign = '9007199254740993';
  display.server().answer(({ url }, res) => {
    const isReport = url.pathname.endsWith('/report');
    const data = [row({ campaign_id: campaign }, { imp: '9007199254740993' })];
    if (isReport) return json(res, { data });
    return res.writeHead(200).end(`{"content":[{"id":${campaign},"name":"a","config":"ON"}]}`);
  });
  const { observed } = await display.collect('c-base');
  expect(observed[0]?.rows[0]).toEqual(expect.arrayContaining([campaign, 9007199254740993n]));
});

test('a day of the fixtures, sealed: totals, ratios and a list that adds up', async () => {
  display.server().answer((seen, res) => {
    const { searchParams } = seen.url;
    if (!seen.url.pathname.endsWith('/report')) {
      return json(res, { content: [{ id: 2210001 }, { id: 2210002 }] });
    }
    return json(
      res,
      fixture(searchParams.has('dimension') ? 'campaigns-device' : 'campaigns-base'),
    );
  });
  const lists = await display.collect('c-device');
  const totals = await display.collect('c-base');
  const rowsOf = (found: typeof totals) =>
    found.observed.flatMap(({ rows }) => rows) as ObservationRow[]; // the blog's days have no part here
  const { entities } = seal({
    channel: CHANNELS.PORTAL2_DISPLAY,
    level: 'c',
    date: '2026-11-18',
    sets: new Map([
      ['c-device', rowsOf(lists)],
      ['c-base', rowsOf(totals)],
    ]),
    lagging: new Set(),
  });
  const day = JSON.parse(entities.get('2210001')?.json ?? '');
  expect(day.total).toEqual({
    impressions: 1600,
    clicks: 36,
    conversions: 3,
    amount: 71400,
    spend: 17500.5,
    reach: 1100,
    ppc: null,
    rimp: null,
    ctr: 2.25,
    cpc: 486.125, // 17500.5 / 36
    cpm: 10937.8125, // 17500.5 / 1600 x 1000
  });
  expect(day.device).toEqual([
    {
      device: 'mobile',
      data: {
        impressions: 1500, // 1200 + 300
        clicks: 35, // 30 + 5
        conversions: 2,
        amount: 61500,
        spend: 17000.5, // 14250 + 2750.5
        reach: null,
        ppc: null,
        rimp: null,
        ctr: 2.333333, // 35 / 1500 x 100
        cpc: 485.728571, // 17000.5 / 35
        cpm: 11333.666667, // 17000.5 / 1500 x 1000
      },
    },
    {
      device: 'desktop',
      data: {
        impressions: 80,
        clicks: 1,
        conversions: 1,
        amount: 9900,
        spend: 410,
        reach: 77,
        ppc: null,
        rimp: null,
        ctr: 1.25,
        cpc: 410,
        cpm: 5125,
      },
    },
    {
      device: 'unattributed',
      data: {
        impressions: 20, // 1600 - 1500 - 80
        clicks: 0,
        conversions: 0,
        amount: 0,
        spend: 90, // 17500.5 - 17000.5 - 410
        reach: null,
        ppc: null,
        rimp: null,
        ctr: 0,
        cpc: 0,
        cpm: 4500, // 90 / 20 x 1000
      },
    },
  ]);
  expect(day.age).toEqual([]);
  expect(JSON.parse(entities.get('2210002')?.json ?? '').total.impressions).toBe(10);
});
