import { AuthLostError, RetryableError } from '@tributary/runtime';
import type { Grant } from '../connector.ts';
import { createOpenBudget, drain } from '../testing/contract.ts';
import {
  answerLogin,
  list,
  MANAGED,
  MANAGER,
  NOW,
  OWNED,
  openPortal1Da,
  pathOf,
  row,
  source,
  usePortal1Da,
} from '../testing/portal1-da.ts';
import { json, type Seen } from '../testing/scripted-server.ts';

const da = usePortal1Da();
const REFUSED = {
  errorMessage: 'result is false : Authentication failed. (Failed to authenticate the request.)',
  errorCode: '024',
};
const FORBIDDEN = { error: { code: 'AUTH_ERROR', message: 'Forbidden' } };
const headerOf = ({ headers }: Seen) => headers.accessmanageraccountno;
const tokenOf = ({ headers }: Seen) => headers.authorization;

describe('the access token', () => {
  /** The platform that gives one token after the other and takes the last `good` ones. */
  const serve = (isGood: (token: string) => boolean) => {
    let given = 0;
    da.server().answer((seen, res) => {
      if (seen.method === 'POST') given += 1;
      const login = answerLogin(seen, `access-secret-${given}`);
      if (seen.method === 'POST') return json(res, login);
      if (!isGood(String(tokenOf(seen)))) return json(res, REFUSED, 401);
      return json(res, login ?? { rows: [row()] });
    });
  };
  const refreshes = () => da.server().seen.filter(({ method }) => method === 'POST');

  test('is refreshed once when it is refused, and the call goes on with the new one', async () => {
    serve((token) => token === 'Bearer access-secret-2');
    const { observed, error } = await da.collect('c-base');
    expect(error).toBeUndefined();
    expect(observed).toHaveLength(1);
    expect(refreshes()).toHaveLength(2);
    expect(Object.fromEntries(new URLSearchParams(refreshes()[0]?.body))).toEqual({
      grant_type: 'refresh_token',
      client_id: 'client',
      client_secret: 'client-secret',
      refresh_token: 'refresh-secret',
    });
  });

  test('that is refused again is a lost grant, told with what to do', async () => {
    serve(() => false);
    const { error } = await da.collect('c-base');
    expect(error).toBeInstanceOf(AuthLostError);
    expect(error).toMatchObject({ code: 'grant_rejected' });
    expect(error?.message).toContain('withdraw it in the portal');
    expect(da.server().seen.filter(({ method }) => method === 'GET')).toHaveLength(2);
  });

  test.each([
    [
      { error: 'invalid_request', error_description: 'refresh-secret' },
      AuthLostError,
      'grant_rejected',
    ],
    [{ error: 'unauthorized_client' }, AuthLostError, 'grant_rejected'],
    [{ error: 'server_error' }, RetryableError, 'malformed_answer'],
  ])(
    'the login server’s %j comes with HTTP 200 and is what its word says',
    async (body, kind, code) => {
      da.server().answer((_seen, res) => json(res, body));
      const { error } = await da.collect('c-base');
      expect(error).toBeInstanceOf(kind);
      expect(error?.code).toBe(code);
      expect(`${error?.stack}`).not.toContain('refresh-secret');
      expect(da.server().seen).toHaveLength(1);
    },
  );

  test('a refresh token that is replaced goes into the credentials, with the others kept', async () => {
    const grants: Grant[] = [];
    const accessTokens = {
      get: async (access: never, fetch: (access: never) => Promise<Grant<never>>) => {
        const grant = await fetch(access);
        grants.push(grant);
        return grant.token;
      },
    };
    const { budget } = createOpenBudget();
    const clock = { now: () => NOW };
    const opened = openPortal1Da({ baseUrl: da.server().url, budget, clock, accessTokens });
    da.server().answer((_seen, res) =>
      json(res, {
        access_token: 'access-secret',
        expires_in: '3600',
        refresh_token: 'new-refresh',
      }),
    );
    await opened.connector.listAccounts(da.access()).catch(() => {});
    await opened.close();
    expect(grants[0]).toEqual({
      token: 'access-secret',
      expiresAt: NOW + 3_600_000,
      credentials: { ...da.access().credentials, refreshToken: 'new-refresh' },
    });
  });
});

