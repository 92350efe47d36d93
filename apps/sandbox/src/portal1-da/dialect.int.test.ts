import type { Answer } from '../testing.ts';
import { createSpeed } from './speed.ts';
import { GRANT, startDisplay } from './testing.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const WEEK = { startDate: '2026-11-12', endDate: '2026-11-18' };

let da: Awaited<ReturnType<typeof startDisplay>>;
beforeEach(async () => {
  da = await startDisplay('2026-11-20T12:00:00+09:00');
});
afterEach(() => da.sandbox.close());

function detailOf({ body }: Answer): unknown {
  return (body.error as Record<string, unknown> | undefined)?.detailCode;
}
const listed = ({ body }: Answer) =>
  (body.content ?? body.contents) as { no: number; deleted?: boolean }[];

describe('who may ask', () => {
  it('refreshes a token by form, with the seconds as text, and refuses with HTTP 200', async () => {
    const { status, body } = await da.token();
    expect([status, body.expires_in, body.token_type]).toEqual([200, '3600', 'bearer']);
    expect(await da.token({ ...GRANT, refresh_token: 'x' })).toMatchObject({
      status: 200,
      body: { error: 'invalid_request' },
    });
    expect(await da.token({ ...GRANT, client_secret: 'x' })).toMatchObject({
      status: 200,
      body: { error: 'unauthorized_client' },
    });
  });

  it('refuses no token, a wrong one and one of an hour ago by the gateway', async () => {
    const none = await da.get('/portal1-da/v1/ad-api/1.0/adAccounts');
    expect([none.status, none.body.errorCode]).toEqual([401, '028']);
    const wrong = await da.api('/adAccounts', {}, { authorization: 'Bearer x' });
    expect([wrong.status, wrong.body.errorCode]).toEqual([401, '024']);
    expect((await da.api('/adAccounts')).status).toBe(200);
    await da.send('POST', '/__sandbox/clock', { advanceMs: HOUR_MS });
    expect((await da.api('/adAccounts')).body.errorCode).toBe('024');
  });

  it('lists the owned account alone, and those of a manager account by number below it', async () => {
    expect(listed(await da.api('/adAccounts')).map(({ no }) => String(no))).toEqual([da.owned]);
    const through = { AccessManagerAccountNo: da.manager };
    const { body } = await da.api(`/managerAccounts/${da.manager}`, {}, through);
    expect(body).toMatchObject({
      childAdAccountNos: [Number(da.owned)],
      childManagerAccounts: [{ childAdAccountNos: [Number(da.managed), Number(da.closed)] }],
    });
    const closed = await da.api(`/adAccounts/${da.closed}`, {}, through);
    expect(closed.body.disabled).toBe(true);
  });

  it('wants the manager header for managed accounts only, and opens no foreign account', async () => {
    const through = { AccessManagerAccountNo: da.manager };
    for (const part of ['', '/campaigns', '/performance/past/campaigns']) {
      const status = async (no: string | undefined, headers = {}) =>
        (await da.api(`/adAccounts/${no}${part}`, part.includes('past') ? WEEK : {}, headers))
          .status;
      expect([await status(da.owned), await status(da.owned, through)]).toEqual([200, 403]);
      expect([await status(da.managed), await status(da.managed, through)]).toEqual([403, 200]);
      expect([await status('1'), await status('1', through)]).toEqual([403, 403]);
    }
    expect((await da.api(`/managerAccounts/${da.manager}`)).status).toBe(403);
  });

  it('lets no more calls through in a second than it should, and again after it', () => {
    let at = 5_000;
    const speed = createSpeed(2, () => at);
    speed.check();
    speed.check();
    expect(() => speed.check()).toThrow('refuses');
    at += 1_000;
    expect(() => speed.check()).not.toThrow();
  });
});

