import { AuthLostError, FatalError, RateLimitedError, RetryableError } from '@tributary/runtime';
import { NOW, OWNED, SECRETS, usePortal1Da } from '../testing/portal1-da.ts';
import { json } from '../testing/scripted-server.ts';

const da = usePortal1Da();
const api = (code: string, detail?: string) => ({
  error: {
    code,
    ...(detail && { detailCode: `STATS__${detail}` }),
    message: 'words of access-secret',
  },
});

test.each([
  [403, api('AUTH_ERROR'), AuthLostError, 'scope_missing'],
  [403, api('AUTH_ERROR', 'UNAUTHORIZED_EXCEPTION'), AuthLostError, 'scope_missing'],
  [422, api('INVALID_PARAMETER', 'UNAUTHORIZED_EXCEPTION'), AuthLostError, 'scope_missing'],
  [422, api('INVALID_PARAMETER', 'INVALID_AD_ACCOUNT_NO'), AuthLostError, 'object_missing'],
  [422, api('DATA_NOT_EXIST'), AuthLostError, 'object_missing'],
  [422, api('INVALID_PARAMETER', 'EXPIRED_PAGING_TOKEN'), RetryableError, 'page_expired'],
  [422, api('INVALID_PARAMETER', 'INVALID_NEXT'), RetryableError, 'page_expired'],
  [422, api('INVALID_PARAMETER', 'ACCESS_BEFORE_AVAILABLE'), RetryableError, 'not_yet_told'],
  [422, api('INVALID_PARAMETER', 'TOO_LATE_END_DATE'), RetryableError, 'not_yet_told'],
  [422, api('INVALID_PARAMETER', 'TOO_EARLY_START_DATE'), FatalError, 'out_of_history'],
  [422, api('INVALID_PARAMETER', 'TOO_LONG_PERIOD'), FatalError, 'bad_request'],
  [422, api('CONDITION_DOES_NOT_MEET'), FatalError, 'bad_request'],
  [400, api('BAD_REQUEST'), FatalError, 'bad_request'],
  [500, api('UNKNOWN_ERROR'), RetryableError, 'platform_error'],
  [500, api('UNKNOWN_ERROR', 'UNCAUGHT_EXCEPTION'), RetryableError, 'platform_error'],
  [422, api('DATA_CONCURRENCY_PROBLEM'), RetryableError, 'platform_error'],
  [422, api('NEVER_SEEN'), RetryableError, 'platform_error'],
  [200, api('BAD_REQUEST'), FatalError, 'bad_request'],
  [404, { message: 'no' }, RetryableError, 'malformed_answer'],
])('%i %j is what its code says, asked for once', async (status, body, kind, code) => {
  da.answer((_seen, res) => json(res, body, status));
  const { error, observed } = await da.collect('c-base');
  expect(error).toBeInstanceOf(kind);
  expect(error?.code).toBe(code);
  expect(error?.message).toMatch(/\.$|characters\)$|code$/);
  for (const secret of SECRETS) expect(`${error?.stack}`).not.toContain(secret);
  expect(observed).toEqual([]);
  expect(da.calls(OWNED)).toHaveLength(1);
});

describe('a throttle', () => {
  const key = 'PORTAL1_DA/client/-/api';

  test.each([
    [{ errorCode: '012', errorMessage: 'Rate limit exceeded.' }],
    [{ errorCode: '010', errorMessage: 'Query limit exceeded.' }],
    [api('TOO_MANY_REQUESTS')],
    [{}],
  ])(
    '%j silences all accounts of the application, twice as long each time in a row',
    async (body) => {
      da.answer((_seen, res) => json(res, body, 429));
      for (const waitMs of [30_000, 60_000, 120_000]) {
        const { error } = await da.collect('c-base');
        expect(error).toBeInstanceOf(RateLimitedError);
        expect([...da.budget().blocked]).toEqual([[key, NOW + waitMs]]);
      }
      da.answerRows();
      await da.collect('c-base');
      da.answer((_seen, res) => json(res, body, 429));
      await da.collect('c-base');
      expect(da.budget().blocked.get(key)).toBe(NOW + 30_000);
    },
  );

  test('lasts as long as a header says', async () => {
    const body = { errorCode: '012', errorMessage: 'x' };
    da.answer((_seen, res) => json(res, body, 429, { 'retry-after': '7' }));
    await da.collect('c-base');
    expect([...da.budget().blocked]).toEqual([[key, NOW + 7_000]]);
  });
});
