import { randomBytes } from 'node:crypto';
import { accountKey, findLink, LINK_ACCOUNT } from '@tributary/database';
import { AuthLostError, createCredentialBox, FatalError, RetryableError } from '@tributary/runtime';
import { openTestWorker, rowsOf, SEOUL, type TestWorker } from './testing/open-test-worker.ts';

const HOUR_MS = 3_600_000;
const NEVER = 4e15;
const expired = () => new AuthLostError('token_expired', 'Connect again with a new access token.');

let worker: TestWorker;
beforeEach(async () => {
  worker = await openTestWorker();
  worker.script.accounts = [SEOUL, { ...SEOUL, id: '2' }];
});
afterEach(() => worker.close());

const linkOf = async ({ _id, tenant }: { _id: string; tenant: string }) =>
  await findLink(worker.db, tenant, _id);

function failOn(account: string, error: () => Error) {
  worker.script.collect = (request) => {
    if (request.account.id === account) throw error();
    return rowsOf(request);
  };
}

test('a lost grant disconnects the link with the reason, rests every account and keeps what is stored', async () => {
  const { link, ids } = await worker.listed();
  const [one = '', two = ''] = ids;
  await worker.turn(one);
  const stored = await worker.count('statDays', /./);
  expect(stored).toBeGreaterThan(0);

  failOn('2', expired);
  expect(await worker.turn(two)).toBe('failed');
  expect(await linkOf(link)).toMatchObject({
    status: 'Disconnect',
    reason: { code: 'token_expired', message: 'Connect again with a new access token.' },
  });
  for (const id of [...ids, accountKey(link._id, LINK_ACCOUNT)]) {
    expect((await worker.account(id)).nextPlanAt).toBe(NEVER);
  }
  expect(await worker.count('statDays', /./)).toBe(stored);

  const asked = worker.script.asked.length;
  worker.clock.time += 2 * HOUR_MS;
  expect(await worker.turn(one)).toBe('stopped'); // a turn that was already queued
  expect(worker.script.asked).toHaveLength(asked);
  expect((await worker.account(one)).nextPlanAt).toBe(NEVER);
});

test('what an account failed with is forgotten with the old credentials: the new ones are tried on it before the link is lost', async () => {
  const { link, ids } = await worker.listed();
  const [one = '', two = ''] = ids;
  const denied = () => new AuthLostError('permission_missing', 'Grant access to the account.');
  worker.script.treeFails = denied();
  await worker.turn(two);
  expect((await worker.account(two)).tree.code).toBe('permission_missing');
  await worker.giveCredentials(link);
  expect((await worker.account(two)).tree).toEqual({});
  await worker.turn(one);
  expect((await linkOf(link))?.status).toBe('Linking');
});

test('new credentials wake every account: Linking, then Completed, and the rest is collected', async () => {
  const { link, ids } = await worker.listed();
  for (const id of ids) await worker.turn(id);
  worker.clock.time += 2 * HOUR_MS;
  failOn('1', expired);
  await worker.turn(ids[0] ?? '');
  expect((await linkOf(link))?.status).toBe('Disconnect');

  worker.script.collect = undefined;
  await worker.giveCredentials(link);
  expect(await linkOf(link)).toMatchObject({ status: 'Linking', reason: null });
  const key = accountKey(link._id, LINK_ACCOUNT);
  for (const id of [key, ...ids]) {
    expect((await worker.account(id)).nextPlanAt).toBe(worker.clock.time);
  }
  await worker.turn(key);
  worker.clock.time += 7 * HOUR_MS; // past the next reading of the trees
  const outcomes = [];
  for (const id of ids) outcomes.push(await worker.turn(id));
  expect(outcomes).toEqual(['done', 'done']);
  expect(await linkOf(link)).toMatchObject({ status: 'Completed', reason: null });
});

test.each(['object_missing', 'account_closed', 'scope_missing', 'permission_missing'])(
  'one account of two that fails with %s rests alone; the link and the other account go on',
  async (code) => {
    const { link, ids } = await worker.listed();
    const [one = '', two = ''] = ids;
    failOn('1', () => new AuthLostError(code, 'May the account be read?'));
    expect(await worker.turn(one)).toBe('failed');
    expect(await worker.turn(two)).toBe('done');
    expect(await linkOf(link)).toMatchObject({ status: 'Completed', reason: null });
    const { lane, tree } = await worker.account(one);
    expect(lane.fresh.quiet?.until).toBe(worker.clock.time + 6 * HOUR_MS);
    expect(tree).toMatchObject({ code, fetchedAt: worker.clock.time });
  },
);

