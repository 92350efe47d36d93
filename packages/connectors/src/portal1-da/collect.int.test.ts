import { FatalError, RetryableError } from '@tributary/runtime';
import { CHANNELS, type ObservationRow, seal } from '@tributary/shared';
import { fixture, NOW, OWNED, row, usePortal1Da } from '../testing/portal1-da.ts';
import { json } from '../testing/scripted-server.ts';

const da = usePortal1Da();

test.each([
  ['c-base', 'campaigns', 'daily'],
  ['c-hour', 'campaigns', 'hourly'],
  ['g-base', 'adSets', 'daily'],
  ['g-hour', 'adSets', 'hourly'],
  ['d-base', 'creatives', 'daily'],
])('asks for %s by %s, %s', async (id, aggregation, timeUnit) => {
  da.answerRows();
  expect(await da.collect(id)).toEqual({ observed: [], error: undefined });
  const [call] = da.calls();
  expect(call?.url.pathname).toBe(
    `/v1/ad-api/1.0/adAccounts/${OWNED}/performance/past/${aggregation}`,
  );
  expect(Object.fromEntries(call?.url.searchParams ?? [])).toEqual({
    startDate: '2026-11-18',
    endDate: '2026-11-19',
    timeUnit,
    limit: '1000',
  });
});

test('seals a day as worked out by hand: spend is what the platform calls sales', async () => {
  const rowsOf = async (id: string, name: string) => {
    da.answerRows(...(fixture(name).rows as object[]));
    const { observed } = await da.collect(id);
    return observed.filter(({ day }) => day === '2026-11-18').flatMap(({ rows }) => rows);
  };
  const sets = new Map([
    ['c-base', (await rowsOf('c-base', 'campaigns-daily')) as ObservationRow[]],
    ['c-hour', (await rowsOf('c-hour', 'campaigns-hourly')) as ObservationRow[]],
  ] as const);
  const input = {
    channel: CHANNELS.PORTAL1_DA,
    date: '2026-11-18',
    sets,
    lagging: new Set<never>(),
  };
  const total =
    '{"impressions":25303,"clicks":194,"conversions":7,"amount":412300,"spend":350097.5,' +
    '"reach":null,"ppc":null,"rimp":null,"ctr":0.766708,"cpc":1804.626289,"cpm":13836.205193}';
  const nine =
    '{"impressions":20303,"clicks":150,"conversions":5,"amount":300000,"spend":270000.3,' +
    '"reach":null,"ppc":null,"rimp":null,"ctr":0.738807,"cpc":1800.002,"cpm":13298.542087}';
  const evening =
    '{"impressions":5000,"clicks":44,"conversions":2,"amount":112300,"spend":80097.2,' +
    '"reach":null,"ppc":null,"rimp":null,"ctr":0.88,"cpc":1820.390909,"cpm":16019.44}';
  const expected =
    `{"date":"2026-11-18","total":${total},"age":[],"gender":[],` +
    `"hour":[{"hour":"09","data":${nine}},{"hour":"21","data":${evening}}],` +
    '"devicePlatform":[],"publisherGroup":[],"placementGroup":[]}';
  expect(seal({ ...input, level: 'c' }).entities.get('1261102')?.json).toBe(expected);
  // The account is the sum of its campaigns; the other one did not deliver.
  expect(seal({ ...input, level: 'a' }).entities.get('')?.json).toBe(expected);
  expect([...seal({ ...input, level: 'c' }).entities.keys()]).toEqual(['1261102']);
});

test.each([
  ['c-hour', { hour: '24' }, "'24' in hour"],
  ['c-hour', { hour: null }, "'nothing' in hour"],
  ['c-hour', { hour: 9.5 }, "'9.5' in hour"],
  ['c-base', { targetDate: '2026-11-20' }, "'2026-11-20' in targetDate"],
  ['c-base', { targetDate: '18.11.2026' }, "'18.11.2026' in targetDate"],
  ['c-base', { campaignNo: null }, "'nothing' in campaignNo"],
  ['g-base', { adSetNo: null }, "'nothing' in adSetNo"],
  ['d-base', { creativeNo: null }, "'nothing' in creativeNo"],
  ['c-base', { impCount: '1,200' }, "'1,200' in impCount"],
  ['c-base', { clickCount: -1 }, "'-1' in clickCount"],
  ['c-base', { sales: 'NaN' }, "'NaN' in sales"],
  ['c-base', { convCount: '' }, "'' in convCount"],
  ['c-base', { convSales: null }, 'convSales'],
])('refuses a row of %s for %j, naming field and value', async (id, change, words) => {
  da.answerRows(
    row({ hour: 1 }),
    row({ hour: 1, campaignNo: 2, adSetNo: 3, creativeNo: 4, ...change }),
  );
  const { observed, error } = await da.collect(id);
  expect(error).toBeInstanceOf(RetryableError);
  expect(error?.message).toContain(words);
  expect(observed).toEqual([]);
});

