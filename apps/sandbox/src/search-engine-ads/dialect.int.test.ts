import { type Asked, type Json, type SearchSandbox, startSearchSandbox } from './testing.ts';
import { MANAGER_ID } from './world.ts';

const DAYS = "segments.date BETWEEN '2026-11-10' AND '2026-11-19'";
const DELIVERY = 'metrics.impressions, metrics.clicks, metrics.cost_micros';

jest.setTimeout(30_000);

let box: SearchSandbox;
beforeAll(async () => {
  box = await startSearchSandbox();
});
afterAll(() => box.sandbox.close());

/** The platform's own code, as its clients look for it. */
function codeOf({ body }: Asked): Json {
  const [first] = (Array.isArray(body) ? body : [body]) as { error: { details?: Json[] } }[];
  const [failure] = first?.error.details ?? [];
  const [error] = (failure?.errors ?? []) as { errorCode: Json }[];
  return error?.errorCode ?? {};
}

describe('access', () => {
  test.each([
    ['no token', {}, 401],
    ['a token of nobody', { authorization: 'Bearer nothing' }, 401],
  ])('%s is refused without a code of the platform', async (_name, headers, status) => {
    const asked = await box.call('/v26/customers:listAccessibleCustomers', { headers });
    expect(asked.status).toBe(status);
    expect(asked.body).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
    expect(codeOf(asked)).toEqual({});
  });

  test.each([
    ['refresh_token', 400, 'invalid_grant'],
    ['client_secret', 401, 'invalid_client'],
    ['grant_type', 400, 'unsupported_grant_type'],
  ])('a wrong %s gets no token', async (field, status, error) => {
    expect(await box.grant({ [field]: 'wrong' })).toMatchObject({ status, body: { error } });
  });

  test('the manager and the cancelled account are accessible at once, its clients through it', async () => {
    const { body } = await box.list();
    expect(body).toEqual({
      resourceNames: [`customers/${MANAGER_ID}`, `customers/${box.closed}`],
    });
    const query = 'SELECT customer_client.id, customer_client.status FROM customer_client';
    const rows = await box.rows(MANAGER_ID, query);
    expect(rows.map(({ customerClient }) => customerClient)).toMatchObject([
      { id: MANAGER_ID, status: 'ENABLED' },
      { id: box.seoul, status: 'ENABLED' },
      { id: box.newYork, status: 'ENABLED' },
      { id: box.closed, status: 'CANCELED' },
    ]);
  });

  const some = 'SELECT campaign.id FROM campaign';
  const metrics = `SELECT metrics.clicks FROM customer WHERE ${DAYS}`;
  test.each([
    [
      'a client without its manager',
      'seoul',
      some,
      '',
      { authorizationError: 'USER_PERMISSION_DENIED' },
    ],
    [
      'a cancelled client',
      'closed',
      some,
      MANAGER_ID,
      { authorizationError: 'CUSTOMER_NOT_ENABLED' },
    ],
    [
      'a login id with dashes',
      'seoul',
      some,
      '900-000-0001',
      { headerError: 'INVALID_LOGIN_CUSTOMER_ID' },
    ],
    [
      'metrics of the manager',
      'manager',
      metrics,
      MANAGER_ID,
      { queryError: 'REQUESTED_METRICS_FOR_MANAGER' },
    ],
  ] as const)('%s is refused', async (_name, who, query, login, code) => {
    const cid = who === 'manager' ? MANAGER_ID : box[who];
    const headers = { 'login-customer-id': login };
    const asked = login
      ? await box.ask(cid, { query }, { headers })
      : await box.call(`/v26/customers/${cid}/googleAds:search`, {
          method: 'POST',
          headers: { authorization: `Bearer ${await box.refresh()}` },
          body: JSON.stringify({ query }),
        });
    expect(codeOf(asked)).toEqual(code);
  });

  test('a version that is gone is a page of HTML', async () => {
    const { status, body } = await box.call('/v17/customers:listAccessibleCustomers', {});
    expect([status, typeof body.html]).toEqual([404, 'string']);
  });
});