test('the only account left that is missing disconnects the link', async () => {
  worker.script.accounts = [SEOUL, { ...SEOUL, id: '2', status: 'closed' }];
  const { link, ids } = await worker.listed();
  failOn('1', () => new AuthLostError('object_missing', 'Does the account exist?'));
  await worker.turn(ids[0] ?? '');
  expect((await linkOf(link))?.reason?.code).toBe('object_missing');
});

test('an account that failed with the old credentials is tried with the new ones at once', async () => {
  const { link, ids } = await worker.listed();
  const [one = ''] = ids;
  worker.script.treeFails = new AuthLostError('object_missing', 'May the token read it?');
  await worker.turn(one);
  expect((await worker.account(one)).tree.retryAt).toBe(worker.clock.time + 6 * HOUR_MS);
  worker.script.treeFails = undefined;
  await worker.giveCredentials(link);
  for (const id of ids) expect(await worker.turn(id)).toBe('done');
  expect((await linkOf(link))?.status).toBe('Completed');
});

test('new credentials are not blamed for what the old ones fail with', async () => {
  const { link, ids } = await worker.listed();
  worker.script.collect = async () => {
    await worker.giveCredentials(link);
    throw expired();
  };
  await worker.turn(ids[0] ?? '');
  expect(await linkOf(link)).toMatchObject({ status: 'Linking', reason: null });
  for (const id of ids) {
    expect((await worker.account(id)).nextPlanAt).toBeLessThanOrEqual(worker.clock.time);
  }
});

test('no open account disconnects the link', async () => {
  worker.script.accounts = [{ ...SEOUL, status: 'closed' }];
  const link = await worker.link();
  await worker.turn(accountKey(link._id, LINK_ACCOUNT));
  expect(await linkOf(link)).toMatchObject({
    status: 'Disconnect',
    reason: { code: 'no_account' },
  });
});

test('an account list that fails for a while is asked for again later, and the link stays Linking', async () => {
  worker.script.listFails = new RetryableError('platform_error', 'Later');
  const link = await worker.link();
  const key = accountKey(link._id, LINK_ACCOUNT);
  expect(await worker.turn(key)).toBe('failed');
  expect((await linkOf(link))?.status).toBe('Linking');
  expect((await worker.account(key)).tree).toMatchObject({ code: 'platform_error', tries: 1 });
});

test('a tree that cannot be had leaves the link Linking, tried again hours later', async () => {
  const { link, ids } = await worker.listed();
  const [id = ''] = ids;
  worker.script.treeFails = new FatalError('no_feed', 'Import its days.');
  expect(await worker.turn(id)).toBe('failed');
  expect(await linkOf(link)).toMatchObject({ status: 'Linking', reason: null });
  const { tree, lane } = await worker.account(id);
  expect(tree).toMatchObject({ code: 'no_feed', detail: 'Import its days.' });
  expect(lane.fresh.quiet?.until).toBe(worker.clock.time + 6 * HOUR_MS);
  expect(worker.script.asked).toEqual([]);
});

test('credentials that do not open disconnect the link without a call', async () => {
  const { link, ids } = await worker.listed();
  const { keyIds } = worker.deps.box;
  worker.deps.box = createCredentialBox(`${keyIds[0]}:${randomBytes(32).toString('base64')}`);
  await worker.turn(ids[0] ?? '');
  expect((await linkOf(link))?.reason?.code).toBe('credentials_unreadable');
  expect(worker.script.asked).toEqual([]);
});

test('a key that this process has not disconnects nothing: it is tried again', async () => {
  const { link, ids } = await worker.listed();
  const { box } = worker.deps;
  worker.deps.box = createCredentialBox(`other:${randomBytes(32).toString('base64')}`);
  expect(await worker.turn(ids[0] ?? '')).toBe('failed');
  expect(await linkOf(link)).toMatchObject({ status: 'Linking', reason: null });
  worker.deps.box = box;
  worker.clock.time += HOUR_MS;
  expect(await worker.turn(ids[0] ?? '')).toBe('done');
});

test('settings that do not fit the channel disconnect the link, naming the setting, its value and what to do', async () => {
  const { link, ids } = await worker.listed();
  await worker.db.db
    .collection<{ _id: string }>('links')
    .updateOne({ _id: link._id }, { $set: { settings: { historyDays: 'many' } } });
  await worker.turn(ids[0] ?? '');
  expect((await linkOf(link))?.reason).toEqual({
    code: 'settings_invalid',
    message:
      'The stored settings.historyDays is "many", expected number, received string. ' +
      'Delete the link and make it again with POST /link.',
  });
});
