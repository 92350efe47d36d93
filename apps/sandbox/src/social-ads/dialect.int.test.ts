import { createHmac } from 'node:crypto';
import { type Answer, startTestSandbox, type TestSandbox } from '../testing.ts';

let test: TestSandbox;
let account: string;

const TOKEN = 'sandbox-social-token';
const TEN_DAYS = JSON.stringify({ since: '2026-10-01', until: '2026-10-10' });

beforeAll(async () => {
  test = await startTestSandbox();
  const { body } = await test.get(graph('/me/adaccounts'));
  account = (body.data as { id: string }[])[0]?.id ?? '';
});
afterAll(() => test.sandbox.close());

function graph(path: string, params: Record<string, string> = {}): string {
  return `/social-ads${path}?${new URLSearchParams({ access_token: TOKEN, ...params }).toString()}`;
}

function insights(params: Record<string, string>): Promise<Answer> {
  return test.get(graph(`/v26.0/${account}/insights`, { time_range: TEN_DAYS, ...params }));
}

function errorOf({ body }: Answer): Record<string, unknown> {
  return body.error as Record<string, unknown>;
}

describe('who may ask', () => {
  it('takes the token from the query and from the Authorization header, under each version and without one', async () => {
    for (const version of ['/v26.0', '/v25.0', '']) {
      expect((await test.get(graph(`${version}/me`))).status).toBe(200);
      const headers = { authorization: `Bearer ${TOKEN}` };
      expect((await test.get(`/social-ads${version}/me`, headers)).status).toBe(200);
    }
    expect(errorOf(await test.get(graph('/v19.0/me'))).code).toBe(2635);
  });

  it('refuses a missing token with 104 and a bad one with 190, as HTTP 400', async () => {
    expect(errorOf(await test.get('/social-ads/v26.0/me')).code).toBe(104);
    const bad = await test.get(graph('/v26.0/me', { access_token: 'nonsense' }));
    expect(bad.status).toBe(400);
    expect(errorOf(bad)).toMatchObject({ type: 'OAuthException', code: 190 });
    expect(errorOf(bad).fbtrace_id).toMatch(/\w/);
  });

  it('exchanges a token for one that works for 60 days of the sandbox clock', async () => {
    const own = await startTestSandbox();
    const query = {
      grant_type: 'fb_exchange_token',
      client_id: '100000000000001',
      client_secret: 'sandbox-social-secret',
      fb_exchange_token: TOKEN,
    };
    const { body } = await own.get(graph('/oauth/access_token', query));
    expect(body).toMatchObject({ token_type: 'bearer', expires_in: 5_184_000 });
    const long = { access_token: String(body.access_token) };
    expect((await own.get(graph('/v26.0/me', long))).status).toBe(200);
    await own.send('POST', '/__sandbox/clock', { advanceMs: 61 * 86_400_000 });
    expect(errorOf(await own.get(graph('/v26.0/me', long)))).toMatchObject({
      code: 190,
      error_subcode: 463,
    });
    const debug = await own.get(graph('/debug_token', { input_token: long.access_token }));
    expect(debug.body.data).toMatchObject({ is_valid: false });
    const app = { access_token: '100000000000001|sandbox-social-secret' };
    const asked = await own.get(graph('/debug_token', { ...app, input_token: TOKEN }));
    expect(asked.body.data).toMatchObject({ is_valid: true, expires_at: 0 });
    expect(errorOf(await own.get(graph('/v26.0/me', app))).code).toBe(190);
    await own.sandbox.close();
  });

  it('checks appsecret_proof when it is sent and demands it when the app does', async () => {
    const own = await startTestSandbox({ requireProof: true });
    const appsecret_proof = createHmac('sha256', 'sandbox-social-secret')
      .update(TOKEN)
      .digest('hex');
    expect(errorOf(await own.get(graph('/v26.0/me'))).code).toBe(100);
    expect((await own.get(graph('/v26.0/me', { appsecret_proof }))).status).toBe(200);
    expect(errorOf(await test.get(graph('/v26.0/me', { appsecret_proof: 'x' }))).code).toBe(100);
    await own.sandbox.close();
  });
});

