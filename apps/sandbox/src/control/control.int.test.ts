import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Answer, startTestSandbox, type TestSandbox } from '../testing.ts';
import type { TruthDay } from '../truth/social-truth.ts';

const HOUR = 3_600_000;
let test: TestSandbox;
let account: string;

beforeEach(async () => {
  test = await startTestSandbox();
  const { body } = await test.get(`/__sandbox/tree?channel=SOCIAL_ADS`);
  account = (body.accounts as { id: string }[])[0]?.id ?? '';
});
afterEach(() => test.sandbox.close());

function insights(params: Record<string, string> = {}): string {
  const query = {
    access_token: 'sandbox-social-token',
    level: 'campaign',
    fields: 'campaign_id,impressions',
    limit: '2',
    ...params,
  };
  return `/social-ads/v26.0/act_${account}/insights?${new URLSearchParams(query).toString()}`;
}

async function truthAt(start: string, end: string, at: number): Promise<TruthDay[]> {
  const query = new URLSearchParams({ channel: 'SOCIAL_ADS', account, start, end, at: String(at) });
  return (await test.get(`/__sandbox/truth?${query.toString()}`)).body.days as TruthDay[];
}

const sum = (
  days: TruthDay[],
  metric: 'impressions' | 'clicks' | 'conversions' | 'spend',
): number => days.reduce((total, day) => total + Number(day.total[metric]), 0);

describe('restatement', () => {
  const dayEnd = Date.parse('2026-10-11T00:00:00+09:00');
  const reads = (hours: number) => truthAt('2026-10-10', '2026-10-10', dayEnd + hours * HOUR);

  it('lets conversions, clicks and spend of a day grow until 28 full days have passed, and then stand still', async () => {
    const atEnd = await reads(0);
    const before = await reads(28 * 24 - 1);
    const after = await reads(28 * 24);
    const later = await reads(400 * 24);
    for (const metric of ['conversions', 'clicks', 'spend'] as const) {
      expect(sum(atEnd, metric)).toBeLessThan(sum(after, metric));
      expect(sum(before, metric)).toBeLessThanOrEqual(sum(after, metric));
    }
    expect(sum(atEnd, 'impressions')).toBe(sum(after, 'impressions'));
    expect(later[0]?.total).toEqual(after[0]?.total);
  });

  it('changes figures only at whole hours, and shows of today just the hours that are over', async () => {
    const noon = Date.parse('2026-11-20T12:00:00+09:00');
    const today = (at: number) => truthAt('2026-11-20', '2026-11-20', at);
    expect(await today(noon + HOUR - 1)).toEqual(await today(noon));
    expect(await today(noon + HOUR)).not.toEqual(await today(noon));
    const [day] = await today(noon);
    expect(day?.lists.hour?.map(({ value }) => value).at(-1)).toBe('11');
    expect(sum(await today(Date.parse('2026-11-20T00:30:00+09:00')), 'impressions')).toBe(0);
  });

  it('answers the same whatever was asked before, and for the same seed alone', async () => {
    const at = Date.parse('2026-11-20T00:00:00Z');
    const twin = await startTestSandbox();
    const other = await startTestSandbox({ seed: 'other' });
    const path = `/__sandbox/truth?channel=SOCIAL_ADS&account=${account}&level=ad&start=2026-10-01&end=2026-10-07&at=${at}`;
    await truthAt('2026-11-01', '2026-11-20', at);
    expect((await test.get(path)).body).toEqual((await twin.get(path)).body);
    expect((await other.get(path)).status).toBe(404);
    await Promise.all([twin.sandbox.close(), other.sandbox.close()]);
  });
});

describe('clock', () => {
  it('moves on, stands still when frozen, and refuses to go back', async () => {
    const { body: before } = await test.get('/__sandbox/clock');
    const { body: after } = await test.send('POST', '/__sandbox/clock', { advanceMs: HOUR });
    expect(after).toEqual({ now: Number(before.now) + HOUR, frozen: true });
    const back = await test.send('POST', '/__sandbox/clock', { now: Number(before.now) });
    expect(back.status).toBe(400);
    const { body: running } = await test.send('POST', '/__sandbox/clock', { frozen: false });
    expect(running.frozen).toBe(false);
    expect(Number((await test.get('/__sandbox/clock')).body.now)).toBeGreaterThanOrEqual(
      Number(after.now),
    );
  });
});

