import { AuthLostError, FatalError, RateLimitedError, RetryableError } from '@tributary/runtime';
import { callLimitOf } from '../registry.ts';
import { json } from '../testing/scripted-server.ts';
import { ACCOUNT, access, NOW, refusal, SECRETS, useSearch } from '../testing/search-engine-ads.ts';

const MINUTE_MS = 60_000;
const search = useSearch();

const refuse = (body: unknown, status = 400) =>
  search.answer((_seen, res) => json(res, body, status));
const quota = (details: object) => ({ details: { quotaErrorDetails: details } });

test.each([
  ['quotaError', 'ACCESS_PROHIBITED', AuthLostError, 'app_refused'],
  ['authenticationError', 'OAUTH_TOKEN_DISABLED', AuthLostError, 'grant_rejected'],
  ['authenticationError', 'NOT_ADS_USER', AuthLostError, 'not_ads_user'],
  ['authenticationError', 'CUSTOMER_NOT_FOUND', AuthLostError, 'object_missing'],
  ['authorizationError', 'USER_PERMISSION_DENIED', AuthLostError, 'scope_missing'],
  ['authorizationError', 'CUSTOMER_NOT_ENABLED', AuthLostError, 'account_closed'],
  ['authorizationError', 'CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION', AuthLostError, 'app_refused'],
  ['authorizationError', 'PROJECT_DISABLED', AuthLostError, 'app_refused'],
  ['headerError', 'INVALID_LOGIN_CUSTOMER_ID', AuthLostError, 'login_customer_refused'],
  ['requestError', 'EXPIRED_PAGE_TOKEN', RetryableError, 'page_expired'],
  ['requestError', 'PAGE_SIZE_NOT_SUPPORTED', FatalError, 'bad_request'],
  ['internalError', 'INTERNAL_ERROR', RetryableError, 'platform_error'],
  ['internalError', 'TRANSIENT_ERROR', RetryableError, 'platform_error'],
  ['internalError', 'DEADLINE_EXCEEDED', RetryableError, 'platform_error'],
  ['databaseError', 'CONCURRENT_MODIFICATION', RetryableError, 'platform_error'],
  ['dateError', 'EARLIER_THAN_MINIMUM_DATE', FatalError, 'out_of_history'],
  ['dateError', 'INVALID_STRING_DATE', FatalError, 'bad_request'],
  ['dateRangeError', 'INVALID_DATE', FatalError, 'bad_request'],
  ['queryError', 'REQUESTED_METRICS_FOR_MANAGER', FatalError, 'bad_request'],
  ['newError', 'NEVER_SEEN', RetryableError, 'platform_error'],
])('%s.%s is a %p, whatever the HTTP status', async (family, code, kind, word) => {
  for (const status of [400, 403, 500]) {
    refuse(refusal([family, code]), status);
    const { error, observed } = await search.collect('g-keyword');
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ code: word, message: expect.stringContaining(code) });
    expect(error?.message).toMatch(/\.$/);
    expect(observed).toEqual([]);
  }
  expect(search.calls()).toHaveLength(3);
});

test.each([
  ['PERMISSION_DENIED', AuthLostError, 'scope_missing'],
  ['NOT_FOUND', FatalError, 'bad_request'],
  ['UNAVAILABLE', RetryableError, 'platform_error'],
])('without a code of its own the word %s decides', async (status, kind, word) => {
  refuse({ error: { code: 418, status, message: 'Said by the gate' } }, 418);
  const { error } = await search.collect('g-keyword');
  expect(error).toBeInstanceOf(kind);
  expect(error).toMatchObject({ code: word, message: expect.stringContaining('Said by the gate') });
});

test.each([
  [
    'RESOURCE_EXHAUSTED',
    quota({ rateScope: 'DEVELOPER', retryDelay: '40591s' }),
    40_591_000,
    'app',
  ],
  [
    'RESOURCE_TEMPORARILY_EXHAUSTED',
    quota({ rateScope: 'ACCOUNT', retryDelay: '2.5s' }),
    2_500,
    'account',
  ],
  ['RESOURCE_EXHAUSTED', quota({ retryDelay: '999999999s' }), 24 * 60 * MINUTE_MS, 'app'],
  ['RESOURCE_EXHAUSTED', {}, 5 * MINUTE_MS, 'app'],
  ['EXCESSIVE_SHORT_TERM_QUERY_RESOURCE_CONSUMPTION', {}, 5 * MINUTE_MS, 'app'],
  ['EXCESSIVE_LONG_TERM_QUERY_RESOURCE_CONSUMPTION', {}, 30 * MINUTE_MS, 'app'],
])('%s with %j silences for %d ms the %s', async (code, more, waitMs, whom) => {
  refuse(refusal(['quotaError', code], more), 429);
  const { error } = await search.collect('g-keyword');
  expect(error).toBeInstanceOf(RateLimitedError);
  expect((error as RateLimitedError).until).toBe(NOW + waitMs);
  const key =
    whom === 'app'
      ? 'SEARCH_ENGINE_ADS/4455/-/operations'
      : `SEARCH_ENGINE_ADS/4455/${ACCOUNT.id}/requests`;
  expect([...search.budget().blocked]).toEqual([[key, NOW + waitMs]]);
});