describe('lists', () => {
  it('leaves archived and deleted entities out unless a status filter names them', async () => {
    const plain = await test.walk(
      graph(`/v26.0/${account}/campaigns`, { fields: 'effective_status', limit: '2' }),
    );
    const filtering = JSON.stringify([
      { field: 'campaign.effective_status', operator: 'IN', value: ['ARCHIVED'] },
    ]);
    const archived = await test.walk(
      graph(`/v26.0/${account}/campaigns`, { fields: 'effective_status', filtering }),
    );
    const deleted = await test.walk(
      graph(`/v26.0/${account}/ads`, {
        fields: 'effective_status',
        effective_status: '["DELETED"]',
      }),
    );
    expect(plain.rows.length).toBeGreaterThan(2);
    expect(plain.rows.map((row) => row.effective_status)).not.toContain('ARCHIVED');
    expect(new Set(archived.rows.map((row) => row.effective_status))).toEqual(
      new Set(['ARCHIVED']),
    );
    expect(new Set(deleted.rows.map((row) => row.effective_status))).toEqual(new Set(['DELETED']));
  });

  it('leads from account to ads by the edges and reads each object by its id', async () => {
    const { rows: campaigns } = await test.walk(graph(`/v26.0/${account}/campaigns`));
    const [campaign] = campaigns;
    const { rows: adsets } = await test.walk(
      graph(`/v26.0/${String(campaign?.id)}/adsets`, { fields: 'campaign_id,name' }),
    );
    expect(new Set(adsets.map((row) => row.campaign_id))).toEqual(new Set([campaign?.id]));
    const { rows: ads } = await test.walk(
      graph(`/v26.0/${String(adsets[0]?.id)}/ads`, { fields: 'adset_id,account_id,status' }),
    );
    const { body } = await test.get(
      graph(`/v26.0/${String(ads[0]?.id)}`, { fields: 'adset_id,account_id' }),
    );
    expect(body).toEqual({ adset_id: adsets[0]?.id, account_id: account.slice(4), id: ads[0]?.id });
    expect(Number.isSafeInteger(Number(body.id))).toBe(false);
  });

  it('lists creatives and reads each by its id', async () => {
    const { rows } = await test.walk(graph(`/v26.0/${account}/adcreatives`, { fields: 'name' }));
    const id = String(rows[0]?.id);
    expect((await test.get(graph(`/v26.0/${id}/`, { fields: 'name,object_type' }))).body).toEqual({
      name: rows[0]?.name,
      object_type: 'SHARE',
      id,
    });
  });

  it('answers 100/33 for an id that does not exist', async () => {
    const answer = await test.get(graph('/v26.0/123'));
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({
      code: 100,
      error_subcode: 33,
      type: 'GraphMethodException',
    });
  });
});