it('numbers every call in the ledger with what it asked for, and never shows a token', async () => {
  await test.get(
    insights({ time_range: '{"since":"2026-11-01","until":"2026-11-02"}', breakdowns: 'age' }),
  );
  await test.send('POST', `/social-ads/v26.0/act_${account}/insights`, {
    access_token: 'sandbox-social-token',
    level: 'ad',
  });
  await test.get('/feed/v1/blog-days?start=2026-11-01&end=2026-11-02', {
    authorization: 'Bearer sandbox-feed-token',
  });
  const { body } = await test.get('/__sandbox/ledger?since=0');
  expect(body.calls).toMatchObject([
    {
      n: 1,
      channel: 'SOCIAL_ADS',
      kind: 'insights',
      account,
      level: 'campaign',
      breakdowns: ['age'],
      since: '2026-11-01',
      until: '2026-11-02',
      status: 200,
    },
    {
      n: 2,
      method: 'POST',
      kind: 'report-create',
      level: 'ad',
      query: { access_token: '***', level: 'ad' },
    },
    { n: 3, channel: 'PORTAL1_BLOG', kind: 'feed', since: '2026-11-01' },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/sandbox-\w+-token/);
  expect(
    (await test.get('/__sandbox/ledger?since=2&channel=PORTAL1_BLOG')).body.calls,
  ).toHaveLength(1);
  await test.send('DELETE', '/__sandbox/ledger', undefined);
  await test.get(insights());
  expect((await test.get('/__sandbox/ledger')).body.calls).toMatchObject([{ n: 4 }]);
});

describe('faults', () => {
  const script = (fault: string, more: Record<string, unknown> = {}) =>
    test.send('POST', '/__sandbox/faults', {
      channel: 'SOCIAL_ADS',
      fault,
      times: 1,
      match: { kind: 'insights' },
      ...more,
    });
  const fired = async () =>
    ((await test.get('/__sandbox/faults')).body.faults as { fired: number }[]).map(
      (one) => one.fired,
    );
  const read = (path = insights()): Promise<Answer> => test.get(path);
  const raw = (path = insights(), signal = AbortSignal.timeout(5_000)) =>
    fetch(`${test.url}${path}`, { redirect: 'manual', signal });

  it.each([
    ['throttle', 400, { code: 80004, error_subcode: 2446079 }],
    ['error500', 500, { code: 1 }],
    ['expired-token', 400, { code: 190, error_subcode: 463 }],
  ])(
    'answers %s in the words of the platform, once, after the calls it skips',
    async (fault, status, error) => {
      await script(fault, { after: 1 });
      expect((await read()).status).toBe(200);
      const struck = await read();
      expect(struck.status).toBe(status);
      expect(struck.body.error).toMatchObject(error);
      expect((await read()).status).toBe(200);
      expect(await fired()).toEqual([1]);
      const { body } = await test.get('/__sandbox/ledger');
      expect((body.calls as { fault?: string }[]).map((call) => call.fault)).toEqual([
        undefined,
        fault,
        undefined,
      ]);
    },
  );

  it('tells a throttle in the usage header, in minutes, but for code 17', async () => {
    await script('throttle', { waitSeconds: 150 });
    await script('throttle', { code: 17 });
    const usage = async () =>
      JSON.parse((await read()).headers.get('x-business-use-case-usage') ?? '')[account][0];
    expect(await usage()).toMatchObject({ call_count: 100, estimated_time_to_regain_access: 3 });
    expect(await usage()).toMatchObject({ call_count: 0 });
  });

  it('breaks answers on the wire: cut, hanging, malformed, html, redirected and without end', async () => {
    await script('cut');
    await expect(raw().then((res) => res.text())).rejects.toThrow(/terminated|fetch failed/);
    await script('hang');
    await expect(raw(insights(), AbortSignal.timeout(300))).rejects.toThrow(/abort|timeout/i);
    await script('malformed');
    const malformed = await (await raw()).text();
    expect(() => JSON.parse(malformed)).toThrow(SyntaxError);
    await script('html');
    expect((await raw()).headers.get('content-type')).toContain('text/html');
    await script('redirect', { location: 'http://127.0.0.1:9/away' });
    expect((await raw()).headers.get('location')).toBe('http://127.0.0.1:9/away');
    await script('huge');
    const huge = await raw();
    let size = 0;
    for await (const chunk of huge.body ?? []) {
      size += chunk.length;
      if (size > 20 * 1024 * 1024) break;
    }
    expect(size).toBeGreaterThan(20 * 1024 * 1024);
    expect(await fired()).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('repeats a page, empties one, and fails a run', async () => {
    await script('repeated-page');
    const { body } = await read();
    const { next } = body.paging as { next: string };
    expect((await read(next)).body.data).toEqual(body.data);
    await script('empty');
    expect((await read()).body).toEqual({ data: [] });
    await script('failed-run', { match: {} });
    const path = `/social-ads/v26.0/act_${account}/insights?access_token=sandbox-social-token`;
    const { body: created } = await test.send('POST', path, {});
    let run: Answer | undefined;
    for (let poll = 0; poll < 4; poll += 1) {
      run = await read(
        `/social-ads/v26.0/${String(created.report_run_id)}?access_token=sandbox-social-token`,
      );
    }
    expect(run?.body).toMatchObject({ async_status: 'Job Failed', error_code: 2 });
  });

  it('strikes only what it names', async () => {
    await script('error500', { match: { account: '1' } });
    await script('error500', { match: { level: 'ad', path: 'insights$' } });
    await script('error500', { channel: 'PORTAL1_BLOG', match: {} });
    expect((await read()).status).toBe(200);
    expect((await read(insights({ level: 'ad' }))).status).toBe(500);
    expect(await fired()).toEqual([0, 1, 0]);
  });

  it('refuses a script that it cannot play', async () => {
    for (const bad of [
      { fault: 'flood' },
      { times: 0 },
      { match: { path: '(' } },
      { colour: 'red' },
    ]) {
      expect((await script('error500', bad)).status).toBe(400);
    }
  });
});

it('runs as a process of its own, listens where the environment says and stops cleanly on SIGTERM', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', `${__dirname}/../main.ts`], {
    env: { ...process.env, SANDBOX_PORT: '0', SANDBOX_NOW: '2026-11-20T00:00:00Z' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data', { signal: AbortSignal.timeout(20_000) });
  const url = /http:\S+/.exec(String(line))?.[0];
  const clock = (await (await fetch(`${url}/__sandbox/clock`)).json()) as { now: number };
  expect(Math.abs(clock.now - Date.parse('2026-11-20T00:00:00Z'))).toBeLessThan(60_000);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit', { signal: AbortSignal.timeout(5_000) });
  expect(code).toBe(0);
}, 30_000);
