import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuthLostError, RateLimitedError, RetryableError } from '@tributary/runtime';
import { CHANNELS, type Entity, findSource } from '@tributary/shared';
import type { PendingReport } from '../connector.ts';
import { createAgent } from '../http/agent.ts';
import { createHttpClient } from '../http/http-client.ts';
import { createOpenBudget, describeConnectorContract, drain } from '../testing/contract.ts';
import { json, type ScriptedServer, startScriptedServer } from '../testing/scripted-server.ts';
import { isGraphError } from './client.ts';
import { createSocialAdsConnector } from './index.ts';

const ACCOUNT = { id: '104209876543210', zone: 'Asia/Seoul', currency: 'KRW' };
const CAMPAIGN = '120210987654321987';
const NOW = Date.UTC(2026, 10, 21, 12);

interface Fixture {
  data: Record<string, unknown>[];
}
function fixture(name: string): Fixture {
  return JSON.parse(readFileSync(join(__dirname, 'fixtures', `${name}.json`), 'utf8'));
}

function source(id: string) {
  const found = findSource(CHANNELS.SOCIAL_ADS, id);
  if (!found) throw new Error(`No source ${id}`);
  return found;
}

function open(deps: Parameters<Parameters<typeof describeConnectorContract>[1]['open']>[0]) {
  const agent = createAgent();
  const http = createHttpClient({
    dispatcher: agent,
    repeatWaitMs: 5,
    isPlatformError: isGraphError,
  });
  const reports = { firstPollMs: 10, patienceMs: 300 };
  return {
    connector: createSocialAdsConnector({ ...deps, http, reports }),
    close: () => agent.destroy(),
  };
}

function throttle(body: object, regainMinutes = 0) {
  const usage = { type: 'ads_insights', call_count: 100, total_cputime: 3, total_time: 4 };
  const one = { ...usage, estimated_time_to_regain_access: regainMinutes };
  return [
    { error: { message: 'There have been too many calls', type: 'OAuthException', ...body } },
    400,
    { 'x-business-use-case-usage': JSON.stringify({ [ACCOUNT.id]: [one] }) },
  ] as const;
}

const deviceRows = fixture('campaign-device').data;
const secondRows = [
  {
    account_id: ACCOUNT.id,
    campaign_id: CAMPAIGN,
    date_start: '2026-11-19',
    date_stop: '2026-11-19',
    impressions: '10',
    clicks: '1',
    spend: '0.333333',
    reach: '9',
    device_platform: 'mobile_web',
  },
  {
    account_id: ACCOUNT.id,
    campaign_id: CAMPAIGN,
    date_start: '2026-11-19',
    date_stop: '2026-11-19',
    impressions: '7',
    clicks: '0',
    spend: '0.07',
    reach: '7',
    device_platform: 'connected_tv',
  },
];

