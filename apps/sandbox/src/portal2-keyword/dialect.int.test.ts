import { startTestSandbox, type TestSandbox } from '../testing.ts';

type Json = Record<string, unknown>;

const TOKEN = 'sandbox-keyword-business-token';
const ALL_GROUPS = 'BASIC,ADDITION,PIXEL_SDK_CONVERSION';
const DAY_MS = 86_400_000;

let sandbox: TestSandbox;
let account: string;
let older: string;
let closed: string;

beforeEach(async () => {
  sandbox = await startTestSandbox();
  const { body } = await sandbox.get('/__sandbox/tree?channel=PORTAL2_KEYWORD');
  [account = '', older = '', closed = ''] = (body.accounts as Json[]).map(({ id }) => String(id));
});
afterEach(() => sandbox.sandbox.close());

const get = (path: string, adAccountId: string | undefined = account, token = TOKEN) =>
  sandbox.get(`/portal2-keyword/openapi/v1/${path}`, {
    authorization: `Bearer ${token}`,
    ...(adAccountId === '' ? {} : { adAccountId }),
  });
const report = (path: string, params: Record<string, string> = {}, of = account) => {
  const day = { start: '20261118', end: '20261118', timeUnit: 'DAY', metricsGroups: ALL_GROUPS };
  return get(`${path}/report?${new URLSearchParams({ ...day, ...params }).toString()}`, of);
};
const rows = async (...question: Parameters<typeof report>) => {
  const { status, body } = await report(...question);
  expect([status, body.code]).toEqual([200, undefined]);
  return body.data as { start: string; end: string; dimensions: Json; metrics: Json }[];
};
const ids = async (path: string) => {
  const { status, body } = await get(path);
  expect(status).toBe(200);
  return (body as unknown as Json[]).map((one) => String(one.id ?? one.creativeLinkId));
};

describe('who may call', () => {
  test.each([
    ['sandbox-login-token', 401, -401, 'target biz token is not supplied.'],
    ['nonsense', 401, -401, 'this access token does not exist'],
    ['sandbox-keyword-other-address', 401, -401, 'ip mismatched'],
    ['sandbox-keyword-no-consent', 403, -402, 'insufficient scopes.'],
  ])('the token %s is refused with %d, %d, %s', async (token, status, code, msg) => {
    const answer = await get('campaigns', account, token);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.body.msg).toContain(msg);
  });

  test('a call without an account, or for one of somebody else, is refused', async () => {
    expect((await get('campaigns', '')).body).toMatchObject({ code: -2 });
    const foreign = await get('campaigns', '499999999');
    expect([foreign.status, foreign.body.code]).toEqual([403, -5]);
  });

  test('tokeninfo tells the scope of a business token only', async () => {
    const ask = (token: string) =>
      sandbox.get('/portal2-keyword/v1/business/tokeninfo', { authorization: `Bearer ${token}` });
    expect((await ask(TOKEN)).body.scopes).toEqual(['keyword_management']);
    expect((await ask('sandbox-login-token')).status).toBe(401);
  });
});

