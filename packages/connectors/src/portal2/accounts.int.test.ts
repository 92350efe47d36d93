import { AuthLostError, RetryableError } from '@tributary/runtime';
import { TOKEN, useKeyword } from '../testing/portal2-keyword.ts';
import { json } from '../testing/scripted-server.ts';

const platform = useKeyword();
const account = (id: number | string, config = 'ON') => ({ id, name: `shop ${id}`, config });
const page = (content: object[], totalElements: number, totalPages: number) => ({
  content,
  totalElements,
  totalPages,
});
/** Serves pages by their number. */
const serve = (...pages: object[]) =>
  platform.server().answer(({ url }, res) => {
    json(res, pages[Number(url.searchParams.get('page'))]);
  });
const list = (settings = {}) => platform.connector().listAccounts(platform.access(settings));

test('reads every page, an empty one in the middle too, with the token and without an account', async () => {
  serve(page([account(1)], 2, 3), page([], 2, 3), page([account('2', 'DEL')], 2, 3));
  expect(await list()).toEqual([
    { id: '1', title: 'shop 1', zone: 'Asia/Seoul', currency: 'KRW', status: 'active' },
    { id: '2', title: 'shop 2', zone: 'Asia/Seoul', currency: 'KRW', status: 'removed' },
  ]);
  for (const { headers } of platform.server().seen) {
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(headers.adaccountid).toBeUndefined();
  }
  const keys = new Set(platform.budget().taken);
  expect([...keys]).toEqual([expect.stringMatching(/^PORTAL2_KEYWORD\/[\w-]{16}\/-\/lists$/)]);
  expect([...keys].join()).not.toContain(TOKEN);
});

test('takes zone and currency of the settings, where the platform names none', async () => {
  serve(page([account(1, 'OFF')], 1, 1));
  expect(await list({ timezone: 'Asia/Tokyo', currency: 'JPY' })).toEqual([
    { id: '1', title: 'shop 1', zone: 'Asia/Tokyo', currency: 'JPY', status: 'paused' },
  ]);
});

test('keeps to the wanted accounts, and says so when the token reaches none of them', async () => {
  serve(page([account(1), account(2)], 2, 1));
  expect((await list({ adAccountIds: ['2'] })).map(({ id }) => id)).toEqual(['2']);
  const lost = await list({ adAccountIds: ['3'] }).catch((error: unknown) => error);
  expect(lost).toBeInstanceOf(AuthLostError);
  expect(lost).toMatchObject({
    code: 'no_account',
    message: expect.stringContaining('accounts 3.'),
  });
});

test('a token without any account is a lost grant', async () => {
  serve(page([], 0, 0));
  await expect(list()).rejects.toMatchObject({ code: 'no_account' });
});

test.each([
  [
    'a page that comes again',
    [page([account(1)], 2, 2), page([account(1)], 2, 2)],
    'repeated_page',
  ],
  ['fewer accounts than announced', [page([account(1)], 2, 1)], 'malformed_answer'],
  ['a page without its totals', [{ content: [] }], 'malformed_answer'],
])('uses nothing of a list with %s', async (_name, pages, code) => {
  serve(...pages);
  const error = await list().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RetryableError);
  expect(error).toMatchObject({ code });
});
