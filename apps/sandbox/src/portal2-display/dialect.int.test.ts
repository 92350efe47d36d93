import { startTestSandbox, type TestSandbox } from '../testing.ts';

type Row = {
  start: string;
  end: string;
  dimensions: Record<string, string>;
  metrics: Record<string, number>;
};
type Node = { id: string; title: string; status: string; createdOn: string } & Record<
  string,
  Node[]
>;

const BASE = '/portal2-display/openapi/v4';
const TOKEN = 'sandbox-portal2-display-token';
/** 14:30 in Seoul. */
const NOW = '2026-11-20T05:30:00Z';
const METRICS = 'metricsGroup=BASIC,ADDITION,PIXEL_SDK_CONVERSION';
const DAY = 'start=20261118&end=20261118';
const HOUR_MS = 3_600_000;

let sandbox: TestSandbox;
let account: { id: string; campaigns: Node[] };
let other: { id: string };
let closed: { id: string };
const open = async (limits: { callsPerHour?: number | undefined } = {}) => {
  sandbox = await startTestSandbox({ now: Date.parse(NOW), ...limits });
  const { body } = await sandbox.get('/__sandbox/tree?channel=PORTAL2_DISPLAY');
  const accounts = body.accounts as (typeof account)[]; // the control endpoints' own shape
  const [first, second, third] = accounts;
  if (!first || !second || !third) throw new Error('The demo has three accounts');
  [account, other, closed] = [first, second, third];
};
afterEach(() => sandbox.sandbox.close());

const ask = (path: string, headers: Record<string, string> = {}) =>
  sandbox.get(`${BASE}${path}`, {
    authorization: `Bearer ${TOKEN}`,
    adAccountId: account.id,
    ...headers,
  });
const rowsOf = async (path: string): Promise<Row[]> => {
  const { status, body } = await ask(path);
  if (status !== 200) throw new Error(`${status} at ${path}: ${JSON.stringify(body)}`);
  return body.data as Row[]; // the dialect's own shape
};
const accountReport = (query: string) => `/adAccounts/report?adAccountId=${account.id}&${query}`;
const campaignIds = () => account.campaigns.map(({ id }) => id);
const firstCampaigns = (count: number) => campaignIds().slice(0, count).join(',');
const sum = (rows: Row[], metric: string) =>
  rows.reduce((total, { metrics }) => total + (metrics[metric] ?? Number.NaN), 0);
const truth = async (query: string) => {
  const question = `channel=PORTAL2_DISPLAY&account=${account.id}&${query}`;
  const { body } = await sandbox.get(`/__sandbox/truth?${question}`);
  return body.days as { entity: string; total: Record<string, string> }[]; // the control endpoints' own shape
};
const code = async (path: string, headers?: Record<string, string>) => {
  const { status, body } = await ask(path, headers);
  const { detailCode } = (body.extras ?? {}) as { detailCode?: number };
  return [status, body.code, detailCode];
};

describe('who may call', () => {
  beforeEach(() => open());

  test.each([
    ['no token', '', 401, -401, 'target biz token is not supplied.'],
    [
      'a login token',
      'sandbox-portal2-login-token',
      401,
      -401,
      'target biz token is not supplied.',
    ],
    ['an unknown token', 'nonsense', 401, -401, 'this access token does not exist'],
    ['a foreign address', 'sandbox-portal2-display-other-ip', 401, -401, 'ip mismatched'],
    ['no consent', 'sandbox-portal2-display-no-consent', 403, -402, 'insufficient scopes.'],
  ])('%s is refused', async (_name, token, status, expected, msg) => {
    const { status: got, body } = await ask('/campaigns', { authorization: `Bearer ${token}` });
    expect([got, body.code]).toEqual([status, expected]);
    expect(body.msg).toContain(msg);
  });

  test('a closed or foreign account is refused, and a call without one is incomplete', async () => {
    expect(await code('/campaigns', { adAccountId: closed.id })).toEqual([403, -5, undefined]);
    expect(await code('/campaigns', { adAccountId: '1' })).toEqual([403, -5, undefined]);
    expect((await code('/campaigns', { adAccountId: '' }))[1]).toBe(-813);
  });
});

