import { createHmac } from 'node:crypto';
import { openSearchAd } from './testing.ts';
import { createWorld } from './world.ts';

const DAY = '2026-11-18';
let opened: Awaited<ReturnType<typeof openSearchAd>>;
beforeEach(async () => {
  opened = await openSearchAd();
});
afterEach(() => opened.close());

describe('signed calls', () => {
  it.each([
    ['an old timestamp', { 'X-Timestamp': '1700000000000' }, 'invalid-timestamp'],
    ['seconds instead of milliseconds', { 'X-Timestamp': '1763616600' }, 'invalid-timestamp'],
    ['an unknown key', { 'X-API-KEY': 'other' }, 'invalid-apikey'],
    ['a wrong signature', { 'X-Signature': 'AAAA' }, 'invalid-signature'],
    ['an unknown customer', { 'X-Customer': '1' }, 'auth-failed'],
  ])('are refused with %s', async (_name, headers, word) => {
    const { status, json } = await opened.call({ path: '/ncc/campaigns', headers });
    expect([status, json.type]).toEqual([403, `urn:naver:api:problem:${word}`]);
  });

  it('are signed without their query, and refused for a signature that covers it', async () => {
    expect((await opened.call({ path: '/ncc/campaigns?recordSize=1' })).status).toBe(200);
    const now = (await opened.sandbox.get('/__sandbox/clock')).body.now;
    const signed = createHmac('sha256', 'sandbox-search-ad-secret')
      .update(`${String(now)}.GET./ncc/campaigns?recordSize=1`)
      .digest('base64');
    const headers = { 'X-Signature': signed };
    const { status } = await opened.call({ path: '/ncc/campaigns?recordSize=1', headers });
    expect(status).toBe(403);
  });

  it('name a customer that exists and is not reached with 1018', async () => {
    const world = createWorld('test', 1);
    const headers = { 'X-Customer': world.foreign.id };
    const { status, json } = await opened.call({ path: '/ncc/campaigns', headers });
    expect([status, json.code]).toEqual([403, 1018]);
  });

  it('beyond ten reports calls in a second are throttled, and the next second they are not', async () => {
    await opened.close();
    opened = await openSearchAd({ callsPerHour: undefined });
    const statuses = async () => {
      const answers = [];
      for (let n = 0; n < 11; n += 1) answers.push(await opened.call({ path: '/stat-reports' }));
      return answers.map(({ status }) => status);
    };
    expect(await statuses()).toEqual([...Array(10).fill(200), 429]);
    expect((await opened.call({ path: '/stat-reports' })).json).toEqual({
      code: 429,
      message: 'Too Many Requests',
    });
    const [, second] = opened.accounts;
    const headers = { 'X-Customer': second.id };
    expect((await opened.call({ path: '/stat-reports', headers })).status).toBe(200);
    await opened.advance(1_000);
    expect(await statuses()).toEqual([...Array(10).fill(200), 429]);
  });
});