describe('lists', () => {
  it('are paged from 0 with at most 100 rows, under two names', async () => {
    const path = `/adAccounts/${da.owned}/creatives`;
    const pages = await Promise.all([0, 1, 2].map((page) => da.api(path, { page, size: 8 })));
    const ids = pages.flatMap((page) => listed(page).map(({ no }) => no));
    expect(ids).toHaveLength(new Set(ids).size);
    expect(pages[0]?.body).toMatchObject({ page: 0, first: true, last: false, size: 8 });
    expect(pages[0]?.body.contents).toHaveLength(8);
    expect((await da.api(path, { size: 101 })).status).toBe(400);
  });

  it('leave deleted objects out unless only those are asked for', async () => {
    for (const list of ['campaigns', 'adSets', 'creatives']) {
      const path = `/adAccounts/${da.owned}/${list}`;
      const live = listed(await da.api(path, { size: 100 }));
      const gone = listed(await da.api(path, { size: 100, deleteOnly: 'true' }));
      expect(new Set(live.map(({ deleted }) => deleted))).toEqual(new Set([false]));
      expect(new Set(gone.map(({ deleted }) => deleted))).toEqual(new Set([true]));
    }
  });
});

describe('past performance', () => {
  it('is told up to yesterday, and yesterday from two o’clock on', async () => {
    const ask = (startDate: string, endDate = startDate) =>
      da.past(da.owned, 'campaigns', { startDate, endDate });
    expect(detailOf(await ask('2026-11-20'))).toBe('STATS__TOO_LATE_END_DATE');
    expect((await ask('2026-11-19')).status).toBe(200);
    await da.advance(13.9 * HOUR_MS); // 01:54 of the next day
    expect(detailOf(await ask('2026-11-20'))).toBe('STATS__ACCESS_BEFORE_AVAILABLE');
    expect((await ask('2026-11-19')).status).toBe(200);
    await da.advance(0.2 * HOUR_MS);
    expect((await ask('2026-11-20')).status).toBe(200);
  });

  it.each([
    [{ startDate: '2026-10-01', endDate: '2026-11-01' }, 'STATS__TOO_LONG_PERIOD'],
    [{ startDate: '2024-11-19', endDate: '2024-11-20' }, 'STATS__TOO_EARLY_START_DATE'],
    [{ startDate: '2026-11-18', endDate: '2026-11-17' }, 'STATS__TOO_EARLY_END_DATE'],
    [{ startDate: '20261118', endDate: '2026-11-18' }, 'STATS__INVALID_START_DATE'],
    [{ endDate: '2026-11-18' }, 'STATS__MISSING_START_DATE'],
    [{ ...WEEK, limit: 1001 }, 'STATS__TOO_LARGE_LIMIT'],
    [{ ...WEEK, limit: 0 }, 'STATS__INVALID_LIMIT'],
    [{ ...WEEK, timeUnit: 'weekly' }, 'STATS__INVALID_REQUEST'],
    [{ ...WEEK, next: 'nonsense' }, 'STATS__INVALID_NEXT'],
  ])('refuses %j with %s', async (params, code) => {
    const answer = await da.past(da.owned, 'campaigns', params);
    expect([answer.status, detailOf(answer)]).toEqual([422, code]);
  });

  it('takes 31 days, and the day two years ago', async () => {
    for (const range of [
      { startDate: '2026-10-02', endDate: '2026-11-01' },
      { startDate: '2024-11-20', endDate: '2024-11-20' },
    ])
      expect((await da.past(da.owned, 'campaigns', range)).status).toBe(200);
  });

  it('is paged by tokens that belong to their question and die after ten minutes', async () => {
    const all = await da.pastRows(da.owned, 'creatives', WEEK);
    expect(await da.pastRows(da.owned, 'creatives', { ...WEEK, limit: 7 })).toEqual(all);
    const first = await da.past(da.owned, 'creatives', { ...WEEK, limit: 7 });
    const next = String(first.body.next);
    const again = (more: Record<string, string | number>, aggregation = 'creatives') =>
      da.past(da.owned, aggregation, { ...WEEK, limit: 7, next, ...more });
    expect(detailOf(await again({ limit: 8 }))).toBe('STATS__INCONSISTENT_LIMIT');
    expect(detailOf(await again({ endDate: '2026-11-17' }))).toBe('STATS__INCONSISTENT_END_DATE');
    expect(detailOf(await again({}, 'adSets'))).toBe('STATS__INVALID_NEXT');
    await da.advance(10 * 60_000 - 1);
    expect((await again({})).status).toBe(200);
    await da.advance(1);
    expect(detailOf(await again({}))).toBe('STATS__EXPIRED_PAGING_TOKEN');
  });

  it('goes on with the figures of its first page while the clock moves on', async () => {
    await da.advance(59 * 60_000 - 12 * HOUR_MS + DAY_MS); // the last minute before an hour of late changes
    const whole = await da.pastRows(da.owned, 'creatives', WEEK);
    const { body } = await da.past(da.owned, 'creatives', { ...WEEK, limit: 20 });
    await da.advance(5 * 60_000);
    const rest = await da.past(da.owned, 'creatives', {
      ...WEEK,
      limit: 20,
      next: String(body.next),
    });
    expect(rest.body.rows).toEqual(whole.slice(20, 40));
  });

  it('spells the second account’s rows as text', async () => {
    const params = { ...WEEK, timeUnit: 'hourly' };
    const [plain] = await da.pastRows(da.owned, 'campaigns', params);
    const [text] = await da.pastRows(da.managed, 'campaigns', params);
    expect(plain).toMatchObject({ targetDate: '2026-11-12', hour: expect.any(Number) });
    expect(text).toMatchObject({
      targetDate: '20261112',
      hour: expect.stringMatching(/^\d\d$/),
      sales: expect.any(String),
      campaignNo: expect.any(String),
      adSetNo: null,
    });
  });
});

