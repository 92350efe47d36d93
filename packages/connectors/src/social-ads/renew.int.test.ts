import { json, type Seen } from '../testing/scripted-server.ts';
import { access, NOW, useSocialAds } from '../testing/social-ads.ts';

const social = useSocialAds();
const DAY_S = 86_400;
const APP = { accessToken: 'EAAB-old', appId: '77', appSecret: 'app-secret' };

const renew = (credentials: typeof APP | { accessToken: string }) =>
  social.connector().renew?.({ ...access(), credentials });
/** The platform that says how long the token lives, and gives a new one. */
function answerToken(state: object, renewed = 'EAAB-new') {
  social.server().answer(({ url }, res) => {
    if (url.pathname.endsWith('/debug_token')) return json(res, { data: state });
    return json(res, { access_token: renewed, token_type: 'bearer', expires_in: 60 * DAY_S });
  });
}
const asked = (seen: readonly Seen[]) =>
  seen.map(({ url }) => [url.pathname, Object.fromEntries(url.searchParams)]);

test.each([
  ['ends within 14 days', 13.9 * DAY_S],
  ['ends within the hour', 3_000],
])('exchanges a token that %s', async (_name, leftS) => {
  answerToken({ is_valid: true, expires_at: Math.floor(NOW / 1_000 + leftS) });
  expect(await renew(APP)).toEqual({ ...APP, accessToken: 'EAAB-new' });
  expect(asked(social.server().seen)).toEqual([
    ['/v26.0/debug_token', { input_token: 'EAAB-old', access_token: '77|app-secret' }],
    [
      '/v26.0/oauth/access_token',
      {
        grant_type: 'fb_exchange_token',
        client_id: '77',
        client_secret: 'app-secret',
        fb_exchange_token: 'EAAB-old',
      },
    ],
  ]);
  expect(social.budget().taken).toEqual(Array(2).fill('SOCIAL_ADS/77/-/lists'));
});

test.each([
  ['lives longer', { is_valid: true, expires_at: NOW / 1_000 + 15 * DAY_S }],
  ['does not end', { is_valid: true, expires_at: 0 }],
  ['is dead already', { is_valid: false, expires_at: NOW / 1_000 - 1 }],
])('exchanges nothing when the token %s', async (_name, state) => {
  answerToken(state);
  expect(await renew(APP)).toBeUndefined();
  expect(social.server().seen).toHaveLength(1);
});

test('answers nothing new when the platform gives the same token back', async () => {
  answerToken({ is_valid: true, expires_at: NOW / 1_000 + DAY_S }, 'EAAB-old');
  expect(await renew(APP)).toBeUndefined();
});

test.each([{ appId: '77' }, { appSecret: 'app-secret' }, {}])(
  'asks nothing with %j, as only the app may exchange',
  async (app) => {
    expect(await renew({ accessToken: 'EAAB-old', ...app })).toBeUndefined();
    expect(social.server().seen).toHaveLength(0);
  },
);

test('an app secret that is wrong is an error without the secret in it', async () => {
  const message = 'Error validating client secret app-secret of EAAB-old.';
  social.server().answer((_seen, res) => json(res, { error: { code: 1, message } }, 400));
  const failed = renew(APP);
  await expect(failed).rejects.toMatchObject({ code: 'platform_error' });
  await expect(failed).rejects.not.toThrow(/app-secret|EAAB-old/);
});