describe('lists', () => {
  beforeEach(() => open());

  test('tell id, name and state alone, and deleted objects only when asked', async () => {
    const usual = (await ask('/campaigns')).body.content as Record<string, unknown>[];
    const all = (await ask('/campaigns?config=ON,OFF,DEL')).body.content as typeof usual;
    const deleted = (await ask('/campaigns?config=DEL')).body.content as typeof usual;
    expect(all.map(({ id }) => String(id)).toSorted()).toEqual(campaignIds().toSorted());
    expect(deleted.length).toBeGreaterThan(0);
    expect(usual.length + deleted.length).toBe(all.length);
    for (const one of all) expect(Object.keys(one)).toEqual(['id', 'name', 'config']);
    expect((await code('/campaigns?config=GONE'))[1]).toBe(-813);
  });

  test('lead down to the creatives, each below one parent that must be named', async () => {
    const [campaign] = account.campaigns;
    const groups = (await ask(`/adGroups?campaignId=${campaign?.id}`)).body.content as {
      id: number;
    }[];
    expect(groups.map(({ id }) => String(id))).toEqual(campaign?.adGroups?.map(({ id }) => id));
    const ads = await ask(`/creatives?adGroupId=${groups[0]?.id}`);
    expect(ads.body.content).toHaveLength(2);
    expect((await code('/adGroups'))[1]).toBe(-813);
    expect((await code('/creatives?adGroupId=1'))[1]).toBe(-813);
  });

  test('of accounts come in pages', async () => {
    const { body } = await ask('/adAccounts/pages?page=1&size=1', { adAccountId: '' });
    expect(body).toMatchObject({
      content: [{ id: Number(other.id), config: 'ON' }],
      totalElements: 2,
      totalPages: 2,
      last: true,
    });
    const all = await ask('/adAccounts/pages?config=ON,OFF,DEL');
    expect(all.body.totalElements).toBe(3);
  });
});