describe('insights', () => {
  const detailed = {
    level: 'ad',
    time_increment: '1',
    fields: 'ad_id,impressions',
    breakdowns: 'age,gender',
  };

  it('gives the same rows for every page size, with empty pages that carry a next on the way', async () => {
    const path = (limit: string) =>
      graph(`/v26.0/${account}/insights`, { ...detailed, time_range: TEN_DAYS, limit });
    const whole = await test.walk(path('5000'));
    const small = await test.walk(path('37'));
    expect(small.rows).toEqual(whole.rows);
    expect(whole.rows.length).toBeGreaterThan(500);
    expect(small.emptyPages).toBeGreaterThan(0);
  });

  it('refuses a cursor of another list', async () => {
    const { body } = await insights({ ...detailed, limit: '5' });
    const { cursors } = body.paging as { cursors: { after: string } };
    expect(errorOf(await insights({ level: 'campaign', after: cursors.after })).code).toBe(100);
  });

  it('sends metrics as strings and leaves action types without a count away', async () => {
    const { body } = await insights({
      level: 'ad',
      time_increment: '1',
      fields: 'impressions,spend,actions,ctr,clicks',
      limit: '200',
    });
    const rows = body.data as Record<string, unknown>[];
    const entries = rows.flatMap(
      (row) => (row.actions ?? []) as { action_type: string; value: string }[],
    );
    expect(entries.every((entry) => typeof entry.value === 'string' && entry.value !== '0')).toBe(
      true,
    );
    const types = rows.map((row) =>
      ((row.actions ?? []) as { action_type: string }[]).map((entry) => entry.action_type),
    );
    expect(types.some((names) => !names.includes('omni_purchase'))).toBe(true);
    expect(
      types.some(
        (names) => names.includes('omni_purchase') && !names.includes('onsite_conversion.purchase'),
      ),
    ).toBe(true);
    expect(Number(rows[0]?.ctr)).toBeCloseTo(
      (Number(rows[0]?.clicks) / Number(rows[0]?.impressions)) * 100,
      4,
    );
  });

  it('gives each window its own key, repeats a type when an action breakdown splits it, and the parts add up', async () => {
    const base = {
      level: 'account',
      fields: 'actions',
      time_range: JSON.stringify({ since: '2026-08-01', until: '2026-09-30' }),
    };
    type Entries = Record<string, string>[];
    const read = async (more: Record<string, string>): Promise<Entries> => {
      const { body } = await insights({ ...base, ...more });
      const [row] = body.data as { actions: Entries }[];
      return (row?.actions ?? []).filter((entry) => entry.action_type === 'omni_purchase');
    };
    const windows = ['1d_click', '7d_click', '28d_click', '1d_view', '1d_ev'];
    const [entry = {}] = await read({ action_attribution_windows: JSON.stringify(windows) });
    const count = (name: string) => Number(entry[name]);
    expect(count('1d_click')).toBeLessThan(count('7d_click'));
    expect(count('7d_click')).toBeLessThan(count('28d_click'));
    expect(count('28d_click') + count('1d_view') + count('1d_ev')).toBe(count('value'));
    const split = await read({ action_breakdowns: 'action_type,action_device' });
    expect(split).toHaveLength(2);
    expect(split.reduce((sum, part) => sum + Number(part.value), 0)).toBe(count('value'));
  });

  it.each([
    [{ fields: 'age', breakdowns: 'age' }, 100, undefined],
    [{ fields: 'impresions' }, 100, undefined],
    [{ breakdowns: 'dma' }, 100, undefined],
    [{ breakdowns: 'age,country' }, 2, 1504041],
    [{ level: 'keyword' }, 100, undefined],
    [{ time_range: '{"since":"2026-02-30","until":"2026-03-01"}' }, 100, undefined],
    [{ time_range: '{"since":"2026-10-02","until":"2026-10-01"}' }, 100, 1487534],
    [{ time_range: '{"since":"2023-10-19","until":"2023-11-01"}' }, 3018, undefined],
    [
      {
        time_range: '{"since":"2025-10-19","until":"2025-11-01"}',
        breakdowns: 'hourly_stats_aggregated_by_advertiser_time_zone',
      },
      3018,
      undefined,
    ],
    [{ filtering: '{' }, 100, undefined],
    [{ time_increment: '0' }, 100, undefined],
    [{ limit: '-1' }, 100, undefined],
  ] as [Record<string, string>, number, number | undefined][])(
    'refuses %j with code %i',
    async (params, code, subcode) => {
      const answer = await insights(params);
      expect(answer.status).toBe(400);
      expect(errorOf(answer).code).toBe(code);
      expect(errorOf(answer).error_subcode).toBe(subcode);
    },
  );

  it('refuses too large synchronous questions with 400 for ads and 500 for campaigns, and takes them as reports', async () => {
    const ads = {
      level: 'ad',
      breakdowns: 'age,gender',
      time_range: JSON.stringify({ since: '2026-01-01', until: '2026-10-10' }),
    };
    const campaigns = {
      ...ads,
      level: 'campaign',
      time_range: JSON.stringify({ since: '2023-11-01', until: '2026-10-10' }),
    };
    const refused = await insights(ads);
    expect([refused.status, errorOf(refused).error_subcode]).toEqual([400, 1504018]);
    expect((await insights(campaigns)).status).toBe(500);
    const run = await test.send('POST', graph(`/v26.0/${account}/insights`, ads), undefined);
    expect(run.body.report_run_id).toMatch(/^\d+$/);
  });

  it('drops reach from breakdowns that begin more than 13 months ago and keeps it in totals', async () => {
    const old = {
      fields: 'impressions,reach',
      time_range: JSON.stringify({ since: '2025-06-01', until: '2025-06-02' }),
    };
    const [total] = (await insights(old)).body.data as Record<string, string>[];
    const [row] = (await insights({ ...old, breakdowns: 'age' })).body.data as Record<
      string,
      string
    >[];
    expect(Number(total?.reach)).toBeGreaterThan(0);
    expect(row?.reach).toBeUndefined();
  });

  it('tells no purchases by region and by hour, and no people by hour', async () => {
    const read = async (breakdowns: string) =>
      (await insights({ fields: 'actions,reach,unique_clicks', breakdowns, limit: '500' })).body
        .data as Record<string, unknown>[];
    const text = JSON.stringify([
      await read('region'),
      await read('hourly_stats_aggregated_by_advertiser_time_zone'),
    ]);
    expect(text).toContain('link_click');
    expect(text).not.toContain('purchase');
    const hours = await read('hourly_stats_aggregated_by_advertiser_time_zone');
    expect(new Set(hours.flatMap((row) => [row.reach, row.unique_clicks]))).toEqual(new Set(['0']));
  });

  it('answers breakdowns that need an opt-in without rows', async () => {
    for (const breakdowns of [
      'impression_device',
      'hourly_stats_aggregated_by_audience_time_zone',
    ]) {
      expect((await insights({ breakdowns })).body).toEqual({ data: [] });
    }
  });
});

