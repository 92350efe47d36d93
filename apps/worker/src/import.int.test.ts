import { createConnectors } from '@tributary/connectors';
import {
  type AuthorizedLink,
  accountKey,
  commitImport,
  createImportStage,
  createLink,
  findBlogDays,
  findLinkById,
  LINK_ACCOUNT,
  saveCredentials,
  wantDiscovery,
} from '@tributary/database';
import { createReleasers } from '@tributary/runtime';
import type { BlogDay } from '@tributary/shared';
import { planAccount } from './plan-account.ts';
import { openTestWorker, type TestWorker } from './testing/open-test-worker.ts';

let worker: TestWorker;
const releasers = createReleasers();
beforeEach(async () => {
  worker = await openTestWorker();
  worker.deps.connectors = createConnectors({
    budget: {
      take: () => Promise.reject(new Error('A blog without a feed is never called')),
      block: async () => {},
    },
    accessTokens: { get: () => Promise.reject(new Error('A blog has no access tokens')) },
    clock: worker.clock,
    allowPrivateAddresses: false,
    releasers,
  });
});
afterEach(() => worker.close());
afterAll(() => releasers.releaseAll());

const DAY = '2026-11-18';
const visits: BlogDay = {
  pageViews: 4,
  visitors: 2,
  visits: 3,
  averageDurationSeconds: 1.5,
  referrers: [],
  posts: [],
  neighbours: { mutual: 0, oneWay: 1, other: 2 },
};

async function connect(link: AuthorizedLink): Promise<AuthorizedLink> {
  const { db, deps, clock } = worker;
  const saved = await saveCredentials(db, deps.box, link, {}, clock.now());
  if (!saved) throw new Error('The link is deleted');
  await wantDiscovery(db, saved, clock.now());
  await worker.turn(accountKey(link._id, LINK_ACCOUNT));
  return saved;
}

async function newBlog(): Promise<AuthorizedLink> {
  const settings = { historyDays: 5 };
  const fields = { tenant: 't1', type: 'PORTAL1_BLOG', title: 'B', tag: '', settings } as const;
  return await connect(await createLink(worker.db, { ...fields, now: worker.clock.time }));
}

async function importDay(link: AuthorizedLink): Promise<void> {
  const { db, clock } = worker;
  const account = await worker.account(accountKey(link._id, 'blog'));
  const names = { id: 'import1', link: link._id, tenant: link.tenant, now: clock.time };
  const stage = createImportStage(db, names);
  await stage.add(
    { account: account._id, day: DAY },
    { number: 1, key: DAY, set: 'blog', row: visits },
  );
  await commitImport(db, stage, { account, days: await stage.finish(), now: clock.time });
  await stage.clear();
}

const statusOf = async ({ _id }: AuthorizedLink) => (await findLinkById(worker.db, _id))?.status;

test('a blog without a feed asks nobody, waits for its first import, and is served by the next turn', async () => {
  const link = await newBlog();
  const id = accountKey(link._id, 'blog');
  expect(await worker.turn(id)).toBe('done');
  expect(await statusOf(link)).toBe('Linking');
  expect(await worker.account(id)).toMatchObject({
    withoutFeed: true,
    tree: { fetchedAt: worker.clock.time },
  });

  await importDay(link);
  const account = await worker.account(id);
  expect(account.nextPlanAt).toBe(worker.clock.time);
  expect(await planAccount(worker.db, account, worker.clock.time)).toMatchObject({
    seal: [DAY],
    fresh: [],
    bulk: [],
  });
  expect(await worker.turn(id)).toBe('done');
  expect(await findBlogDays(worker.db, link, DAY, DAY)).toEqual(new Map([[DAY, visits]]));
  expect(await worker.count('changes', /^t1\./)).toBe(1);
  expect((await worker.account(id)).cv).toBe(account.cv + 1);

  worker.clock.time += 7 * 60 * 60_000;
  expect(await worker.turn(id)).toBe('done');
  expect(await statusOf(link)).toBe('Completed');
});

test('a blog that was imported before is Completed again after new credentials', async () => {
  const link = await newBlog();
  await importDay(link);
  const again = await connect(link);
  expect([again.gen, await statusOf(again)]).toEqual([link.gen + 1, 'Linking']);
  await worker.turn(accountKey(link._id, 'blog'));
  expect(await statusOf(again)).toBe('Completed');
});

test('an import takes a run of its own and stops no turn under way', async () => {
  const link = await newBlog();
  const before = await worker.account(accountKey(link._id, 'blog'));
  await importDay(link);
  const after = await worker.account(before._id);
  expect([after.run, after.lane]).toEqual([before.run + 1, before.lane]);
  expect(await worker.cell(after._id, DAY, 'blog-days')).toMatchObject({
    run: after.run,
    state: 'ok',
  });
});