describe('queries', () => {
  test('whole numbers are text, doubles numbers, names nested in lower camel case', async () => {
    const fields = `campaign.id, segments.date, ${DELIVERY}, metrics.conversions, metrics.conversions_value`;
    const rows = await box.rows(box.seoul, `SELECT ${fields} FROM campaign WHERE ${DAYS}`);
    const delivered = rows.filter(({ metrics }) => (metrics as Json).conversions !== undefined);
    expect(delivered[0]).toEqual({
      campaign: {
        resourceName: expect.stringMatching(/^customers\/\d+\/campaigns\/\d+$/),
        id: expect.stringMatching(/^\d+$/),
      },
      segments: { date: expect.stringMatching(/^2026-11-1\d$/) },
      metrics: expect.objectContaining({
        impressions: expect.stringMatching(/^\d+$/),
        conversions: expect.any(Number),
        conversionsValue: expect.any(Number),
      }),
    });
    const metrics = rows.map((row) => row.metrics as Json);
    expect(metrics.some(({ conversions }) => conversions === undefined)).toBe(true);
    expect(
      metrics.some(({ impressions }) => impressions === undefined || impressions === '0'),
    ).toBe(true);
  });

  test('Performance Max appears at campaigns and in no ad group', async () => {
    const ids = async (from: string, more = '') =>
      new Set(
        (
          await box.rows(
            box.seoul,
            `SELECT campaign.id, ${DELIVERY} FROM ${from} WHERE ${DAYS}${more}`,
          )
        ).map(({ campaign }) => (campaign as Json).id),
      );
    const all = await ids('campaign', " AND campaign.advertising_channel_type = 'PERFORMANCE_MAX'");
    expect(all.size).toBe(1);
    for (const from of ['ad_group', 'ad_group_ad', 'keyword_view', 'age_range_view']) {
      const found = await ids(from);
      expect(found.size).toBeGreaterThan(0);
      for (const id of all) expect(found).not.toContain(id);
    }
  });

  test('places told twice add up to more than the total, the physical ones to less', async () => {
    const sum = async (from: string) =>
      (await box.rows(box.seoul, `SELECT metrics.impressions FROM ${from} WHERE ${DAYS}`)).reduce(
        (total, { metrics }) => total + Number((metrics as Json).impressions ?? 0),
        0,
      );
    const [total, geographic, physical] = [
      await sum('customer'),
      await sum('geographic_view'),
      await sum('user_location_view'),
    ];
    expect(geographic).toBeGreaterThan(total);
    expect(physical).toBeLessThan(total);
    expect(physical).toBeGreaterThan(total * 0.9);
  });

  test.each([
    [
      `SELECT segments.hour, metrics.clicks FROM ad_group_ad WHERE ${DAYS}`,
      'PROHIBITED_SEGMENT_IN_SELECT_OR_WHERE_CLAUSE',
    ],
    [
      `SELECT segments.hour, metrics.clicks FROM age_range_view WHERE ${DAYS}`,
      'PROHIBITED_SEGMENT_IN_SELECT_OR_WHERE_CLAUSE',
    ],
    [
      `SELECT segments.geo_target_region, metrics.clicks FROM campaign WHERE ${DAYS}`,
      'PROHIBITED_SEGMENT_IN_SELECT_OR_WHERE_CLAUSE',
    ],
    ['SELECT ad_group.id FROM campaign', 'PROHIBITED_RESOURCE_TYPE_IN_SELECT_CLAUSE'],
    ['SELECT campaign.colour FROM campaign', 'UNRECOGNIZED_FIELD'],
    ['SELECT campaign.id FROM campaigns_all', 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE'],
    ['DELETE campaign', 'UNEXPECTED_INPUT'],
    [
      "SELECT metrics.clicks FROM campaign WHERE segments.date BETWEEN '2026-13-01' AND '2026-13-02'",
      'BAD_VALUE',
    ],
  ])('%s is refused', async (query, queryError) => {
    const asked = await box.ask(box.seoul, { query });
    expect([asked.status, codeOf(asked)]).toEqual([400, { queryError }]);
  });

  test('a page size and days before 37 months are refused', async () => {
    const query = 'SELECT campaign.id FROM campaign';
    expect(codeOf(await box.ask(box.seoul, { query, pageSize: 100 }))).toEqual({
      requestError: 'PAGE_SIZE_NOT_SUPPORTED',
    });
    const since = (day: string) =>
      box.ask(box.seoul, {
        query: `SELECT metrics.clicks FROM customer WHERE segments.date BETWEEN '${day}' AND '2023-10-21'`,
      });
    expect((await since('2023-10-20')).status).toBe(200);
    expect(codeOf(await since('2023-10-19'))).toEqual({ dateError: 'EARLIER_THAN_MINIMUM_DATE' });
  });

  test('a stream answers the same rows in an array, and its refusal is one too', async () => {
    const query = `SELECT campaign.id, segments.date, ${DELIVERY} FROM campaign WHERE ${DAYS}`;
    const { body } = await box.ask(box.seoul, { query }, { method: 'searchStream' });
    const batches = body as unknown as { results: Json[] }[];
    expect(batches.flatMap(({ results }) => results)).toEqual(await box.rows(box.seoul, query));
    const refused = await box.ask(box.closed, { query }, { method: 'searchStream' });
    expect(Array.isArray(refused.body)).toBe(true);
    expect(codeOf(refused)).toEqual({ authorizationError: 'CUSTOMER_NOT_ENABLED' });
  });

  test('removed objects keep their place in lists and their figures', async () => {
    const query = 'SELECT campaign.id, campaign.name, campaign.status FROM campaign';
    const rows = await box.rows(box.seoul, query);
    const removed = rows
      .map(({ campaign }) => campaign as Json)
      .filter(({ status }) => status === 'REMOVED');
    const season = removed.find(({ name }) => name === 'Season 2026 Q3');
    expect(season).toBeDefined();
    const then = "segments.date BETWEEN '2026-08-18' AND '2026-08-19'";
    const figures = await box.rows(
      box.seoul,
      `SELECT campaign.id, ${DELIVERY} FROM campaign WHERE ${then} AND campaign.id = ${String(season?.id)}`,
    );
    expect(Number((figures[0] as { metrics: Json }).metrics.impressions)).toBeGreaterThan(0);
  });

  test('places have names of their own, one has none', async () => {
    const of = (ids: string) =>
      `SELECT geo_target_constant.id, geo_target_constant.canonical_name FROM geo_target_constant WHERE geo_target_constant.id IN (${ids})`;
    const rows = await box.rows(box.seoul, of('20762, 20053, 9198001'));
    expect(rows.map(({ geoTargetConstant }) => (geoTargetConstant as Json).canonicalName)).toEqual([
      'Limburg,Flanders,Belgium',
      'Limburg,Netherlands',
    ]);
  });
});

test('pages follow each other by a token that belongs to the query, and cost one operation', async () => {
  const paged = await startSearchSandbox({ searchEngineAds: { pageRows: 7, operationsPerDay: 4 } });
  try {
    const query = `SELECT campaign.id, segments.date, ${DELIVERY} FROM ad_group WHERE segments.date BETWEEN '2026-11-17' AND '2026-11-19'`;
    const rows = await paged.rows(paged.seoul, query);
    expect(rows.length).toBeGreaterThan(14);
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(rows.length);
    const first = await paged.ask(paged.seoul, { query });
    const { nextPageToken: pageToken } = first.body;
    const other = await paged.ask(paged.seoul, { query: `${query} LIMIT 9`, pageToken });
    expect(codeOf(other)).toEqual({ requestError: 'INVALID_PAGE_TOKEN' });
    await paged.ask(paged.seoul, { query });
    await paged.list();
    const refused = await paged.ask(paged.seoul, { query });
    expect([refused.status, codeOf(refused)]).toEqual([429, { quotaError: 'RESOURCE_EXHAUSTED' }]);
    // 14:30 in Seoul is 21:30 the day before in California: two and a half hours to its midnight.
    expect(JSON.stringify(refused.body)).toContain('"retryDelay":"9000s"');
  } finally {
    await paged.sandbox.close();
  }
});
