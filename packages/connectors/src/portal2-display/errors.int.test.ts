import { AuthLostError, FatalError, RateLimitedError, RetryableError } from '@tributary/runtime';
import { NOW, TOKEN, usePortal2Display } from '../testing/portal2-display.ts';
import { json } from '../testing/scripted-server.ts';

const display = usePortal2Display();

const exception = (detailCode: number, detailMsg: string) => ({
  msg: 'KakaoMomentException',
  code: -813,
  extras: { detailCode, detailMsg },
});
const TOO_MANY = exception(90001, '허용된 API 요청을 초과하였습니다.');

test.each([
  ['a period with today', 400, exception(60008, 'period'), RetryableError, 'period_refused'],
  ['a missing parameter', 400, exception(30001, 'missing'), FatalError, 'bad_request'],
  ['the exception without a detail', 400, { code: -813, msg: 'x' }, FatalError, 'bad_request'],
  ['too many calls', 429, TOO_MANY, RateLimitedError, 'rate_limited'],
  ['too many calls, as 400', 400, TOO_MANY, RateLimitedError, 'rate_limited'],
  ['the quota', 400, { code: -10, msg: 'limit exceeded' }, RateLimitedError, 'rate_limited'],
  ['429 with the exception alone', 429, exception(1, 'x'), RateLimitedError, 'rate_limited'],
  ['429 without a code', 429, { oops: true }, RateLimitedError, 'rate_limited'],
  [
    'a token that ended',
    401,
    { code: -401, msg: 'no such token' },
    AuthLostError,
    'grant_rejected',
  ],
  [
    'a token of a login',
    401,
    { code: -401, msg: 'target biz token is not supplied.' },
    AuthLostError,
    'not_a_business_token',
  ],
  [
    'an address that may not call',
    401,
    { code: -401, msg: 'ip mismatched! callerIp=1.2.3.4' },
    FatalError,
    'address_refused',
  ],
  [
    'a scope that was not granted',
    403,
    { code: -402, msg: 'scope' },
    AuthLostError,
    'scope_missing',
  ],
  ['an account of others', 403, { code: -5, msg: 'no' }, AuthLostError, 'permission_missing'],
  ['trouble inside', 500, { code: -1, msg: 'internal' }, RetryableError, 'platform_error'],
  ['maintenance', 503, { code: -9798, msg: 'maintenance' }, RetryableError, 'platform_error'],
  ['a code that is new', 400, { code: -999, msg: 'new' }, RetryableError, 'platform_error'],
  ['a parameter that is wrong', 400, { code: -2, msg: 'bad' }, FatalError, 'bad_request'],
  ['no code at all', 404, { oops: true }, RetryableError, 'malformed_answer'],
])('%s (%i)', async (_name, status, body, kind, code) => {
  display.server().answer((_seen, res) => json(res, body, status));
  const { error, observed } = await display.collect('a-base');
  expect(error).toBeInstanceOf(kind);
  expect(error?.code).toBe(code);
  expect(error?.message).not.toContain(TOKEN);
  expect(observed).toEqual([]);
  expect(display.reports()).toHaveLength(1);
});

test('a throttle silences the allowance for ten seconds, and longer each time in a row', async () => {
  display.server().answer((_seen, res) => json(res, TOO_MANY, 429));
  const waits: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    const { error } = await display.collect('a-base');
    if (error instanceof RateLimitedError) waits.push(error.until - NOW);
  }
  expect(waits).toEqual([10_000, 20_000, 40_000]);
});

test.each(['cut', 'outage'])('a report is not repeated at once after a %s', async (kind) => {
  display
    .server()
    .answer((_seen, res) => (kind === 'cut' ? res.destroy() : res.writeHead(502).end()));
  const { error } = await display.collect('a-base');
  expect(error).toMatchObject({ code: 'unreachable' });
  expect(display.reports()).toHaveLength(1);
});