describe('the manager header', () => {
  test('is sent for managed accounts, found by one look at the lists for all calls', async () => {
    da.answerRows(row());
    await da.collect('c-base', { account: MANAGED });
    await da.collect('g-base', { account: MANAGED });
    expect(da.calls(MANAGED).map(headerOf)).toEqual([MANAGER, MANAGER]);
    const paths = da.server().seen.map(pathOf);
    expect(paths.filter((path) => path === '/managerAccounts')).toHaveLength(1);
    expect(paths.filter((path) => path === `/managerAccounts/${MANAGER}`)).toHaveLength(1);
  });

  test('is not sent for an account of the login itself, though a manager lists it too', async () => {
    da.answerRows(row());
    await da.collect('c-base');
    await drain(
      da.connector().collect({
        ...da.access(),
        account: { id: OWNED, zone: 'Asia/Seoul', currency: 'KRW' },
        source: source('d-base'),
        from: '2026-11-18',
        to: '2026-11-18',
        onReport: async () => {},
      }),
    );
    expect(da.calls().map(headerOf)).toEqual([undefined, undefined]);
    expect(da.server().seen.map(pathOf)).not.toContain('/managerAccounts');
  });

  test('is looked for anew when the login’s place has changed', async () => {
    da.answerRows(row());
    await da.collect('c-base', { account: MANAGED });
    da.server().answer((seen, res) => {
      if (pathOf(seen) === '/adAccounts') return json(res, list([{ no: 8791 }, { no: 8790 }]));
      const login = answerLogin(seen);
      if (login !== undefined) return json(res, login);
      if (headerOf(seen) !== undefined) return json(res, FORBIDDEN, 403);
      return json(res, { rows: [row()] });
    });
    const { observed, error } = await da.collect('c-base', { account: MANAGED });
    expect(error).toBeUndefined();
    expect(observed).toHaveLength(1);
    expect(da.calls(MANAGED).map(headerOf)).toEqual([MANAGER, MANAGER, undefined]);
  });

  test('that was right and is refused is asked for once and not twice', async () => {
    da.answerRows(row());
    await da.collect('c-base');
    da.answer((_seen, res) => json(res, FORBIDDEN, 403));
    const { error } = await da.collect('c-base');
    expect(error).toMatchObject({ code: 'scope_missing' });
    expect(da.calls()).toHaveLength(2);
  });

  test('is the one that the credentials name, without asking for others', async () => {
    da.server().answer((seen, res) => {
      const login = answerLogin(seen);
      if (login !== undefined) return json(res, login);
      const isTree = pathOf(seen).startsWith('/managerAccounts/');
      return json(res, isTree ? { no: 5, childAdAccountNos: [8791] } : { rows: [row()] });
    });
    await da.collect('c-base', { account: MANAGED, credentials: { accessManagerId: '5' } });
    expect(da.calls(MANAGED).map(headerOf)).toEqual(['5']);
    expect(da.server().seen.map(pathOf)).not.toContain('/managerAccounts');
  });
});

describe('the accounts', () => {
  test('are those that the settings name, and without one of them the link waits for a person', async () => {
    da.answer((seen, res) => json(res, { no: Number(pathOf(seen).split('/')[2]), name: 'Client' }));
    const ids = async (...adAccountIds: string[]) =>
      (await da.connector().listAccounts(da.access({ adAccountIds }))).map(({ id }) => id);
    expect(await ids(MANAGED)).toEqual([MANAGED]);
    expect(await ids(OWNED)).toEqual([OWNED]);
    await expect(ids('1')).rejects.toMatchObject({ code: 'no_account' });
  });

  test('are Korean in day and money whatever the settings say, and closed when they are not to be opened', async () => {
    da.answer((_seen, res) => json(res, FORBIDDEN, 403));
    const settings = { timezone: 'America/New_York', currency: 'USD' };
    const accounts = await da.connector().listAccounts(da.access(settings));
    expect(accounts.map(({ id, status }) => [id, status])).toEqual([
      [OWNED, 'active'],
      ['8791', 'closed'],
      ['8792', 'closed'],
    ]);
    for (const account of accounts)
      expect(account).toMatchObject({ zone: 'Asia/Seoul', currency: 'KRW' });
  });
});