test('takes rows of one object at several hours and days, but the same one never twice', async () => {
  da.answerRows(row({ hour: 1 }), row({ hour: 2 }), row({ hour: 1, targetDate: '20261119' }));
  expect((await da.collect('c-hour')).observed.map(({ rows }) => rows.length)).toEqual([2, 1]);
  da.answerRows(row({ hour: 1 }), row({ hour: '01', targetDate: '20261118' }));
  expect((await da.collect('c-hour')).error).toMatchObject({ code: 'duplicate_row' });
  // A listing by the hour in place of the day would be added up wrongly or not at all.
  da.answerRows(row({ hour: 1 }), row({ hour: 2 }));
  expect((await da.collect('c-base')).error).toMatchObject({ code: 'duplicate_row' });
});

test('keeps every digit of numbers beyond 2^53', async () => {
  da.answer((_seen, res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(
      JSON.stringify({ rows: [row()] })
        .replace('1261102', '12345678901234567890')
        .replace('"impCount":10', '"impCount":9007199254740993'),
    );
  });
  const { observed } = await da.collect('c-base');
  expect(observed[0]?.rows[0]).toEqual(
    expect.arrayContaining(['12345678901234567890', 9007199254740993n]),
  );
});

test('a page token that died ends the listing, which is begun anew from its first page', async () => {
  const dead = {
    error: {
      code: 'INVALID_PARAMETER',
      detailCode: 'STATS__EXPIRED_PAGING_TOKEN',
      message: 'Page token has expired.',
    },
  };
  let isDead = true;
  da.answer(({ url }, res) => {
    const next = url.searchParams.get('next');
    if (next === null) return json(res, { rows: [row()], next: 'two' });
    if (isDead) return json(res, dead, 422);
    return json(res, { rows: [row({ campaignNo: 2 })] });
  });
  expect((await da.collect('c-base')).error).toMatchObject({ code: 'page_expired' });
  isDead = false;
  const { observed, error } = await da.collect('c-base');
  expect(error).toBeUndefined();
  expect(observed.flatMap(({ rows }) => rows)).toHaveLength(2);
  expect(da.calls().map(({ url }) => url.searchParams.get('next'))).toEqual([
    null,
    'two',
    null,
    'two',
  ]);
});

describe('a list of the feed', () => {
  const observation = (more: object = {}) => ({
    date: '2026-11-18',
    level: 'campaign',
    entityId: '1261102',
    dimension: 'age',
    value: '25-34',
    impressions: 5,
    clicks: 1,
    spend: '0.5',
    conversions: 1,
    amount: 9_000,
    ...more,
  });

  test('is asked for by account, level and list, with the feed’s own token, and of nobody else', async () => {
    da.server().answer((_seen, res) => json(res, { rows: [observation()] }));
    const { observed, error } = await da.collect('c-age');
    expect(error).toBeUndefined();
    expect(observed).toEqual([
      {
        day: '2026-11-18',
        set: 'c-age',
        rows: [['1261102', '', '', '25-34', 5, 1, 1_000_000, 9_000_000_000, 500_000, null, null]],
      },
    ]);
    const [call, ...more] = da.server().seen;
    expect(more).toEqual([]);
    expect(call?.headers.authorization).toBe('Bearer feed-secret');
    expect(Object.fromEntries(call?.url.searchParams ?? [])).toEqual({
      start: '2026-11-18',
      end: '2026-11-19',
      account: OWNED,
      level: 'campaign',
      dimension: 'age',
    });
    expect(da.budget().taken).toEqual([`PORTAL1_DA/link1/${OWNED}/feed`]);
  });

  test.each([
    [401, FatalError, 'feed_refused'],
    [404, FatalError, 'bad_feed'],
    [429, RetryableError, 'feed_busy'],
    [503, RetryableError, 'unreachable'],
  ])('is alone in its trouble: %i is no trouble of the link', async (status, kind, code) => {
    da.server().answer((_seen, res) => json(res, {}, status, { 'retry-after': '9' }));
    const { error } = await da.collect('c-age');
    expect(error).toBeInstanceOf(kind);
    expect(error?.code).toBe(code);
    const until = status === 429 ? [NOW + 9_000] : [];
    expect([...da.budget().blocked.values()]).toEqual(until);
  });
});
