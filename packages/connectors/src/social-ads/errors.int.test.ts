import { AuthLostError, RateLimitedError } from '@tributary/runtime';
import { json } from '../testing/scripted-server.ts';
import { ACCOUNT, NOW, row, throttle, useSocialAds } from '../testing/social-ads.ts';

const social = useSocialAds();

test.each([
  [{ code: 4, error_subcode: 1504022 }, 'RateLimitedError', 'rate_limited'],
  [{ code: 17, error_subcode: 2446079 }, 'RateLimitedError', 'rate_limited'],
  [{ code: 32 }, 'RateLimitedError', 'rate_limited'],
  [{ code: 613, error_subcode: 1487742 }, 'RateLimitedError', 'rate_limited'],
  [{ code: 80000 }, 'RateLimitedError', 'rate_limited'],
  [{ code: 80004, error_subcode: 2446079, is_transient: true }, 'RateLimitedError', 'rate_limited'],
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
    social
      .server()
      .answer((_seen, res) =>
        json(
          res,
          { error: { message: 'EAAB-secret-token is bad', type: 'OAuthException', ...error } },
          status,
        ),
      );
    const got = (await social.collect('a-base')).error;
    expect([status, got?.name, got?.code]).toEqual([status, name, code]);
    expect(got?.message).not.toContain('EAAB-secret-token');
  }
});

test.each([
  ['Cannot parse access token', 'Cannot parse access token. Connect'],
  ['Session has expired.', 'Session has expired. Connect'],
])('the sentence %j and our advice stay two', async (message, words) => {
  social.server().answer((_seen, res) => json(res, { error: { code: 190, message } }, 400));
  expect((await social.collect('a-base')).error?.message).toContain(words);
});

test("waits for the platform's estimate, else five minutes that double", async () => {
  const waits: number[] = [];
  for (const regain of [7, 0, 0, 0, 0, 0]) {
    social.server().answer((_seen, res) => json(res, ...throttle({ code: 17 }, regain)));
    const { until } = (await social.collect('a-base')).error as RateLimitedError; // Else NaN, which fails below.
    waits.push((until - NOW) / 60_000);
  }
  expect(waits).toEqual([7, 10, 20, 40, 60, 60]);
});

test('blocks the budget at 95 % of the allowance, with the answer still used', async () => {
  const [, , headers] = throttle({}, 3);
  social.server().answer((_seen, res) => json(res, { data: [row()] }, 200, headers));
  const { observed, error } = await social.collect('a-base');
  expect(error).toBeUndefined();
  expect(observed).toHaveLength(1);
  expect(social.budget().blocked.get(`SOCIAL_ADS/77/${ACCOUNT.id}/insights`)).toBe(NOW + 180_000);
});

test.each([
  ['x-app-usage', '{"call_count":94,"total_time":10}', 0],
  ['x-app-usage', '{"call_count":96,"total_time":10}', 1],
  ['x-fb-ads-insights-throttle', '{"app_id_util_pct":0,"acc_id_util_pct":97.5}', 1],
  ['x-ad-account-usage', '{"acc_id_util_pct":95}', 1],
  ['x-business-use-case-usage', 'not json', 0],
  ['x-business-use-case-usage', '[1]', 0],
])('reads %s: %s', async (header, value, blocks) => {
  social.server().answer((_seen, res) => json(res, { data: [] }, 200, { [header]: value }));
  expect((await social.collect('a-base')).error).toBeUndefined();
  expect(social.budget().blocked.size).toBe(blocks);
});

test('an error class tells what to do', async () => {
  social.server().answer((_seen, res) => json(res, { error: { code: 190, message: 'no' } }, 400));
  expect((await social.collect('a-base')).error).toBeInstanceOf(AuthLostError);
  social.server().answer((_seen, res) => json(res, {}, 429, { 'retry-after': '30' }));
  const { error } = await social.collect('a-base');
  expect(error).toBeInstanceOf(RateLimitedError);
  expect((error as RateLimitedError).until).toBe(NOW + 30_000); // Proved by the assertion above.
});
