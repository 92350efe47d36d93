import { AuthLostError, FatalError, RateLimitedError, RetryableError } from '@tributary/runtime';
import { NOW, TOKEN, useKeyword } from '../testing/portal2-keyword.ts';
import { json } from '../testing/scripted-server.ts';

const platform = useKeyword();
const KINDS = {
  throttled: RateLimitedError,
  authLost: AuthLostError,
  fatal: FatalError,
  retryable: RetryableError,
};
const detail = (detailCode: number, detailMsg = 'why') => ({ extras: { detailCode, detailMsg } });

test.each<[number, number, string, object, keyof typeof KINDS, string]>([
  [429, -813, '허용된 API 요청을 초과하였습니다.', {}, 'throttled', 'rate_limited'],
  [400, -813, 'quota', {}, 'throttled', 'rate_limited'],
  [400, -10, 'API limit has been exceeded.', {}, 'throttled', 'rate_limited'],
  [401, -401, 'this access token does not exist', {}, 'authLost', 'grant_rejected'],
  [401, -401, 'target biz token is not supplied.', {}, 'authLost', 'not_a_business_token'],
  [401, -401, 'ip mismatched! callerIp=203.0.113.7.', {}, 'fatal', 'address_refused'],
  [403, -402, 'insufficient scopes.', {}, 'authLost', 'scope_missing'],
  [403, -5, 'no permission', {}, 'authLost', 'permission_missing'],
  [403, -12, 'blocked', {}, 'authLost', 'policy_block'],
  [400, -101, 'not connected', {}, 'authLost', 'app_not_ready'],
  [400, -2, 'campaignId is required', {}, 'fatal', 'bad_request'],
  [500, -1, 'internal', {}, 'retryable', 'platform_error'],
  [503, -9798, 'maintenance', {}, 'retryable', 'platform_error'],
  [400, -820, 'KakaoKeywordAdException', detail(403), 'authLost', 'permission_missing'],
  [400, -820, 'KakaoKeywordAdException', detail(404), 'fatal', 'object_missing'],
  [400, -820, 'KakaoKeywordAdException', detail(409), 'retryable', 'platform_error'],
  [400, -820, 'KakaoKeywordAdException', detail(103_005), 'fatal', 'bad_request'],
  [200, -1, 'an error with a status of success', {}, 'retryable', 'platform_error'],
  [418, -99_999, 'never seen', {}, 'retryable', 'platform_error'],
])('status %d with code %d, %s: %p is %s, %s', async (status, code, msg, more, kind, word) => {
  platform
    .server()
    .answer((_seen, res) => json(res, { code, msg: `${msg} ${TOKEN}`, ...more }, status));
  const { error, observed } = await platform.collect('c-base');
  expect(observed).toEqual([]);
  expect(error?.constructor).toBe(KINDS[kind]);
  expect(error?.code).toBe(word);
  expect(error?.message).toContain(`code ${code}`);
  expect(error?.message).toMatch(/\.$/);
  expect(`${error?.stack}`).not.toContain(TOKEN);
  expect(platform.server().seen).toHaveLength(1);
});

test('tells what the platform says inside', async () => {
  platform
    .server()
    .answer((_seen, res) => json(res, { code: -820, ...detail(9, '없는 캠페인') }, 400));
  expect((await platform.collect('c-base')).error?.message).toContain('code -820/9: 없는 캠페인');
});

test('waits longer with every throttle in a row, and from the start after an answer', async () => {
  const throttle = () => platform.server().answer((_seen, res) => json(res, { code: -10 }, 400));
  const waits: number[] = [];
  const refused = async () => {
    throttle();
    const { error } = await platform.collect('c-base');
    waits.push((error as RateLimitedError).until - NOW); // KINDS has just said so of this code.
  };
  await refused();
  await refused();
  await refused();
  platform.server().answer((_seen, res) => json(res, { data: [] }));
  await platform.collect('c-base');
  await refused();
  expect(waits).toEqual([10_000, 20_000, 40_000, 10_000]);
});

test("obeys the platform's own time", async () => {
  platform.server().answer((_seen, res) => json(res, { code: -813 }, 429, { 'retry-after': '33' }));
  expect((await platform.collect('c-base')).error).toMatchObject({ until: NOW + 33_000 });
});

test('a 429 of something before the platform is a throttle too', async () => {
  platform.server().answer((_seen, res) => res.writeHead(429).end('slow down'));
  expect((await platform.collect('c-base')).error).toBeInstanceOf(RateLimitedError);
});

test('a refused dimension names the setting that can mend it', async () => {
  platform.server().answer((_seen, res) => json(res, { code: -2, msg: 'dimension: DEVICE' }, 400));
  const { error } = await platform.collect('c-device');
  expect(error).toBeInstanceOf(FatalError);
  expect(error?.code).toBe('dimension_refused');
  expect(error?.message).toContain('settings.dimensions.device');
});