describe('reports', () => {
  it.each([
    ['AD', 365],
    ['AD_DETAIL', 180],
    ['AD_CONVERSION', 365],
    ['AD_CONVERSION_DETAIL', 45],
    ['CRITERION', 365],
    ['CRITERION_CONVERSION', 365],
  ])('of %s reach back %i days and not one more, and never tell today', async (type, days) => {
    const daysAgo = (age: number) =>
      new Date(Date.UTC(2026, 10, 20 - age)).toISOString().slice(0, 10).replaceAll('-', '');
    expect((await opened.create(type, daysAgo(days))).status).toBe(200);
    for (const age of [days + 1, 0, -1]) {
      const { status, json } = await opened.create(type, daysAgo(age));
      expect([age, status, json.code]).toEqual([age, 400, 10004]);
    }
  });

  it('of yesterday are ready in the night', async () => {
    await opened.close();
    opened = await openSearchAd({ now: Date.parse('2026-11-19T18:30:00Z') });
    expect((await opened.create('AD', '20261119')).json.code).toBe(20007);
    await opened.advance(30 * 60_000);
    expect((await opened.create('AD', '20261119')).status).toBe(200);
  });

  it.each([
    ['an unknown kind', 'SALES', '20261118'],
    ['no date', 'AD', '2026-13-40'],
  ])('with %s are refused as a bad parameter', async (_name, type, date) => {
    const { status, json } = await opened.create(type, date);
    expect([status, json.code]).toEqual([400, 11001]);
  });

  it('move on to BUILT, are read once signed by their path, and are gone when deleted', async () => {
    const { json: job } = await opened.create('AD', DAY);
    expect(job).toMatchObject({
      status: 'REGIST',
      reportTp: 'AD',
      statDt: '2026-11-17T15:00:00.000Z',
    });
    expect(
      (await opened.call({ path: opened.pathOf(`/report-download?authtoken=x&fileVersion=v2`) }))
        .status,
    ).toBe(404);
    const { status, downloadUrl } = await opened.poll(job.reportJobId);
    expect(status).toBe('BUILT');
    const path = opened.pathOf(downloadUrl);
    expect((await opened.call({ path: path.replace('&fileVersion=v2', '') })).status).toBe(500);
    expect((await opened.call({ path })).text.split('\n')[0]?.split('\t')).toHaveLength(14);
    const one = `/stat-reports/${job.reportJobId}`;
    expect((await opened.call({ method: 'DELETE', path: one })).status).toBe(204);
    expect((await opened.call({ path: one })).json.code).toBe(1001);
    expect((await opened.call({ path })).status).toBe(404);
  });

  it('of a day without figures are NONE', async () => {
    const headers = { 'X-Customer': opened.accounts[1].id };
    const body = { reportTp: 'AD', statDt: '20260905' };
    const { json } = await opened.call({ method: 'POST', path: '/stat-reports', body, headers });
    const path = `/stat-reports/${json.reportJobId}`;
    const seen = [];
    for (let n = 0; n < 4; n += 1) seen.push((await opened.call({ path, headers })).json);
    expect(seen.at(-1)).toMatchObject({ status: 'NONE', downloadUrl: '' });
  });

  it('are the newest hundred: the oldest are dropped', async () => {
    const { json: first } = await opened.create('AD', DAY);
    for (let n = 0; n < 100; n += 1) await opened.create('AD', DAY);
    const { json } = await opened.call({ path: '/stat-reports' });
    expect(json).toHaveLength(100);
    expect(json.map((job: { reportJobId: number }) => job.reportJobId)).not.toContain(
      first.reportJobId,
    );
  });

  it('whose day changed since are CHANGED and can no longer be read', async () => {
    const jobs = [];
    for (const day of ['2026-11-17', '2026-11-18', '2026-11-19']) {
      jobs.push((await opened.create('AD', day)).json);
    }
    const before = [];
    for (const { reportJobId } of jobs) before.push(await opened.poll(reportJobId));
    await opened.advance(30 * 3_600_000);
    const after = [];
    for (const { reportJobId } of jobs) after.push(await opened.poll(reportJobId));
    const changed = after.findIndex(({ status }) => status === 'CHANGED');
    expect(before.map(({ status }) => status)).toEqual(['BUILT', 'BUILT', 'BUILT']);
    expect(changed).toBeGreaterThanOrEqual(0);
    const { status } = await opened.call({ path: opened.pathOf(before[changed].downloadUrl) });
    expect(status).toBe(404);
  });

  it('can be made to fail by a scripted fault', async () => {
    await opened.sandbox.send('POST', '/__sandbox/faults', {
      channel: 'PORTAL1_SEARCH_AD',
      fault: 'failed-run',
      times: 1,
    });
    const { json } = await opened.create('AD', DAY);
    expect((await opened.poll(json.reportJobId)).status).toBe('ERROR');
  });
});

