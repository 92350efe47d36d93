import { findLink } from '@tributary/database';
import { AuthLostError } from '@tributary/runtime';
import { openTestWorker, rowsOf, SEOUL, type TestWorker } from './testing/open-test-worker.ts';

const HOUR_MS = 3_600_000;

let worker: TestWorker;
beforeEach(async () => {
  worker = await openTestWorker();
  worker.script.accounts = [SEOUL, { ...SEOUL, id: '2' }];
});
afterEach(() => worker.close());

function socialAds() {
  const connector = worker.deps.connectors.SOCIAL_ADS;
  if (!connector) throw new Error('There is no connector');
  return connector;
}

const refused = (code: string) => new AuthLostError(code, 'A person has to mend it.');

function failOn(accounts: string, code: string) {
  worker.script.collect = (request) => {
    if (accounts.includes(request.account.id)) throw refused(code);
    return rowsOf(request);
  };
}

test('a tree that is stored after the grant was found lost does not make the link Completed', async () => {
  const { link, ids } = await worker.listed();
  const [one = '', two = ''] = ids;
  await worker.turn(one);
  worker.clock.time += 2 * HOUR_MS;
  failOn('1', 'token_expired');
  const connector = socialAds();
  worker.deps.connectors.SOCIAL_ADS = {
    ...connector,
    async *listEntities(access) {
      if (access.account.id === '2') await worker.turn(one);
      yield* connector.listEntities(access);
    },
  };
  await worker.turn(two);
  expect(await findLink(worker.db, 't1', link._id)).toMatchObject({
    status: 'Disconnect',
    reason: { code: 'token_expired' },
  });
});

test('one account of two that may no longer be read rests alone; with both the link waits for a person', async () => {
  const { link, ids } = await worker.listed();
  const [one = '', two = ''] = ids;
  await worker.turn(two);
  failOn('1', 'scope_missing');
  expect(await worker.turn(one)).toBe('failed');
  expect((await findLink(worker.db, 't1', link._id))?.status).toBe('Completed');
  worker.clock.time += 2 * HOUR_MS;
  expect(await worker.turn(two)).toBe('done');

  failOn('12', 'scope_missing');
  worker.clock.time += 2 * HOUR_MS;
  expect(await worker.turn(two)).toBe('failed');
  expect(await findLink(worker.db, 't1', link._id)).toMatchObject({
    status: 'Disconnect',
    reason: { code: 'scope_missing' },
  });
});

test('an id that two accounts of a link claim is never served with the figures of both', async () => {
  const { link, ids } = await worker.listed();
  const [one = '', two = ''] = ids;
  await worker.turn(one);
  const campaigns = () =>
    worker.db.db
      .collection<{ _id: string; h: string }>('statDays')
      .find({ _id: new RegExp(`^${link._id}\\.c\\.c1\\.`) })
      .sort({ _id: 1 })
      .toArray();
  const before = await campaigns();
  expect(before).toHaveLength(2);
  const connector = socialAds();
  worker.deps.connectors.SOCIAL_ADS = {
    ...connector,
    listEntities: (access) => connector.listEntities({ ...access, account: SEOUL }),
    collect: (request) => connector.collect({ ...request, account: SEOUL }),
  };
  worker.script.collect = (request) => rowsOf(request, 7_000);
  expect(await worker.turn(two)).toBe('failed');
  expect(await campaigns()).toEqual(before);
  const { code, detail } = (await worker.account(two)).tree;
  expect(code).toBe('id_of_another_account');
  expect(detail).toContain("campaign 'c1'");
});