describe('scripted faults', () => {
  const strike = (fault: string, match = {}) =>
    da.send('POST', '/__sandbox/faults', { channel: 'PORTAL1_DA', fault, times: 1, match });
  const ask = () => da.past(da.owned, 'campaigns', WEEK);

  it.each([
    ['throttle', 429, { errorCode: '012' }],
    ['expired-token', 401, { errorCode: '024' }],
    ['error500', 500, { error: { code: 'UNKNOWN_ERROR' } }],
    ['empty', 200, { rows: [] }],
  ])('%s is told in the platform’s words, once', async (fault, status, body) => {
    await strike(fault, { kind: 'insights' });
    expect(await ask()).toMatchObject({ status, body });
    expect((await ask()).body.rows).not.toEqual([]);
  });

  it('a repeated page leads to itself, and a refused grant is one of the login server', async () => {
    await strike('repeated-page', { kind: 'insights' });
    const { rows, next } = (await ask()).body;
    const again = await da.past(da.owned, 'campaigns', { ...WEEK, next: String(next) });
    expect(again.body.rows).toEqual(rows);
    await strike('expired-token', { kind: 'token' });
    expect((await da.token()).body.error).toBe('invalid_request');
  });

  it('every call is in the ledger with what it was about, and without a secret', async () => {
    await da.past(da.owned, 'adSets', { ...WEEK, timeUnit: 'hourly' });
    const { body } = await da.get('/__sandbox/ledger?channel=PORTAL1_DA');
    const calls = body.calls as Record<string, unknown>[];
    expect(calls.at(-1)).toMatchObject({
      kind: 'insights',
      account: da.owned,
      level: 'adSets',
      breakdowns: ['hour'],
      since: WEEK.startDate,
      until: WEEK.endDate,
      status: 200,
    });
    expect(calls.find(({ kind }) => kind === 'token')).toMatchObject({
      query: { client_secret: '***', refresh_token: '***' },
    });
  });
});
