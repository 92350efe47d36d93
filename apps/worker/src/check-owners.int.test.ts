import { accountKey, upsertEntities } from '@tributary/database';
import { CHANNELS, findSource, type Observed, type SetId } from '@tributary/shared';
import { checkOwners } from './check-owners.ts';
import { openTestWorker, type TestWorker } from './testing/open-test-worker.ts';

let worker: TestWorker;
beforeEach(async () => {
  worker = await openTestWorker();
});
afterEach(() => worker.close());

function page(set: SetId, campaign: string): Observed[] {
  return [{ day: '2026-11-01', set, rows: [[campaign, '', '', 'x', 1, 1, 0, 0, 1, null, null]] }];
}

test("takes what the account's tree knows or nobody's does, and refuses what is another account's", async () => {
  const { link, ids } = await worker.listed();
  const account = await worker.account(ids[0] ?? '');
  const foreign = { level: 'c', id: 'c2', parent: '2', title: '', status: 'active' } as const;
  await upsertEntities(worker.db, {
    tenant: link.tenant,
    link: link._id,
    account: accountKey(link._id, '2'),
    entities: [foreign],
    now: 0,
  });
  const check = (id: string, campaign: string) => {
    const source = findSource(CHANNELS.PORTAL1_DA, id);
    if (!source) throw new Error(`No source ${id}`);
    return checkOwners(worker.db, account, { source, page: page(id as SetId, campaign) });
  };
  await check('c-age', 'c1');
  await check('c-age', 'not known yet');
  await check('c-base', 'c2'); // the platform's own answer
  await expect(check('c-age', 'c2')).rejects.toMatchObject({
    code: 'id_of_another_account',
    message: expect.stringContaining("'c2'"),
  });
});
