import { AuthLostError, FatalError, RateLimitedError, RetryableError } from '@tributary/runtime';
import { json } from '../testing/scripted-server.ts';
import { access, CREDENTIALS, NOW, useSearchAd } from '../testing/search-ad.ts';

const platform = useSearchAd();
const problem = (word: string) => ({
  apikey: CREDENTIALS.apiKey,
  signature: 'c2lnbmF0dXJl',
  status: 403,
  type: `urn:naver:api:problem:${word}`,
  title: 'No',
  detail: `API-KEY '${CREDENTIALS.apiKey}' is invalid.`,
});

test.each([
  [problem('invalid-signature'), 403, AuthLostError, 'grant_rejected'],
  [problem('invalid-apikey'), 403, AuthLostError, 'grant_rejected'],
  [problem('auth-failed'), 403, AuthLostError, 'grant_rejected'],
  [problem('invalid-timestamp'), 403, RetryableError, 'clock_skew'],
  [{ code: 1018, status: 403, title: 'No permission' }, 403, AuthLostError, 'scope_missing'],
  [{ code: 1006, message: 'No permission' }, 400, AuthLostError, 'scope_missing'],
  [{ code: 429, message: 'Too Many Requests' }, 429, RateLimitedError, 'rate_limited'],
  [{ code: 1016, message: 'Too many connections' }, 500, RateLimitedError, 'rate_limited'],
  [{ code: 20007, message: '해당 일자 지표 준비중입니다.' }, 400, RetryableError, 'not_ready'],
  [{ code: 10004, message: '지표가 확인되지 않습니다.' }, 400, FatalError, 'out_of_history'],
  [{ code: 11001, message: '잘못된 파라미터' }, 400, FatalError, 'bad_request'],
  [{ code: 1001, status: 404, title: 'Not found' }, 404, RetryableError, 'object_missing'],
  [{ code: 500, message: 'Internal Server Error' }, 500, RetryableError, 'platform_error'],
  [{ name: 'InternalServerError', status: 500, title: 'x' }, 500, RetryableError, 'unreachable'],
  [{ code: 31337, message: 'New' }, 400, RetryableError, 'platform_error'],
  [{ hello: 'world' }, 403, RetryableError, 'malformed_answer'],
])(
  '%j with status %i is a %p of the word %s, without a secret',
  async (body, status, kind, word) => {
    platform.server().answer((_seen, res) => json(res, body, status));
    const { error } = await platform.collect('ad');
    expect(error).toBeInstanceOf(kind);
    expect(error?.code).toBe(word);
    expect(`${error?.stack}`).not.toContain(CREDENTIALS.apiKey);
    expect(`${error?.stack}`).not.toContain(CREDENTIALS.secretKey);
    expect(`${error?.stack}`).not.toContain('c2lnbmF0dXJl');
  },
);

test('waits after throttles in a row grow from half a second, and begin anew after an answer', async () => {
  platform.server().answer((_seen, res) => json(res, { code: 429, message: 'x' }, 429));
  const waits: number[] = [];
  const waitOnce = async () => {
    const { error } = await platform.collect('ad');
    waits.push((error as RateLimitedError).until - NOW);
  };
  for (let n = 0; n < 3; n += 1) await waitOnce();
  for (const [index, ms] of waits.entries()) {
    expect(ms).toBeGreaterThanOrEqual(500 * 2 ** index);
    expect(ms).toBeLessThanOrEqual(1_001 * 2 ** index);
  }
  let calls = 0;
  platform.server().answer((_seen, res) => {
    calls += 1;
    if (calls === 1) json(res, []);
    else json(res, { code: 429, message: 'x' }, 429);
  });
  await waitOnce();
  expect(waits.at(-1)).toBeLessThanOrEqual(1_001);
});

describe('accounts', () => {
  const adAccount = { masterCustomerId: 1234567, name: 'Shop', currency: 'KRW' };
  const list = (one: object, totalPages = 1) => ({ content: [{ adAccount: one }], totalPages });
  const listed = () => platform.connector().listAccounts(access());

  test.each([
    [{}, 'active', 'KRW'],
    [{ deleted: true }, 'closed', 'KRW'],
    [{ disabled: true, currency: 'USD' }, 'paused', 'USD'],
    [{ currency: null, name: '' }, 'active', 'KRW'],
  ])('with %j are %s, in %s, on Korean days', async (more, status, currency) => {
    platform.server().answer((_seen, res) => json(res, list({ ...adAccount, ...more })));
    const [account] = await listed();
    expect(account).toMatchObject({ id: '1234567', status, currency, zone: 'Asia/Seoul' });
  });

  test('are looked for on every page, and proved by the campaigns where no page names them', async () => {
    platform.server().answer(({ url }, res) => {
      const isList = url.pathname === '/ad-accounts';
      json(res, isList ? list({ ...adAccount, masterCustomerId: 9 }, 3) : []);
    });
    expect(await listed()).toEqual([
      { id: '1234567', title: '1234567', zone: 'Asia/Seoul', currency: 'KRW', status: 'active' },
    ]);
    expect(platform.server().seen.map(({ url }) => url.pathname)).toEqual([
      '/ad-accounts',
      '/ad-accounts',
      '/ad-accounts',
      '/ncc/campaigns',
    ]);
  });
});

describe('the tree', () => {
  const id = (n: number) => `cmp-a001-01-${String(n).padStart(15, '0')}`;
  const drain = async (most = Infinity) => {
    const found: string[] = [];
    const account = { id: '1234567' };
    for await (const page of platform.connector().listEntities({ ...access(), account })) {
      found.push(...page.map((one) => one.id));
      if (found.length >= most) break;
    }
    return found;
  };

  test('goes on after the last id of a full page', async () => {
    platform.server().answer(({ url }, res) => {
      const base = url.searchParams.get('baseSearchId');
      const from = base === null ? 0 : Number(base.slice(-15)) + 1;
      const count = Math.min(1_000, 1_003 - from);
      if (url.pathname !== '/ncc/campaigns') json(res, []);
      else
        json(
          res,
          Array.from({ length: count }, (_, n) => ({ nccCampaignId: id(from + n) })),
        );
    });
    expect((await drain(1_003)).length).toBe(1_003);
    const asked = platform.server().seen.filter(({ url }) => url.pathname === '/ncc/campaigns');
    expect(asked.map(({ url }) => url.searchParams.get('baseSearchId'))).toEqual([null, id(999)]);
  });

  test('ends a list that begins again as repeated_page', async () => {
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ nccCampaignId: id(n) }));
    platform.server().answer((_seen, res) => json(res, rows));
    await expect(drain()).rejects.toMatchObject({ code: 'repeated_page' });
    expect(platform.server().seen).toHaveLength(2);
  });
});