describe('the lists', () => {
  test('accounts are paged from 0 and leave closed ones out unless asked for', async () => {
    const first = await get('adAccounts/pages?page=0&size=1', '');
    expect(first.body).toMatchObject({ page: 0, size: 1, totalElements: 2, totalPages: 2 });
    expect(first.body.content).toEqual([expect.objectContaining({ id: account, config: 'ON' })]);
    const second = await get('adAccounts/pages?page=1&size=1', '');
    expect(second.body.content).toEqual([expect.objectContaining({ id: older })]);
    const gone = await get('adAccounts/pages?config=DEL', '');
    expect(gone.body.content).toEqual([expect.objectContaining({ id: closed, config: 'DEL' })]);
    expect((await get('adAccounts/pages?config=ON,OFF', '')).body).toMatchObject({ code: -2 });
  });

  test('removed objects come only with config=DEL, talk channel campaigns not at all', async () => {
    const present = await ids('campaigns');
    const removed = await ids('campaigns?config=DEL');
    expect(removed).toHaveLength(3); // the seasons of 2026 that are over
    const { body } = await sandbox.get('/__sandbox/tree?channel=PORTAL2_KEYWORD');
    const [tree] = body.accounts as {
      campaigns: { id: string; status: string; title: string }[];
    }[];
    const unlisted = tree?.campaigns.filter(({ id }) => ![...present, ...removed].includes(id));
    expect(unlisted?.map(({ title }) => title)).toEqual(['캠페인 4']);
    for (const { id, status } of tree?.campaigns ?? []) {
      if (id !== unlisted?.[0]?.id) expect(removed.includes(id)).toBe(status === 'removed');
    }
  });

  test('go down from campaign to ad group to link and keyword, each naming its parent', async () => {
    const [campaign = ''] = await ids('campaigns');
    const [adGroup = ''] = await ids(`adGroups?campaignId=${campaign}`);
    expect(await ids(`creativeLinks?adGroupId=${adGroup}`)).toHaveLength(2);
    expect(await ids(`keywords?adGroupId=${adGroup}`)).toHaveLength(5);
    for (const path of ['adGroups', 'keywords', 'creativeLinks', 'creatives/basic']) {
      expect((await get(path)).body).toMatchObject({ code: -2 });
    }
    const unknown = await get('keywords?adGroupId=1');
    expect(unknown.body).toMatchObject({ code: -820, extras: { detailCode: 404 } });
  });

  test('creatives are named by website, and links name their creative', async () => {
    const { body } = await get('campaigns');
    const [{ bizChannelId = '', id = '' } = {}] = body as unknown as Record<string, string>[];
    const creatives = await get(`creatives/basic?bizChannelId=${bizChannelId}&limit=1000`);
    const names = new Map((creatives.body.content as Json[]).map((one) => [one.id, one.name]));
    const [adGroup = ''] = await ids(`adGroups?campaignId=${id}`);
    const links = (await get(`creativeLinks?adGroupId=${adGroup}`)).body as unknown as Json[];
    expect(links.map(({ creativeId }) => names.get(creativeId))).toEqual(['소재 1', '소재 2']);
  });
});

describe('the reports', () => {
  test('refuse what the platform refuses', async () => {
    const code = async (path: string, params: Record<string, string>) => {
      const { status, body } = await report(path, params);
      return [status, body.code];
    };
    expect(await code('campaigns', { metricsGroups: '' })).toEqual([400, -2]);
    expect(await code('campaigns', { metricsGroup: 'BASIC', metricsGroups: 'REACH' })).toEqual([
      400, -2,
    ]);
    expect(await code('adAccounts', {})).toEqual([400, -2]); // delivery only
    expect(await code('adGroups', {})).toEqual([400, -2]); // no campaign
    expect(await code('keywords', {})).toEqual([400, -2]);
    expect(await code('campaigns', { dimension: 'AGE' })).toEqual([400, -2]);
    expect(await code('campaigns', { dimension: 'toString' })).toEqual([400, -2]);
    expect(await code('campaigns', { start: '2026-11-18' })).toEqual([400, -2]);
    expect(await code('campaigns', { end: '20261117' })).toEqual([400, -2]);
    expect(await code('campaigns', { start: '20261018' })).toEqual([400, -820]); // 32 days
    expect(await code('campaigns', { start: '20261019' })).toEqual([200, undefined]); // 31 days
    const [before, oldest] = ['20241119', '20241120']; // 2 years before 2026-11-20
    expect(await code('campaigns', { start: before, end: before })).toEqual([400, -820]);
    expect(await code('campaigns', { start: oldest, end: oldest })).toEqual([200, undefined]);
  });

  test('tell one row for each day and entity that delivered, today too', async () => {
    const told = await rows('campaigns', { end: '20261120' });
    const keys = told.map(
      ({ start, end, dimensions }) => `${start}-${end} ${String(dimensions.campaignId)}`,
    );
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(told.map(({ start }) => start))).toEqual(
      new Set(['20261118', '20261119', '20261120']),
    );
    for (const { metrics } of told) expect(Number(metrics.imp)).toBeGreaterThan(0);
  });

  test('without a range tell today, without a unit one row for the whole range', async () => {
    const { body } = await get('campaigns/report?metricsGroups=BASIC');
    const [first] = body.data as { start: string }[];
    expect(first?.start).toBe('20261120');
    const [whole] = await rows('adAccounts', {
      start: '20261110',
      timeUnit: 'NONE',
      metricsGroups: 'BASIC',
    });
    expect([whole?.start, whole?.end]).toEqual(['20261110', '20261118']);
    const months = await rows('adAccounts', {
      start: '20260919',
      timeUnit: 'MONTH',
      metricsGroups: 'BASIC',
    });
    expect(months.map(({ start, end }) => [start, end])).toEqual([
      ['20260919', '20260930'],
      ['20261001', '20261031'],
      ['20261101', '20261118'],
    ]);
  });

  test('the hour is a number, and the second account speaks the older spelling', async () => {
    const [hour] = await rows('campaigns', { dimension: 'HOUR' });
    expect(hour?.dimensions).toEqual({ campaignId: expect.any(Number), hour: expect.any(Number) });
    expect(hour?.metrics).toMatchObject({ convPurchase7d: expect.any(Number) });
    const [snake] = await rows('campaigns', { dimension: 'HOUR' }, older);
    expect(snake?.dimensions).toEqual({
      campaign_id: expect.any(String),
      hour: expect.stringMatching(/^\d+$/),
    });
    expect(snake?.metrics).toMatchObject({ conv_purchase_p_7d: expect.any(String) });
  });

  test('purchases of a day after the click are a part of those of 7 days', async () => {
    const told = await rows('campaigns', { start: '20261105', end: '20261115' });
    const sum = (field: string) =>
      told.reduce((all, { metrics }) => all + Number(metrics[field]), 0);
    expect(sum('convPurchase1d')).toBeGreaterThan(0);
    expect(sum('convPurchase7d')).toBeGreaterThan(sum('convPurchase1d'));
    expect(sum('convPurchaseP7d')).toBeGreaterThan(sum('convPurchaseP1d'));
  });

  test('a day changes for seven days after its end and then stands still', async () => {
    const ask = async () => JSON.stringify(await rows('campaigns'));
    const seen = [await ask()];
    for (const days of [2, 2, 2, 1.5]) {
      await sandbox.send('POST', '/__sandbox/clock', { advanceMs: days * DAY_MS });
      seen.push(await ask());
    }
    expect(new Set(seen).size).toBeGreaterThan(2);
    await sandbox.send('POST', '/__sandbox/clock', { advanceMs: 5 * DAY_MS });
    expect(await ask()).toBe(seen.at(-1));
  });
});