test.each([
  ['may not be opened', 403, FORBIDDEN],
  ['is gone', 404, { error: { code: 'DATA_NOT_EXIST', message: 'Gone' } }],
])('a manager account that %s hides no other account', async (_name, status, refused) => {
  const shut = '1601';
  const managers = list([{ no: Number(shut) }, { no: Number(MANAGER) }]);
  da.server().answer((seen, res) => {
    if (pathOf(seen) === '/managerAccounts') return json(res, managers);
    const login = answerLogin(seen);
    if (login !== undefined) return json(res, login);
    if (pathOf(seen) === `/managerAccounts/${shut}`) return json(res, refused, status);
    const isTree = pathOf(seen) === `/managerAccounts/${MANAGER}`;
    return json(res, isTree ? { no: 1602, childAdAccountNos: [8791] } : { no: 8791 });
  });
  const accounts = await da.connector().listAccounts(da.access());
  expect(accounts.map(({ id }) => id)).toEqual([OWNED, MANAGED]);
});

test('the one manager account that the credentials name says why it reaches nothing', async () => {
  da.server().answer((seen, res) => {
    if (pathOf(seen) === '/adAccounts') return json(res, list([]));
    const login = answerLogin(seen);
    return login === undefined ? json(res, FORBIDDEN, 403) : json(res, login);
  });
  const listed = da.connector().listAccounts(da.access({}, { accessManagerId: '5' }));
  await expect(listed).rejects.toMatchObject({ code: 'scope_missing' });
});

describe('a numbered list', () => {
  const entities = async () => {
    for await (const _ of da.connector().listEntities({ ...da.access(), account: { id: OWNED } }));
  };
  const serve = (pages: object[]) =>
    da.answer(({ url }, res) => json(res, pages[Number(url.searchParams.get('page'))]));
  const page = (nos: number[], totalElements: number, last: boolean) => ({
    content: nos.map((no) => ({ no, name: 'x', activated: true })),
    totalElements,
    last,
  });

  test('that repeats a row, changes on the way or never ends is not used', async () => {
    serve([page([1, 2], 3, false), page([2], 3, true)]);
    await expect(entities()).rejects.toMatchObject({ code: 'repeated_page' });
    serve([page([1, 2], 3, false), page([3], 4, true)]);
    await expect(entities()).rejects.toMatchObject({ code: 'list_changed' });
    serve([page([1, 2], 3, true)]);
    await expect(entities()).rejects.toMatchObject({ code: 'list_changed' });
    serve([page([], 0, false)]);
    await expect(entities()).rejects.toMatchObject({ code: 'repeated_page' });
    serve([{ totalElements: 0, last: true }]);
    await expect(entities()).rejects.toMatchObject({ code: 'malformed_answer' });
  });

  test('is asked for a hundred rows at a time, without the deleted ones and for them alone', async () => {
    da.answer((_seen, res) => json(res, page([], 0, true)));
    await entities();
    const asked = da.calls().map((seen) => {
      const { page: at, size, deleteOnly } = Object.fromEntries(seen.url.searchParams);
      return [pathOf(seen).split('/')[3], at, size, deleteOnly].join(' ');
    });
    expect(asked).toEqual(
      ['campaigns', 'adSets', 'creatives'].flatMap((name) => [
        `${name} 0 100 false`,
        `${name} 0 100 true`,
      ]),
    );
  });
});