describeConnectorContract('SOCIAL_ADS', {
  open,
  credentials: { accessToken: 'EAAB-secret-token', appSecret: 'app-secret' },
  settings: () => ({}),
  secrets: [
    'EAAB-secret-token',
    'app-secret',
    createHmac('sha256', 'app-secret').update('EAAB-secret-token').digest('hex'),
  ],
  accountsAnswer: fixture('accounts'),
  accounts: [
    { id: ACCOUNT.id, title: 'Tea House', zone: 'Asia/Seoul', currency: 'KRW', status: 'active' },
    {
      id: '104209876543211',
      title: 'Old shop',
      zone: 'America/Los_Angeles',
      currency: 'USD',
      status: 'closed',
    },
  ],
  request: { account: ACCOUNT, source: source('c-device'), from: '2026-11-18', to: '2026-11-19' },
  page: (data, next) => ({
    data,
    paging: next
      ? { cursors: { before: 'x', after: next }, next: `https://elsewhere.example/?after=${next}` }
      : { cursors: { before: 'x', after: 'y' } },
  }),
  cursorParam: 'after',
  rows: [deviceRows, secondRows],
  observed: [
    {
      day: '2026-11-18',
      set: 'c-device',
      rows: [
        // mobile_app + mobile_web: 839 + 161, 12 + 3, 2 + 0 omni_purchase, 61.5 + 0, 14.25 + 0.75; people cannot be added.
        [CAMPAIGN, '', '', 'mobile', 1000, 15, 2_000_000, 61_500_000, 15_000_000, null, null],
        // One purchase without a value: amount 0. 1.1 = 1,100,000 millionths.
        [CAMPAIGN, '', '', 'desktop', 40, 1, 1_000_000, 0, 1_100_000, null, 31],
        [CAMPAIGN, '', '', 'unknown', 5, 0, 0, 0, 0, null, 5],
      ],
    },
    {
      day: '2026-11-19',
      set: 'c-device',
      rows: [
        [CAMPAIGN, '', '', 'mobile', 10, 1, 0, 0, 333_333, null, null],
        [CAMPAIGN, '', '', 'other', 7, 0, 0, 0, 70_000, null, null],
      ],
    },
  ],
  spoilt: [...deviceRows.slice(1, 3), { ...secondRows[0], impressions: '1,234' }],
  throttle: (res) => json(res, ...throttle({ code: 80000 }, 7)),
  authLost: (res) =>
    json(
      res,
      {
        error: {
          message: 'Session has expired',
          type: 'OAuthException',
          code: 190,
          error_subcode: 463,
        },
      },
      400,
    ),
});