describe('reports', () => {
  beforeEach(() => open());

  test.each([
    ['today', 'start=20261119&end=20261120'],
    ['the future', 'start=20261201&end=20261202'],
    ['32 days', 'start=20261001&end=20261101'],
    ['an end before the start', 'start=20261102&end=20261101'],
    ['more than two years ago', 'start=20241119&end=20241119'],
    ['no such date', 'start=20261131&end=20261131'],
    ['dashes', 'start=2026-11-01&end=2026-11-02'],
    ['no dates', ''],
  ])('refuse %s as a period', async (_name, period) => {
    expect(await code(accountReport(`${METRICS}&${period}`))).toEqual([400, -813, 60008]);
  });

  test('of 31 days and of two years ago are given', async () => {
    expect(await rowsOf(accountReport(`${METRICS}&start=20261019&end=20261118`))).toHaveLength(31);
    expect(await rowsOf(accountReport(`${METRICS}&start=20241120&end=20241120`))).toHaveLength(1);
  });

  test('of today come by the preset alone, up to the last whole hour', async () => {
    const hours = await rowsOf(accountReport(`${METRICS}&datePreset=TODAY&dimension=HOUR`));
    expect(new Set(hours.map(({ start }) => start))).toEqual(new Set(['2026-11-20']));
    const last =
      hours
        .map(({ dimensions }) => dimensions.hour ?? '')
        .toSorted()
        .at(-1) ?? '';
    expect(last <= '13:00~13:59').toBe(true);
    const week = await rowsOf(accountReport(`${METRICS}&datePreset=LAST_7DAY`));
    expect(week.map(({ start }) => start)).toEqual(
      [13, 14, 15, 16, 17, 18, 19].map((d) => `2026-11-${d}`),
    );
  });

  test('without groups of metrics have rows without figures', async () => {
    const [row] = await rowsOf(accountReport(DAY));
    expect(row?.metrics).toEqual({});
  });

  test.each([
    ['six campaigns', () => `/campaigns/report?campaignId=${firstCampaigns(6)}`],
    [
      'a campaign twice',
      () => `/campaigns/report?campaignId=${campaignIds()[0]},${campaignIds()[0]}`,
    ],
    ['no campaign', () => '/campaigns/report?level=CAMPAIGN'],
    ['an unknown campaign', () => '/campaigns/report?campaignId=1'],
    ['a week as unit', () => accountReport('timeUnit=WEEK')],
    ['two dimensions', () => accountReport('dimension=AGE,GENDER')],
    ['an unknown group of metrics', () => accountReport('metricsGroup=ALL')],
    ['a level above', () => `/campaigns/report?campaignId=${campaignIds()[0]}&level=AD_ACCOUNT`],
  ])('refuse %s', async (_name, path) => {
    expect((await code(`${path()}&${DAY}`)).slice(0, 2)).toEqual([400, -813]);
  });

  test('of campaigns, ad groups and creatives add up to the account, deleted ones included', async () => {
    const period = `${METRICS}&start=20260915&end=20261010`;
    const whole = await rowsOf(accountReport(period));
    const groups = account.campaigns.flatMap(({ adGroups = [] }) => adGroups);
    const ads = groups.flatMap((group) => group.ads ?? []);
    const batches = (ids: Node[], size: number) =>
      Array.from({ length: Math.ceil(ids.length / size) }, (_, n) =>
        ids
          .slice(n * size, (n + 1) * size)
          .map(({ id }) => id)
          .join(','),
      );
    const reports = [
      ['campaigns', 'campaignId', batches(account.campaigns, 5)],
      ['adGroups', 'adGroupId', batches(groups, 40)],
      ['creatives', 'creativeId', batches(ads, 100)],
    ] as const;
    for (const [path, parameter, idsOf] of reports) {
      const rows: Row[] = [];
      for (const ids of idsOf) {
        rows.push(...(await rowsOf(`/${path}/report?${parameter}=${ids}&${period}`)));
      }
      for (const metric of ['imp', 'click', 'cost', 'conv_purchase_7d', 'conv_purchase_p_7d']) {
        expect(sum(rows, metric)).toBe(sum(whole, metric));
      }
      expect(sum(rows, 'reach')).toBeGreaterThan(sum(whole, 'reach') * 0.5);
    }
    const deleted = account.campaigns.filter(({ status }) => status === 'removed');
    expect(
      await rowsOf(
        `/campaigns/report?campaignId=${deleted[0]?.id}&${METRICS}&start=20260201&end=20260228`,
      ),
    ).not.toEqual([]);
  });

  test('on ages, genders, devices, placements and places know display campaigns alone; hours know all', async () => {
    const [first, board] = account.campaigns;
    const reportOf = (campaign: Node | undefined, dimension: string) =>
      rowsOf(
        `/campaigns/report?campaignId=${campaign?.id}&${METRICS}&start=20261001&end=20261020&dimension=${dimension}`,
      );
    expect(await reportOf(board, 'NONE')).not.toEqual([]);
    for (const dimension of ['AGE', 'GENDER', 'DEVICE_TYPE', 'PLACEMENT']) {
      expect(await reportOf(first, dimension)).not.toEqual([]);
      expect(await reportOf(board, dimension)).toEqual([]);
    }
    const places = await reportOf(board, 'LOCATION');
    expect(new Set(places.map(({ dimensions }) => dimensions.location))).toEqual(new Set(['']));
    expect(sum(await reportOf(board, 'HOUR'), 'imp')).toBe(
      sum(await reportOf(board, 'NONE'), 'imp'),
    );
  });

  test('tell the truth', async () => {
    const rows = await rowsOf(
      `/campaigns/report?campaignId=${firstCampaigns(5)}&${METRICS}&${DAY}`,
    );
    const days = await truth('level=campaign&start=2026-11-18&end=2026-11-18');
    expect(rows.length).toBeGreaterThan(2);
    for (const { dimensions, metrics } of rows) {
      const day = days.find(({ entity }) => entity === dimensions.campaign_id);
      expect(day?.total).toMatchObject({
        impressions: String(metrics.imp),
        clicks: String(metrics.click),
        conversions: String(metrics.conv_purchase_7d),
        amount: String(metrics.conv_purchase_p_7d),
        spend: String(metrics.cost),
        reach: String(metrics.reach),
        rimp: null,
      });
    }
  });

  test('of a day move for seven days and stand still after them', async () => {
    const readings: string[] = [];
    for (const hours of [0, 5 * 24, 3 * 24, 10 * 24]) {
      await sandbox.send('POST', '/__sandbox/clock', { advanceMs: hours * HOUR_MS });
      const period = `${METRICS}&start=20261117&end=20261119`;
      readings.push(JSON.stringify(await rowsOf(accountReport(period))));
    }
    const [first, second, third, last] = readings;
    expect(first).not.toBe(second);
    expect(third).toBe(last);
  });
});