test('all links of a cloud project share its operations of the day, which never reach the limit', async () => {
  search.answer((_seen, res) => json(res, { results: [] }));
  for (const clientId of ['4455-web.apps', '4455-desktop.apps', '66-web.apps', 'no-number']) {
    await search.collect('c-base', access({ clientId }));
  }
  const { taken } = search.budget();
  expect(taken.filter((key) => key.endsWith('/operations'))).toEqual([
    'SEARCH_ENGINE_ADS/4455/-/operations',
    'SEARCH_ENGINE_ADS/4455/-/operations',
    'SEARCH_ENGINE_ADS/66/-/operations',
    'SEARCH_ENGINE_ADS/no-number/-/operations',
  ]);
  const { burst, perHour } = callLimitOf('SEARCH_ENGINE_ADS/4455/-/operations');
  expect(burst + 24 * perHour).toBeLessThan(15_000);
});

test('a refusal in an array, as streams send it, is understood', async () => {
  refuse([refusal(['authorizationError', 'CUSTOMER_NOT_ENABLED'])], 403);
  expect((await search.collect('g-keyword')).error).toMatchObject({ code: 'account_closed' });
});

test('of several errors the first that is known decides', async () => {
  const { error } = refusal(['newError', 'NEVER_SEEN']);
  const errors = [
    ...(error.details[0]?.errors ?? []),
    { errorCode: { quotaError: 'RESOURCE_EXHAUSTED' } },
  ];
  refuse({ error: { ...error, details: [{ errors }] } });
  expect((await search.collect('g-keyword')).error).toBeInstanceOf(RateLimitedError);
});

test('a 429 of something before the platform is obeyed', async () => {
  search.answer((_seen, res) => res.writeHead(429, { 'retry-after': '30' }).end('busy'));
  expect((await search.collect('g-keyword')).error).toMatchObject({ until: NOW + 30_000 });
});

describe('an access token that is refused', () => {
  const stale = refusal(['authenticationError', 'OAUTH_TOKEN_EXPIRED']);
  const unauthenticated = { error: { code: 401, status: 'UNAUTHENTICATED', message: 'No' } };
  const tokens = ['access-1', 'access-2'];
  const serve = (isGood: (authorization: string | undefined) => boolean, refused: unknown) => {
    let given = 0;
    search.server().answer((seen, res) => {
      if (seen.url.pathname === '/token') {
        json(res, { access_token: tokens[given], expires_in: 3_599 });
        given += 1;
      } else if (isGood(seen.headers.authorization)) json(res, { results: [] });
      else json(res, refused, 401);
    });
  };

  test.each([
    ['expired', stale],
    ['unauthenticated', unauthenticated],
  ])('as %s is refreshed once and the call made again', async (_name, refused) => {
    serve((authorization) => authorization === 'Bearer access-2', refused);
    expect((await search.collect('c-base')).error).toBeUndefined();
    expect(search.calls().map(({ headers }) => headers.authorization)).toEqual([
      'Bearer access-1',
      'Bearer access-2',
    ]);
    expect((await search.collect('c-base')).error).toBeUndefined();
    expect(search.calls()).toHaveLength(3);
  });

  test('and again with a new one is a lost grant', async () => {
    serve(() => false, stale);
    const { error } = await search.collect('c-base');
    expect(error).toBeInstanceOf(AuthLostError);
    expect(error).toMatchObject({ code: 'grant_rejected' });
    expect(search.calls()).toHaveLength(2);
  });

  test('and cannot be refreshed is a lost grant, with no secret in its words', async () => {
    search
      .server()
      .answer((_seen, res) =>
        json(res, { error: 'invalid_grant', error_description: 'refresh-token revoked' }, 400),
      );
    const { error } = await search.collect('c-base');
    expect(error).toBeInstanceOf(AuthLostError);
    expect(search.calls()).toEqual([]);
    for (const secret of SECRETS) expect(`${error?.stack}`).not.toContain(secret);
  });
});

test('secrets that the platform quotes are taken out of its words', async () => {
  refuse(refusal(['queryError', 'X'], {}, `Bad ${SECRETS.join(' and ')}`));
  const { error } = await search.collect('g-keyword');
  expect(error?.message).toContain('[secret]');
  for (const secret of SECRETS) expect(`${error?.stack}`).not.toContain(secret);
});