describe('reports', () => {
  const params = {
    level: 'campaign',
    time_increment: 1,
    fields: ['campaign_id', 'impressions'],
    time_range: { since: '2026-10-01', until: '2026-10-10' },
  };

  async function finish(id: unknown): Promise<string[]> {
    const seen: string[] = [];
    for (let poll = 0; poll < 10 && seen.at(-1) !== 'Job Completed 100'; poll += 1) {
      const { status, body } = await test.get(graph(`/v26.0/${String(id)}`));
      const { error_subcode: subcode } = (body.error ?? {}) as Record<string, unknown>;
      seen.push(
        status === 200
          ? `${String(body.async_status)} ${String(body.async_percent_completion)}`
          : `error ${String(subcode)}`,
      );
    }
    return seen;
  }

  it('takes a form, nested JSON and JSON texts for the same report, which equals the synchronous answer', async () => {
    const flat = {
      ...params,
      time_increment: '1',
      fields: 'campaign_id,impressions',
      time_range: TEN_DAYS,
    };
    const form = await fetch(`${test.url}${graph(`/v26.0/${account}/insights`)}`, {
      method: 'POST',
      body: new URLSearchParams(flat),
    });
    const ids = [
      ((await form.json()) as Record<string, unknown>).report_run_id,
      (await test.send('POST', graph(`/v26.0/${account}/insights`), params)).body.report_run_id,
      (await test.send('POST', graph(`/v26.0/${account}/insights`), flat)).body.report_run_id,
    ];
    const sync = await test.walk(graph(`/v26.0/${account}/insights`, flat));
    for (const id of ids) {
      await finish(id);
      expect(
        (await test.walk(graph(`/v26.0/${String(id)}/insights`, { limit: '7' }))).rows,
      ).toEqual(sync.rows);
    }
  });

  it('reaches 100 percent before it is done, is now and then not visible at first, and keeps its rows back until done', async () => {
    const histories: string[][] = [];
    for (let i = 0; i < 12; i += 1) {
      const { body } = await test.send('POST', graph(`/v26.0/${account}/insights`), params);
      expect(
        errorOf(await test.get(graph(`/v26.0/${String(body.report_run_id)}/insights`))).code,
      ).toBe(2601);
      histories.push(await finish(body.report_run_id));
    }
    expect(
      histories.every(
        (seen) => seen.includes('Job Running 100') && seen.at(-1) === 'Job Completed 100',
      ),
    ).toBe(true);
    expect(histories.some((seen) => seen[0] === 'error 33')).toBe(true);
    expect(histories.some((seen) => seen[0] !== 'error 33')).toBe(true);
  });

  it('holds the figures of the moment of its creation and forgets them after 30 days', async () => {
    const own = await startTestSandbox();
    const today = {
      level: 'account',
      fields: 'impressions',
      time_range: { since: '2026-11-20', until: '2026-11-20' },
    };
    const { body } = await own.send('POST', graph(`/v26.0/${account}/insights`), today);
    for (let poll = 0; poll < 5; poll += 1)
      await own.get(graph(`/v26.0/${String(body.report_run_id)}`));
    const before = await own.walk(graph(`/v26.0/${String(body.report_run_id)}/insights`));
    await own.send('POST', '/__sandbox/clock', { advanceMs: 29 * 86_400_000 });
    expect((await own.walk(graph(`/v26.0/${String(body.report_run_id)}/insights`))).rows).toEqual(
      before.rows,
    );
    await own.send('POST', '/__sandbox/clock', { advanceMs: 2 * 86_400_000 });
    expect(
      errorOf(await own.get(graph(`/v26.0/${String(body.report_run_id)}`))).error_subcode,
    ).toBe(33);
    await own.sandbox.close();
  });

  it('answers a batch part by part with bodies as text', async () => {
    const batch = JSON.stringify([
      { method: 'GET', relative_url: 'v26.0/me' },
      { method: 'GET', relative_url: '123?fields=id' },
      { method: 'POST', relative_url: `${account}/insights`, body: 'level=account' },
    ]);
    const { body } = await test.send('POST', graph('/v26.0/'), { batch });
    const parts = body as unknown as {
      code: number;
      body: string;
      headers: { name: string; value: string }[];
    }[];
    expect(parts.map((part) => part.code)).toEqual([200, 400, 200]);
    expect(JSON.parse(parts[2]?.body ?? '')).toHaveProperty('report_run_id');
    expect(parts[0]?.headers).toContainEqual({
      name: 'content-type',
      value: 'text/javascript; charset=UTF-8',
    });
  });
});

it('counts calls in headers keyed by the bare account id and throttles with HTTP 400 once the hour is used up', async () => {
  const own = await startTestSandbox({ callsPerHour: 10 });
  const bare = account.slice(4);
  const percents: number[] = [];
  for (let call = 0; call < 10; call += 1) {
    const { headers } = await own.get(graph(`/v26.0/${account}/insights`));
    percents.push(JSON.parse(headers.get('x-business-use-case-usage') ?? '')[bare][0].call_count);
  }
  expect(percents).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  const refused = await own.get(graph(`/v26.0/${account}/insights`));
  expect(refused.status).toBe(400);
  expect(errorOf(refused)).toMatchObject({
    code: 80000,
    error_subcode: 2446079,
    is_transient: true,
  });
  const [usage] = JSON.parse(refused.headers.get('x-business-use-case-usage') ?? '')[bare];
  expect(usage.estimated_time_to_regain_access).toBe(30);
  await own.send('POST', '/__sandbox/clock', {
    advanceMs: usage.estimated_time_to_regain_access * 60_000,
  });
  expect((await own.get(graph(`/v26.0/${account}/insights`))).status).toBe(200);
  await own.sandbox.close();
});