describe('lists', () => {
  const walk = async (path: string, id: string, size: number) => {
    const ids: string[] = [];
    let base = '';
    for (let page = 0; page < 50; page += 1) {
      const { json } = await opened.call({
        path: `${path}recordSize=${size}&selector=NEXT${base}`,
      });
      ids.push(...json.map((one: Record<string, string>) => one[id]));
      if (json.length < size) return ids;
      base = `&baseSearchId=${ids.at(-1)}`;
    }
    throw new Error('The list does not end');
  };

  it('are paged by the last id, without removed objects', async () => {
    const all = opened.accounts[0].campaigns;
    const standing = all.filter((one: { status: string }) => one.status !== 'removed');
    const ids = await walk('/ncc/campaigns?', 'nccCampaignId', 2);
    expect(ids.toSorted()).toEqual(standing.map((one: { id: string }) => one.id).toSorted());
    expect(all.length).toBeGreaterThan(standing.length);
    const [campaign] = standing;
    const groups = await walk(`/ncc/adgroups?nccCampaignId=${campaign.id}&`, 'nccAdgroupId', 1);
    expect(groups.toSorted()).toEqual(
      campaign.adGroups.map((one: { id: string }) => one.id).toSorted(),
    );
    const { json: ads } = await opened.call({ path: `/ncc/ads?nccAdgroupId=${groups[0]}` });
    expect(ads[0]).toMatchObject({ nccAdgroupId: groups[0], ad: { headline: expect.any(String) } });
  });

  it('by ids tell removed objects too', async () => {
    const removed = opened.accounts[0].campaigns.find(
      (one: { status: string }) => one.status === 'removed',
    );
    const { json } = await opened.call({ path: `/ncc/adgroups?ids=${removed.adGroups[0].id}` });
    expect(json).toEqual([
      expect.objectContaining({ nccCampaignId: removed.id, status: 'DELETED' }),
    ]);
  });

  it('tell the accounts of the key, and names of regions', async () => {
    const { json } = await opened.call({ path: '/ad-accounts?page=0&size=1' });
    expect(json).toMatchObject({ totalElements: 2, totalPages: 2, last: false });
    expect(json.content[0].adAccount).toMatchObject({ timezone: 'Asia/Seoul', currency: 'KRW' });
    const regions = await opened.call({ path: '/ncc/criterion-dictionary/RL' });
    expect(regions.json).toContainEqual(expect.objectContaining({ dictionaryCode: 'RL09' }));
  });

  it.each(['/ncc/adgroups', '/ncc/campaigns?recordSize=1001', '/ncc/campaigns?recordSize=x'])(
    'refuse %s',
    async (path) => {
      expect((await opened.call({ path })).json.code).toBe(11001);
    },
  );
});

describe('the truth', () => {
  const sum = (rows: string[][], column: number) =>
    Math.round(rows.reduce((total, row) => total + Number(row[column]), 0) * 1e6) / 1e6;

  it.each([
    ['AD', 9, 'AD_CONVERSION', 10],
    ['AD_DETAIL', 11, 'AD_CONVERSION_DETAIL', 12],
  ])(
    'of all campaigns is the sum of %s, and of purchases in its other file',
    async (type, at, other, kind) => {
      const days = await opened.truth('campaign', DAY);
      const total = (metric: string) =>
        Math.round(days.reduce((all, { total: one }) => all + Number(one[metric]), 0) * 1e6) / 1e6;
      const rows = await opened.file(type, DAY);
      const sales = await opened.file(other, DAY);
      const purchases = sales.filter((row) => row[kind] === 'purchase');
      expect(sum(rows, at)).toBe(total('impressions'));
      expect(sum(rows, at + 1)).toBe(total('clicks'));
      expect(sum(rows, at + 2)).toBe(total('spend'));
      expect(sum(purchases, kind + 1)).toBe(total('conversions'));
      expect(sum(purchases, kind + 2)).toBe(total('amount'));
      expect(purchases.length).toBeGreaterThan(0);
      expect(purchases.length).toBeLessThan(sales.length);
    },
  );

  it('of an age is the sum of its criterion over devices', async () => {
    const [group] = (await opened.truth('adGroup', DAY)).filter(
      ({ lists }) => lists.age.length > 2,
    );
    const rows = await opened.file('CRITERION', DAY);
    for (const { value, impressions, clicks } of group.lists.age) {
      const [from, to] = value === 'unknown' ? ['XX', 'XX'] : value.replace('+', '-XX').split('-');
      const code = `AG${from.padStart(2, '0')}${to.padStart(2, '0')}`;
      const own = rows.filter(([, , id]) => id === `${group.entity}~${code}`);
      expect([value, sum(own, 4), sum(own, 5)]).toEqual([
        value,
        Number(impressions),
        Number(clicks),
      ]);
    }
    expect(new Set(rows.map(([, , id]) => id?.split('~')[1]?.slice(0, 2)))).toEqual(
      new Set(['AG', 'GN', 'RL', 'SD']),
    );
  });

  it('has no conversions by hour and region for days beyond 45', async () => {
    const [old] = await opened.truth('campaign', '2026-10-05');
    const [young] = await opened.truth('campaign', '2026-10-06');
    expect([old.lists.hour[0].conversions, old.lists.region[0].amount]).toEqual([null, null]);
    expect(old.lists.device[0].conversions).not.toBeNull();
    expect(young.lists.hour[0].conversions).not.toBeNull();
  });
});
