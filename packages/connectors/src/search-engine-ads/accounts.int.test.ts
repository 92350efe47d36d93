import { AuthLostError } from '@tributary/runtime';
import { json, type Seen } from '../testing/scripted-server.ts';
import {
  ACCOUNT,
  access,
  MANAGER,
  queryOf,
  refusal,
  useSearch,
} from '../testing/search-engine-ads.ts';

const search = useSearch();
const DIRECT = '5550000001';
const CLOSED = '5550000002';

const client = (id: string, more: object = {}) => ({
  customerClient: {
    id,
    descriptiveName: `Shop ${id}`,
    status: 'ENABLED',
    currencyCode: 'KRW',
    timeZone: 'Asia/Seoul',
    ...more,
  },
});
const cidOf = ({ url }: Seen) => /customers\/(\d+)\//.exec(url.pathname)?.[1];

/** A user with a manager account, an account of their own and a cancelled one. */
function serveUser(): void {
  search.answer((seen, res) => {
    const cid = cidOf(seen);
    if (seen.url.pathname.endsWith(':listAccessibleCustomers')) {
      json(res, { resourceNames: [CLOSED, MANAGER, DIRECT].map((id) => `customers/${id}`) });
    } else if (cid === CLOSED) {
      json(res, refusal(['authorizationError', 'CUSTOMER_NOT_ENABLED']), 403);
    } else if (!queryOf(seen).includes('customer_client')) json(res, { results: [] });
    else if (cid === DIRECT) json(res, { results: [client(DIRECT)] });
    else {
      const manager = { customerClient: { id: MANAGER, manager: true } };
      json(res, { results: [manager, client(ACCOUNT.id), client(DIRECT)] });
    }
  });
}

const ids = (accounts: readonly { id: string; status: string }[]) =>
  accounts.map(({ id, status }) => `${id} ${status}`);

test('without a manager in the credentials all that the user reaches is walked, and a cancelled account hides no other', async () => {
  serveUser();
  const accounts = await search.connector().listAccounts(access({ loginCustomerId: undefined }));
  expect(ids(accounts)).toEqual([`${CLOSED} closed`, `${ACCOUNT.id} active`, `${DIRECT} active`]);
});

test('each account is then asked through the manager above it, found once', async () => {
  serveUser();
  const owner = access({ loginCustomerId: undefined });
  for (let time = 0; time < 2; time += 1) {
    expect((await search.collect('c-base', owner)).error).toBeUndefined();
  }
  const asked = search.calls().filter((seen) => queryOf(seen).includes('FROM campaign'));
  expect(asked.map(({ headers }) => headers['login-customer-id'])).toEqual([MANAGER, MANAGER]);
  // The list of roots and one walk of each, then the two calls.
  expect(search.calls()).toHaveLength(1 + 3 + 2);
});

describe('a way to an account that was found before', () => {
  const OTHER = '7770000000';
  /** A user with one manager account, above the account. */
  const serveManager = (manager: string, refused = 'USER_PERMISSION_DENIED') =>
    search.answer((seen, res) => {
      const roots = { resourceNames: [`customers/${manager}`] };
      const isWalk = queryOf(seen).includes('customer_client');
      if (seen.url.pathname.endsWith(':listAccessibleCustomers')) json(res, roots);
      else if (seen.headers['login-customer-id'] !== manager) {
        const family = refused.includes('LOGIN') ? 'headerError' : 'authorizationError';
        json(res, refusal([family, refused]), 403);
      } else json(res, { results: isWalk ? [client(ACCOUNT.id)] : [] });
    });
  const managers = () =>
    search
      .calls()
      .filter((seen) => queryOf(seen).includes('FROM campaign'))
      .map(({ headers }) => headers['login-customer-id']);

  test.each(['USER_PERMISSION_DENIED', 'INVALID_LOGIN_CUSTOMER_ID'])(
    'and is refused with %s is looked for anew, and no grant is lost',
    async (refused) => {
      const owner = access({ loginCustomerId: undefined });
      serveManager(MANAGER);
      expect((await search.collect('c-base', owner)).error).toBeUndefined();
      serveManager(OTHER, refused);
      expect((await search.collect('c-base', owner)).error).toBeUndefined();
      expect(managers()).toEqual([MANAGER, MANAGER, OTHER]);
    },
  );

  test('and is right all the same is asked for once', async () => {
    const owner = access({ loginCustomerId: undefined });
    serveManager(MANAGER);
    await search.collect('c-base', owner);
    search.answer((seen, res) => {
      const roots = { resourceNames: [`customers/${MANAGER}`] };
      if (seen.url.pathname.endsWith(':listAccessibleCustomers')) json(res, roots);
      else if (queryOf(seen).includes('customer_client'))
        json(res, { results: [client(ACCOUNT.id)] });
      else json(res, refusal(['authorizationError', 'USER_PERMISSION_DENIED']), 403);
    });
    expect((await search.collect('c-base', owner)).error).toMatchObject({ code: 'scope_missing' });
    expect(managers()).toEqual([MANAGER, MANAGER]);
  });

  test('does not hold up another user’s credentials', async () => {
    serveManager(MANAGER);
    await search.collect('c-base', access({ loginCustomerId: undefined }));
    serveManager(OTHER);
    const renewed = access({ loginCustomerId: undefined, refreshToken: 'new-refresh-token' });
    expect((await search.collect('c-base', renewed)).error).toBeUndefined();
    expect(managers().at(-1)).toBe(OTHER);
  });
});

test('a manager in the credentials is written with or without dashes, and sent as digits', async () => {
  serveUser();
  await search.collect('c-base', access({ loginCustomerId: '987-654-3210' }));
  expect(search.calls().map(({ headers }) => headers['login-customer-id'])).toEqual([MANAGER]);
  expect(search.calls()[0]?.headers['developer-token']).toBe('developer-token-1');
});

test('settings name the accounts that are wanted', async () => {
  serveUser();
  const accounts = await search
    .connector()
    .listAccounts(access({}, { customerIds: ['123-456-7890', '1111111111'] }));
  expect(ids(accounts)).toEqual([`${ACCOUNT.id} active`]);
});

test.each([
  ['none of the wanted accounts is reached', { customerIds: ['1111111111'] }, '1111111111'],
  ['a manager has no account', {}, 'no account'],
])('%s: a lost grant that says so', async (_name, settings, words) => {
  search.answer((_seen, res) => json(res, { results: [] }));
  const listed = search.connector().listAccounts(access({}, settings));
  await expect(listed).rejects.toBeInstanceOf(AuthLostError);
  await expect(search.connector().listAccounts(access({}, settings))).rejects.toMatchObject({
    code: 'no_account',
    message: expect.stringContaining(words),
  });
});

test('a manager that refuses is told, an account without zone takes that of the settings', async () => {
  search.answer((_seen, res) =>
    json(res, refusal(['authorizationError', 'USER_PERMISSION_DENIED']), 403),
  );
  await expect(search.connector().listAccounts(access())).rejects.toMatchObject({
    code: 'scope_missing',
  });
  const bare = { customerClient: { id: ACCOUNT.id, status: 'SUSPENDED' } };
  search.answer((_seen, res) => json(res, { results: [bare] }));
  const settings = { timezone: 'Europe/Paris', currency: 'EUR' };
  expect(await search.connector().listAccounts(access({}, settings))).toEqual([
    { id: ACCOUNT.id, title: ACCOUNT.id, zone: 'Europe/Paris', currency: 'EUR', status: 'paused' },
  ]);
});
