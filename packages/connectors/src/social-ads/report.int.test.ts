import { RetryableError } from '@tributary/runtime';
import { drain } from '../testing/contract.ts';
import { json } from '../testing/scripted-server.ts';
import { ACCOUNT, access, row, source, useSocialAds } from '../testing/social-ads.ts';

const social = useSocialAds();

/** Answers a run's polls one after the other, the last one for ever. */
const serveRun = (...states: [status: string, percent: number, more?: object][]) => {
  let polls = 0;
  social.server().answer(({ method, url }, res) => {
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

describe('a report run', () => {
  test('is created once, handed out before its first poll, and read only when status and percent say done', async () => {
    serveRun(['unseen', 0], ['Job Running', 100], ['Job Completed', 97], ['Job Completed', 100]);
    const { observed, error } = await social.collect('a-base', { rowsExpected: 50_000 });
    expect(error).toBeUndefined();
    expect(observed).toHaveLength(1);
    expect(social.reports).toEqual([{ id: '6012345', from: '2026-11-18', to: '2026-11-19' }]);
    expect(social.server().seen.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
      `POST /v26.0/act_${ACCOUNT.id}/insights`,
      ...Array.from({ length: 4 }, () => 'GET /v26.0/6012345'),
      'GET /v26.0/6012345/insights',
    ]);
    expect(social.server().seen[0]?.body).toContain('access_token=EAAB-secret-token');
    expect(social.server().seen[0]?.url.search).toBe('');
  });

  test('that was not stored is never polled', async () => {
    serveRun(['Job Completed', 100]);
    const refused = new Error('the database is away');
    const { error } = await drain(
      social.connector().collect({
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
    expect(social.server().seen).toHaveLength(1);
  });

  test('of an earlier turn is gone on with, without creating another', async () => {
    serveRun(['Job Completed', 100]);
    const report = { id: '6012345', from: '2026-11-18', to: '2026-11-19' };
    expect((await social.collect('a-base', { report })).observed).toHaveLength(1);
    expect(social.server().seen.map(({ method }) => method)).toEqual(['GET', 'GET']);
    expect(social.reports).toEqual([]);
  });

  test('for another window is not used', async () => {
    serveRun(['Job Completed', 100]);
    const report = { id: '5', from: '2026-11-01', to: '2026-11-02' };
    await social.collect('a-base', { report, rowsExpected: 50_000 });
    expect(social.server().seen[0]?.method).toBe('POST');
  });

  test('that needs longer ends as report_running', async () => {
    serveRun(['Job Running', 10]);
    const { error } = await social.collect('a-base', { rowsExpected: 50_000 });
    expect(error).toBeInstanceOf(RetryableError);
    expect(error?.code).toBe('report_running');
    expect(social.reports).toHaveLength(1);
  });

  test("that failed ends as report_failed with the platform's words", async () => {
    serveRun(['Job Failed', 30, { error_code: 2, error_message: 'Internal trouble' }]);
    const { error } = await social.collect('a-base', { rowsExpected: 50_000 });
    expect(error?.code).toBe('report_failed');
    expect(error?.message).toContain('Internal trouble');
  });

  test('that the platform no longer knows ends as report_failed', async () => {
    serveRun(['unseen', 0]);
    const report = { id: '6012345', from: '2026-11-18', to: '2026-11-19' };
    expect((await social.collect('a-base', { report })).error?.code).toBe('report_failed');
  });

  test('is made once when the platform says that there is too much data', async () => {
    let polls = 0;
    social.server().answer(({ method, url }, res) => {
      if (method === 'POST') return json(res, { report_run_id: '7' });
      if (url.pathname.endsWith('/7/insights')) return json(res, { data: [row()] });
      if (url.pathname.endsWith('/7')) {
        polls += 1;
        return json(res, { async_status: 'Job Completed', async_percent_completion: 100 });
      }
      const message = "Please reduce the amount of data you're asking for";
      return json(res, { error: { code: 1, message } }, 500);
    });
    const { observed, error } = await social.collect('a-base');
    expect(error).toBeUndefined();
    expect(observed).toHaveLength(1);
    expect([social.server().seen.length, polls, social.reports.length]).toEqual([4, 1, 1]);
  });

  test('is left at once when the caller aborts', async () => {
    serveRun(['Job Running', 10]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('stopping')), 50);
    const { error } = await drain(
      social.connector().collect({
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