describe('the limit', () => {
  test('is five reports a second and account; lists are not counted', async () => {
    await sandbox.sandbox.close();
    sandbox = await startTestSandbox({ callsPerHour: undefined });
    const ask = async (of = account) => (await report('campaigns', {}, of)).status;
    for (let n = 0; n < 5; n += 1) expect(await ask()).toBe(200);
    const refused = await report('campaigns');
    expect([refused.status, refused.body.code]).toEqual([429, -813]);
    expect(await ask(older)).toBe(200);
    for (let n = 0; n < 8; n += 1) expect((await get('campaigns')).status).toBe(200);
    await sandbox.send('POST', '/__sandbox/clock', { advanceMs: 1_000 });
    expect(await ask()).toBe(200);
  });
});

describe('scripted faults', () => {
  const strike = (fault: string, more = {}) =>
    sandbox.send('POST', '/__sandbox/faults', {
      channel: 'PORTAL2_KEYWORD',
      fault,
      times: 1,
      ...more,
    });

  test.each([
    ['throttle', {}, 429, -813],
    ['throttle', { code: -10 }, 400, -10],
    ['error500', {}, 500, -1],
    ['expired-token', {}, 401, -401],
  ])('%s %p is told as %d, %d', async (fault, more, status, code) => {
    await strike(fault, more);
    const answer = await report('campaigns');
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect((await report('campaigns')).status).toBe(200);
  });

  test('empty answers have no rows, and the ledger knows what was asked', async () => {
    await strike('empty', { match: { kind: 'insights' } });
    expect((await report('adGroups', { campaignId: '1', dimension: 'HOUR' })).body).toEqual({
      data: [],
    });
    const { body } = await sandbox.get('/__sandbox/ledger?channel=PORTAL2_KEYWORD');
    expect((body.calls as Json[]).at(-1)).toMatchObject({
      kind: 'insights',
      account,
      level: 'adGroup',
      breakdowns: ['hour'],
      since: '2026-11-18',
      until: '2026-11-18',
      fault: 'empty',
    });
  });

  test('a repeated page leads to itself', async () => {
    await strike('repeated-page');
    expect((await get('adAccounts/pages', '')).body).toMatchObject({ page: 0, totalPages: 2 });
  });
});