describe('the pauses between reports', () => {
  beforeEach(() => open({ callsPerHour: undefined }));
  const advance = (advanceMs: number) => sandbox.send('POST', '/__sandbox/clock', { advanceMs });
  const status = async (path: string) => (await ask(`${path}&${METRICS}&${DAY}`)).status;
  const campaigns = (count: number) => `/campaigns/report?campaignId=${firstCampaigns(count)}`;
  const groups = () => `/adGroups/report?adGroupId=${account.campaigns[0]?.adGroups?.[0]?.id}`;

  test('are five seconds for an account with one id, one second for ad groups', async () => {
    expect(await status(campaigns(1))).toBe(200);
    expect(await status(campaigns(1))).toBe(429);
    expect(await status(groups())).toBe(200);
    await advance(999);
    expect(await status(groups())).toBe(429);
    await advance(1);
    expect(await status(groups())).toBe(200);
    await advance(3_999);
    expect(await status(campaigns(1))).toBe(429);
    await advance(1);
    expect(await status(campaigns(1))).toBe(200);
  });

  test('are counted for the app when there are several ids, whatever the account', async () => {
    expect(await status(campaigns(2))).toBe(200);
    expect(await status(campaigns(1))).toBe(200);
    const { body } = await ask('/campaigns', { adAccountId: other.id });
    const two = (body.content as { id: number }[]).slice(0, 2);
    const ids = two.map(({ id }) => id).join(',');
    const path = `/campaigns/report?campaignId=${ids}&${METRICS}&${DAY}`;
    expect((await ask(path, { adAccountId: other.id })).status).toBe(429);
    await advance(5_000);
    expect((await ask(path, { adAccountId: other.id })).status).toBe(200);
  });

  test('do not hold for lists', async () => {
    for (let time = 0; time < 5; time += 1) expect((await ask('/campaigns')).status).toBe(200);
  });
});

describe('the ledger and scripted faults', () => {
  beforeEach(() => open());

  test('a report is noted with its account, level, dimension and days, the token masked', async () => {
    await ask(accountReport(`${METRICS}&${DAY}&dimension=AGE`));
    const { body } = await sandbox.get('/__sandbox/ledger?channel=PORTAL2_DISPLAY');
    expect((body.calls as unknown[]).at(-1)).toMatchObject({
      kind: 'insights',
      account: account.id,
      level: 'AD_ACCOUNT',
      breakdowns: ['AGE'],
      since: '20261118',
      until: '20261118',
      status: 200,
    });
    expect(JSON.stringify(body)).not.toContain(TOKEN);
  });

  test.each([
    ['throttle', 429, -813],
    ['error500', 500, -1],
    ['expired-token', 401, -401],
  ])("%s strikes in the platform's words", async (fault, status, expected) => {
    await sandbox.send('POST', '/__sandbox/faults', {
      channel: 'PORTAL2_DISPLAY',
      fault,
      times: 1,
    });
    expect((await code('/campaigns')).slice(0, 2)).toEqual([status, expected]);
    expect((await ask('/campaigns')).status).toBe(200);
  });

  test('an empty report and a list that never ends', async () => {
    const fault = (one: object) =>
      sandbox.send('POST', '/__sandbox/faults', { channel: 'PORTAL2_DISPLAY', times: 1, ...one });
    await fault({ fault: 'empty', match: { kind: 'insights' } });
    expect(await rowsOf(accountReport(`${METRICS}&${DAY}`))).toEqual([]);
    await fault({ fault: 'repeated-page' });
    expect((await ask('/adAccounts/pages')).body).toMatchObject({ last: false, totalPages: 9 });
  });
});