const access = (settings: object = {}, signal = new AbortController().signal) => ({
  link: 'link1',
  credentials: { accessToken: 'EAAB-secret-token', appId: '77' },
  settings: { conversion: 'omni_purchase', ...settings },
  signal,
});
const row = (more: object = {}) => ({
  account_id: ACCOUNT.id,
  date_start: '2026-11-18',
  date_stop: '2026-11-18',
  impressions: '10',
  clicks: '2',
  spend: '1',
  reach: '8',
  ...more,
});
describe('SOCIAL_ADS', () => {
  let server: ScriptedServer;
  let opened: ReturnType<typeof open>;
  let budget: ReturnType<typeof createOpenBudget>;
  beforeEach(async () => {
    server = await startScriptedServer();
    budget = createOpenBudget();
    opened = open({ baseUrl: server.url, budget: budget.budget, clock: { now: () => NOW } });
    reports.splice(0);
  });
  afterEach(async () => {
    await opened.close();
    await server.close();
  });

  const reports: PendingReport[] = [];
  const collect = (
    id: string,
    more: { rowsExpected?: number; report?: PendingReport } = {},
    settings = {},
  ) =>
    drain(
      opened.connector.collect({
        ...access(settings),
        account: ACCOUNT,
        source: source(id),
        from: '2026-11-18',
        to: '2026-11-19',
        onReport: async (report) => {
          reports.push(report);
        },
        ...more,
      }),
    );
  const answerRows = (...data: object[]) => server.answer((_seen, res) => json(res, { data }));

  test('asks for exactly what a list needs and never lists the breakdown among the fields', async () => {
    answerRows();
    await collect('g-age');
    const asked = server.seen[0];
    expect(asked?.url.pathname).toBe(`/v26.0/act_${ACCOUNT.id}/insights`);
    expect(Object.fromEntries(asked?.url.searchParams ?? [])).toEqual({
      level: 'adset',
      time_increment: '1',
      time_range: '{"since":"2026-11-18","until":"2026-11-19"}',
      fields:
        'account_id,campaign_id,adset_id,impressions,clicks,spend,reach,actions,action_values',
      breakdowns: 'age',
      filtering: expect.stringContaining('"adset.effective_status","operator":"IN"'),
      use_account_attribution_setting: 'true',
      limit: '500',
      access_token: 'EAAB-secret-token',
    });
    expect(budget.taken).toEqual([`SOCIAL_ADS/77/${ACCOUNT.id}/insights`]);
  });

  test('hours are two digits, without reach and conversions, and a zero row without an hour is dropped', async () => {
    server.answer((_seen, res) => json(res, fixture('account-hour')));
    const { observed, error } = await collect('a-hour');
    expect(error).toBeUndefined();
    expect(server.seen[0]?.url.searchParams.get('fields')).toBe(
      'account_id,impressions,clicks,spend',
    );
    expect(observed).toEqual([
      {
        day: '2026-11-18',
        set: 'a-hour',
        rows: [
          ['', '', '', '00', 120, 4, null, null, 3_070_000, null, null],
          ['', '', '', '23', 88, 1, null, null, 2_900_000, null, null],
        ],
      },
    ]);
  });

  test.each([
    ['a delivering row without an hour', 'a-hour', row()],
    [
      'an hour that is no hour',
      'a-hour',
      row({ hourly_stats_aggregated_by_advertiser_time_zone: '24:00:00 - 24:59:59' }),
    ],
    ['another account', 'a-base', row({ account_id: '1' })],
    [
      'a day before the window',
      'a-base',
      row({ date_start: '2026-11-17', date_stop: '2026-11-17' }),
    ],
    [
      'a day after the window',
      'a-base',
      row({ date_start: '2026-11-20', date_stop: '2026-11-20' }),
    ],
    ['two days in one row', 'a-base', row({ date_stop: '2026-11-19' })],
    ['a campaign row without its id', 'c-base', row()],
    ['a negative spend', 'a-base', row({ spend: '-0.01' })],
    ['a grouped number', 'a-base', row({ spend: '1,234.5' })],
    ['NaN', 'a-base', row({ clicks: 'NaN' })],
    ['a broken count', 'a-base', row({ impressions: '1.5' })],
    [
      'one action type twice',
      'a-base',
      row({
        actions: [
          { action_type: 'omni_purchase', value: '1' },
          { action_type: 'omni_purchase', value: '2' },
        ],
      }),
    ],
    ['an action without a value', 'a-base', row({ actions: [{ action_type: 'omni_purchase' }] })],
    ['an age list without ages', 'a-age', row()],
  ])('refuses %s as malformed, giving nothing out', async (_name, id, bad) => {
    answerRows(bad);
    const { observed, error } = await collect(id);
    expect(error).toBeInstanceOf(RetryableError);
    expect(error?.code).toMatch(/^malformed/);
    expect(observed).toEqual([]);
  });

  test('counts only the action type of the link, at its default value', async () => {
    const actions = [
      { action_type: 'lead', value: '3' },
      { action_type: 'purchase', value: '1.5' },
    ];
    answerRows(row({ actions }));
    const ofLead = await collect('a-base', {}, { conversion: 'lead' });
    const ofDefault = await collect('a-base');
    expect(ofLead.observed[0]?.rows[0]).toEqual([
      '',
      '',
      '',
      '',
      10,
      2,
      3_000_000,
      0,
      1_000_000,
      null,
      8,
    ]);
    expect(ofDefault.observed[0]?.rows[0]).toEqual([
      '',
      '',
      '',
      '',
      10,
      2,
      0,
      0,
      1_000_000,
      null,
      8,
    ]);
  });

  test('figures beyond 2^53 stay exact', async () => {
    answerRows(row({ impressions: '9007199254740993', spend: '9007199254.740993' }));
    const { observed } = await collect('a-base');
    expect(observed[0]?.rows[0]).toEqual([
      '',
      '',
      '',
      '',
      9007199254740993n,
      2,
      0,
      0,
      9007199254740993n,
      null,
      8,
    ]);
  });

  test('a region without a name is unknown, has no conversions, and its reach is null where it is left out', async () => {
    answerRows(
      row({
        region: 'Seoul',
        reach: undefined,
        actions: [{ action_type: 'omni_purchase', value: '1' }],
      }),
      row({ reach: '3' }),
      row({ region: 'Unknown', reach: '4' }),
    );
    const { observed } = await collect('a-region');
    expect(observed.flatMap(({ rows }) => rows)).toEqual([
      ['', '', '', 'Seoul', 10, 2, null, null, 1_000_000, null, null],
      ['', '', '', 'unknown', 20, 4, null, null, 2_000_000, null, null],
    ]);
  });

  test('a platform row that comes twice is duplicate_row, never added up', async () => {
    answerRows(row({ country: 'KR' }), row({ country: 'JP' }), row({ country: 'KR' }));
    expect((await collect('a-country')).error?.code).toBe('duplicate_row');
  });

  test('lists campaigns, ad groups and ads with their parents, archived and deleted ones too', async () => {
    const answers: Record<string, object> = {
      campaigns: { id: 120210987654321, name: 'Spring', effective_status: 'ACTIVE' },
      adsets: { id: '2', name: '', effective_status: 'ARCHIVED', campaign_id: '1' },
      ads: { id: '3', name: 'A', effective_status: 'SOMETHING_NEW', adset_id: '2' },
    };
    server.answer(({ url }, res) =>
      json(res, { data: [answers[url.pathname.split('/').at(-1) ?? '']] }),
    );
    const listed: Entity[] = [];
    const pages = opened.connector.listEntities({ ...access(), account: ACCOUNT });
    for await (const page of pages) listed.push(...page);
    expect(listed).toEqual([
      { level: 'c', id: '120210987654321', parent: ACCOUNT.id, title: 'Spring', status: 'active' },
      { level: 'g', id: '2', parent: '1', title: '2', status: 'removed' },
      { level: 'd', id: '3', parent: '2', title: 'A', status: 'unknown' },
    ]);
    for (const { url } of server.seen) {
      expect(url.searchParams.get('filtering')).toContain('"DELETED","ARCHIVED"');
    }
  });

  test('keeps only the accounts that the link names, and says so when none is reached', async () => {
    server.answer((_seen, res) => json(res, fixture('accounts')));
    const one = await opened.connector.listAccounts(
      access({ accountIds: ['act_104209876543211'] }),
    );
    expect(one.map(({ id }) => id)).toEqual(['104209876543211']);
    const none = opened.connector.listAccounts(access({ accountIds: ['5'] }));
    await expect(none).rejects.toMatchObject({ code: 'no_account', name: 'AuthLostError' });
  });

  test.each([
    [{ code: 4, error_subcode: 1504022 }, 'RateLimitedError', 'rate_limited'],
    [{ code: 17, error_subcode: 2446079 }, 'RateLimitedError', 'rate_limited'],
    [{ code: 32 }, 'RateLimitedError', 'rate_limited'],
    [{ code: 613, error_subcode: 1487742 }, 'RateLimitedError', 'rate_limited'],
    [{ code: 80000 }, 'RateLimitedError', 'rate_limited'],
    [
      { code: 80004, error_subcode: 2446079, is_transient: true },
      'RateLimitedError',
      'rate_limited',
    ],
    [{ code: 80008 }, 'RateLimitedError', 'rate_limited'],
    [{ code: 190 }, 'AuthLostError', 'grant_rejected'],
    [{ code: 190, error_subcode: 460 }, 'AuthLostError', 'password_changed'],
    [{ code: 102 }, 'AuthLostError', 'grant_rejected'],
    [{ code: 10 }, 'AuthLostError', 'scope_missing'],
    [{ code: 200 }, 'AuthLostError', 'scope_missing'],
    [{ code: 299 }, 'AuthLostError', 'scope_missing'],
    [{ code: 100 }, 'FatalError', 'bad_request'],
    [{ code: 100, error_subcode: 33 }, 'AuthLostError', 'object_missing'],
    [{ code: 3018 }, 'FatalError', 'out_of_history'],
    [{ code: 2, error_subcode: 1504041 }, 'FatalError', 'bad_breakdown'],
    [{ code: 1 }, 'RetryableError', 'platform_error'],
    [{ code: 2, is_transient: true }, 'RetryableError', 'platform_error'],
    [{ code: 987654 }, 'RetryableError', 'platform_error'],
  ])('%j is %s %s, whatever the HTTP status', async (error, name, code) => {
    for (const status of [200, 400, 401, 403, 500]) {
      server.answer((_seen, res) =>
        json(
          res,
          { error: { message: 'EAAB-secret-token is bad', type: 'OAuthException', ...error } },
          status,
        ),
      );
      const got = (await collect('a-base')).error;
      expect([status, got?.name, got?.code]).toEqual([status, name, code]);
      expect(got?.message).not.toContain('EAAB-secret-token');
    }
  });

  test("waits for the platform's estimate, else five minutes that double", async () => {
    const waits: number[] = [];
    for (const regain of [7, 0, 0, 0, 0, 0]) {
      server.answer((_seen, res) => json(res, ...throttle({ code: 17 }, regain)));
      const { until } = (await collect('a-base')).error as RateLimitedError; // Else NaN, which fails below.
      waits.push((until - NOW) / 60_000);
    }
    expect(waits).toEqual([7, 10, 20, 40, 60, 60]);
  });

  test('blocks the budget at 95 % of the allowance, with the answer still used', async () => {
    const [, , headers] = throttle({}, 3);
    server.answer((_seen, res) => json(res, { data: [row()] }, 200, headers));
    const { observed, error } = await collect('a-base');
    expect(error).toBeUndefined();
    expect(observed).toHaveLength(1);
    expect(budget.blocked.get(`SOCIAL_ADS/77/${ACCOUNT.id}/insights`)).toBe(NOW + 180_000);
  });

  test.each([
    ['x-app-usage', '{"call_count":94,"total_time":10}', 0],
    ['x-app-usage', '{"call_count":96,"total_time":10}', 1],
    ['x-fb-ads-insights-throttle', '{"app_id_util_pct":0,"acc_id_util_pct":97.5}', 1],
    ['x-ad-account-usage', '{"acc_id_util_pct":95}', 1],
    ['x-business-use-case-usage', 'not json', 0],
    ['x-business-use-case-usage', '[1]', 0],
  ])('reads %s: %s', async (header, value, blocks) => {
    server.answer((_seen, res) => json(res, { data: [] }, 200, { [header]: value }));
    expect((await collect('a-base')).error).toBeUndefined();
    expect(budget.blocked.size).toBe(blocks);
  });

  describe('a report run', () => {
    /** Answers a run's polls one after the other, the last one for ever. */
    const serveRun = (...states: [status: string, percent: number, more?: object][]) => {
      let polls = 0;
      server.answer(({ method, url }, res) => {
        if (method === 'POST') return json(res, { report_run_id: '6012345' });
        if (url.pathname.endsWith('/6012345/insights')) return json(res, { data: [row()] });
        const [status, percent, more] = states[Math.min(polls, states.length - 1)] ?? [];
        polls += 1;
        if (status === 'unseen') {
          return json(
            res,
            { error: { code: 100, error_subcode: 33, message: 'Unsupported get request' } },
            400,
          );
        }
        return json(res, {
          id: '6012345',
          async_status: status,
          async_percent_completion: percent,
          ...more,
        });
      });
    };

    test('is created once, handed out before its first poll, and read only when status and percent say done', async () => {
      serveRun(['unseen', 0], ['Job Running', 100], ['Job Completed', 97], ['Job Completed', 100]);
      const { observed, error } = await collect('a-base', { rowsExpected: 50_000 });
      expect(error).toBeUndefined();
      expect(observed).toHaveLength(1);
      expect(reports).toEqual([{ id: '6012345', from: '2026-11-18', to: '2026-11-19' }]);
      expect(server.seen.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
        `POST /v26.0/act_${ACCOUNT.id}/insights`,
        ...Array.from({ length: 4 }, () => 'GET /v26.0/6012345'),
        'GET /v26.0/6012345/insights',
      ]);
      expect(server.seen[0]?.body).toContain('access_token=EAAB-secret-token');
      expect(server.seen[0]?.url.search).toBe('');
    });

    test('that was not stored is never polled', async () => {
      serveRun(['Job Completed', 100]);
      const refused = new Error('the database is away');
      const { error } = await drain(
        opened.connector.collect({
          ...access(),
          account: ACCOUNT,
          source: source('a-base'),
          from: '2026-11-18',
          to: '2026-11-19',
          rowsExpected: 50_000,
          onReport: () => Promise.reject(refused),
        }),
      );
      expect(error).toBe(refused);
      expect(server.seen).toHaveLength(1);
    });

    test('of an earlier turn is gone on with, without creating another', async () => {
      serveRun(['Job Completed', 100]);
      const report = { id: '6012345', from: '2026-11-18', to: '2026-11-19' };
      expect((await collect('a-base', { report })).observed).toHaveLength(1);
      expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'GET']);
      expect(reports).toEqual([]);
    });

    test('for another window is not used', async () => {
      serveRun(['Job Completed', 100]);
      const report = { id: '5', from: '2026-11-01', to: '2026-11-02' };
      await collect('a-base', { report, rowsExpected: 50_000 });
      expect(server.seen[0]?.method).toBe('POST');
    });

    test('that needs longer ends as report_running', async () => {
      serveRun(['Job Running', 10]);
      const { error } = await collect('a-base', { rowsExpected: 50_000 });
      expect(error).toBeInstanceOf(RetryableError);
      expect(error?.code).toBe('report_running');
      expect(reports).toHaveLength(1);
    });

    test("that failed ends as report_failed with the platform's words", async () => {
      serveRun(['Job Failed', 30, { error_code: 2, error_message: 'Internal trouble' }]);
      const { error } = await collect('a-base', { rowsExpected: 50_000 });
      expect(error?.code).toBe('report_failed');
      expect(error?.message).toContain('Internal trouble');
    });

    test('that the platform no longer knows ends as report_failed', async () => {
      serveRun(['unseen', 0]);
      const report = { id: '6012345', from: '2026-11-18', to: '2026-11-19' };
      expect((await collect('a-base', { report })).error?.code).toBe('report_failed');
    });

    test('is made once when the platform says that there is too much data', async () => {
      let polls = 0;
      server.answer(({ method, url }, res) => {
        if (method === 'POST') return json(res, { report_run_id: '7' });
        if (url.pathname.endsWith('/7/insights')) return json(res, { data: [row()] });
        if (url.pathname.endsWith('/7')) {
          polls += 1;
          return json(res, { async_status: 'Job Completed', async_percent_completion: 100 });
        }
        const message = "Please reduce the amount of data you're asking for";
        return json(res, { error: { code: 1, message } }, 500);
      });
      const { observed, error } = await collect('a-base');
      expect(error).toBeUndefined();
      expect(observed).toHaveLength(1);
      expect([server.seen.length, polls, reports.length]).toEqual([4, 1, 1]);
    });

    test('is left at once when the caller aborts', async () => {
      serveRun(['Job Running', 10]);
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error('stopping')), 50);
      const { error } = await drain(
        opened.connector.collect({
          ...access({}, controller.signal),
          account: ACCOUNT,
          source: source('a-base'),
          from: '2026-11-18',
          to: '2026-11-19',
          rowsExpected: 50_000,
          onReport: async () => {},
        }),
      );
      expect(error?.message).toBe('stopping');
    });
  });

  test('an error class tells what to do', async () => {
    server.answer((_seen, res) => json(res, { error: { code: 190, message: 'no' } }, 400));
    expect((await collect('a-base')).error).toBeInstanceOf(AuthLostError);
    server.answer((_seen, res) => json(res, {}, 429, { 'retry-after': '30' }));
    const { error } = await collect('a-base');
    expect(error).toBeInstanceOf(RateLimitedError);
    expect((error as RateLimitedError).until).toBe(NOW + 30_000); // Proved by the assertion above.
  });
});
