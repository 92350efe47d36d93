import { type Json, type SearchSandbox, startSearchSandbox } from './testing.ts';

const HOUR_MS = 3_600_000;

jest.setTimeout(30_000);

let box: SearchSandbox;
beforeEach(async () => {
  box = await startSearchSandbox();
});
afterEach(() => box.sandbox.close());

const goTo = async (time: string) => {
  const { status } = await box.send('POST', '/__sandbox/clock', { now: Date.parse(time) });
  expect(status).toBe(200);
  await box.refresh();
};
const clicksOn = async (cid: string, from: string, day: string) =>
  (
    await box.rows(
      cid,
      `SELECT segments.date, metrics.clicks FROM ${from} WHERE segments.date = '${day}'`,
    )
  ).reduce((sum, { metrics }) => sum + Number((metrics as Json).clicks ?? 0), 0);

test('a token ends after an hour of the clock', async () => {
  const query = 'SELECT campaign.id FROM campaign';
  const advance = (advanceMs: number) => box.send('POST', '/__sandbox/clock', { advanceMs });
  await advance(HOUR_MS - 1_000);
  expect((await box.ask(box.seoul, { query })).status).toBe(200);
  await advance(1_000);
  const { status, body } = await box.ask(box.seoul, { query });
  expect(status).toBe(401);
  expect(JSON.stringify(body)).toContain('"authenticationError":"OAUTH_TOKEN_EXPIRED"');
});

test('demographic figures of a day come at 18:00 Pacific time after its end, other figures at once', async () => {
  // Winter: 18:00 Pacific is 11:00 of the next day in Seoul and 21:00 in New York.
  await goTo('2026-11-21T01:59:59Z');
  expect(await clicksOn(box.seoul, 'age_range_view', '2026-11-20')).toBe(0);
  expect(await clicksOn(box.newYork, 'gender_view', '2026-11-19')).toBe(0);
  expect(await clicksOn(box.seoul, 'keyword_view', '2026-11-20')).toBeGreaterThan(0);
  await goTo('2026-11-21T02:00:00Z');
  expect(await clicksOn(box.seoul, 'age_range_view', '2026-11-20')).toBeGreaterThan(0);
  expect(await clicksOn(box.newYork, 'gender_view', '2026-11-19')).toBeGreaterThan(0);
  expect(await clicksOn(box.newYork, 'gender_view', '2026-11-20')).toBe(0);
});

test('figures grow for 30 days after a day and never change again', async () => {
  const day = '2026-10-20';
  const figures = async () =>
    JSON.stringify(
      await box.rows(
        box.seoul,
        `SELECT campaign.id, metrics.clicks, metrics.conversions FROM campaign WHERE segments.date = '${day}'`,
      ),
    );
  const seen = [];
  for (const time of ['2026-11-20T06:00:00Z', '2026-11-21T06:00:00Z', '2026-12-21T06:00:00Z']) {
    await goTo(time);
    seen.push(await figures());
  }
  expect(seen[1]).toBe(seen[2]);
  const early = await startSearchSandbox({ now: Date.parse('2026-10-21T06:00:00Z') });
  const query = `SELECT campaign.id, metrics.clicks, metrics.conversions FROM campaign WHERE segments.date = '${day}'`;
  expect(JSON.stringify(await early.rows(early.seoul, query))).not.toBe(seen[0]);
  await early.sandbox.close();
});

describe('scripted faults', () => {
  const query = "SELECT metrics.clicks FROM campaign WHERE segments.date = '2026-11-18'";
  const strike = (fault: string, more: Json = {}) =>
    box.send('POST', '/__sandbox/faults', {
      channel: 'SEARCH_ENGINE_ADS',
      fault,
      times: 1,
      ...more,
    });

  test.each([
    ['throttle', 429, '"retryDelay":"60s"'],
    ['error500', 500, '"internalError":"INTERNAL_ERROR"'],
    ['expired-token', 401, 'OAUTH_TOKEN_EXPIRED'],
    ['empty', 200, 'fieldMask'],
    ['repeated-page', 200, 'nextPageToken'],
  ])('%s answers %d in the platform’s words, once', async (fault, status, words) => {
    await strike(fault, { match: { kind: 'insights' } });
    const struck = await box.ask(box.seoul, { query });
    expect([struck.status, JSON.stringify(struck.body).includes(words)]).toEqual([status, true]);
    expect((await box.ask(box.seoul, { query })).status).toBe(200);
  });

  test('a stream’s refusal is an array', async () => {
    await strike('throttle');
    const { body } = await box.ask(box.seoul, { query }, { method: 'searchStream' });
    expect(body).toMatchObject([{ error: { status: 'RESOURCE_EXHAUSTED' } }]);
  });

  test('a lost grant is refused at the token endpoint', async () => {
    await strike('expired-token', { match: { kind: 'token' } });
    expect((await box.grant()).body).toMatchObject({ error: 'invalid_grant' });
  });

  test('a repeated page leads to itself', async () => {
    await strike('repeated-page', { times: 2 });
    const first = await box.ask(box.seoul, { query });
    const second = await box.ask(box.seoul, { query, pageToken: first.body.nextPageToken });
    expect(second.body.results).toEqual(first.body.results);
    expect(second.body.nextPageToken).toBe(first.body.nextPageToken);
  });
});

test('the ledger tells account, resource, segments and days, and no secret', async () => {
  const query =
    "SELECT campaign.id, segments.device, metrics.clicks FROM campaign WHERE segments.date BETWEEN '2026-11-01' AND '2026-11-02'";
  await box.ask(box.seoul, { query });
  const { body } = await box.get('/__sandbox/ledger?channel=SEARCH_ENGINE_ADS');
  expect((body.calls as Json[]).at(-1)).toMatchObject({
    kind: 'insights',
    account: box.seoul,
    level: 'campaign',
    breakdowns: ['segments.device'],
    since: '2026-11-01',
    until: '2026-11-02',
    query: { query },
  });
  expect(JSON.stringify(body)).not.toMatch(/sandbox-search-(secret|refresh|access)/);
});
