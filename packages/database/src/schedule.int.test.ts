import { createLogger } from '@tributary/runtime';
import { addDays } from '@tributary/shared';
import { accountKey, accounts, findAccount, LINK_ACCOUNT, listAccounts } from './accounts.ts';
import { connectDatabase, type Database } from './database.ts';
import { deleteLink } from './delete-link.ts';
import { claimDueAccounts, nextPlanOf, setNextPlan, wakeAllAccounts } from './due-accounts.ts';
import { type AuthorizedLink, createLink, findLink } from './links.ts';
import { saveAccounts, wantDiscovery } from './listing.ts';
import { changeSchedule, followHistory, historyDaysOf } from './schedule.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import { intercept } from './test-turns.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;
const TODAY = '2026-11-20';

let test: TestDatabase;
let db: Database;
beforeAll(async () => {
  test = await openTestDatabase('schedule');
  db = test.db;
}, 60_000);
afterAll(() => test.drop());
beforeEach(async () => {
  await accounts(db).deleteMany({});
});

const listing = (ids: readonly string[]) =>
  ids.map((id) => ({
    id,
    title: id,
    zone: 'Asia/Seoul',
    currency: 'KRW',
    status: 'active' as const,
  }));

async function addLink({ ids = ['1', '2'], historyDays = 30 } = {}): Promise<AuthorizedLink> {
  const settings = { historyDays };
  const fields = { tenant: 't1', type: 'SOCIAL_ADS', title: 'L', tag: '', settings } as const;
  const link = await createLink(db, { ...fields, now: NOW });
  await wantDiscovery(db, link, NOW);
  await saveAccounts(db, link, listing(ids), { now: NOW, historyDays });
  return link;
}

const load = async ({ tenant, _id }: AuthorizedLink) => {
  const link = await findLink(db, tenant, _id);
  if (!link) throw new Error('The link is gone');
  return link;
};
const all = async ({ _id }: AuthorizedLink) => {
  const search = await findAccount(db, accountKey(_id, LINK_ACCOUNT));
  return [...(search ? [search] : []), ...(await listAccounts(db, _id))];
};
const plans = async (link: AuthorizedLink) =>
  (await all(link)).map((account) => nextPlanOf(account));
const histories = async (link: AuthorizedLink) =>
  (await listAccounts(db, link._id)).map(({ historyFrom }) => historyFrom);
const change = async (
  link: AuthorizedLink,
  fields: { paused?: boolean; historyDays?: number },
  now = NOW,
) => await changeSchedule(db, await load(link), { ...fields, now });
const claim = (now: number) => claimDueAccounts(db, { now, random: Math.random });

it('a paused link rests until it is resumed, and tells since when', async () => {
  const link = await addLink();
  expect(await change(link, { paused: true }, NOW + 1)).toMatchObject({ pausedAt: NOW + 1 });
  expect(await change(link, { paused: true }, NOW + 2)).toMatchObject({ pausedAt: NOW + 1 });
  expect(await plans(link)).toEqual([undefined, undefined, undefined]);
  expect(await claim(NOW + 400 * DAY_MS)).toEqual([]);
  await wakeAllAccounts(db, NOW + 3); // an emptied queue
  expect(await claim(NOW + 3)).toEqual([]);

  const resumed = await change(link, { paused: false }, NOW + 4);
  expect(resumed && 'pausedAt' in resumed).toBe(false);
  expect(await plans(link)).toEqual([NOW + 4, NOW + 4, NOW + 4]);
  await claim(NOW + 4);
  await change(link, { paused: false }, NOW + 5);
  expect(await plans(link)).toEqual([NOW + 5, NOW + 5, NOW + 5]);
});

it('a turn that saw the link paused does not put to rest what is resumed meanwhile', async () => {
  const link = await addLink({ ids: ['1'] });
  await change(link, { paused: true }, NOW + 1);
  await wantDiscovery(db, link, NOW + 2); // new credentials
  const claimed = await claim(NOW + 2);
  await change(link, { paused: false }, NOW + 3);
  for (const { _id: id, wake } of claimed) await setNextPlan(db, { id, wake, at: Infinity });
  expect(await plans(link)).toEqual([NOW + 3, NOW + 3]);
});

it('who planned an account before it was paused does not make it due afterwards', async () => {
  const link = await addLink({ ids: ['1'] });
  const [before] = (await claim(NOW)).filter(({ account }) => account === '1');
  await change(link, { paused: true });
  await setNextPlan(db, { id: before?._id ?? '', wake: before?.wake ?? -1, at: NOW + 1 });
  expect(await plans(link)).toEqual([undefined, undefined]);
});

it('a link that waits for a person is not woken by resuming it', async () => {
  const link = await addLink();
  await db.db
    .collection('links')
    .updateOne(
      { tenant: 't1', title: 'L', _id: link._id as never },
      { $set: { status: 'Disconnect' } },
    );
  await change(link, { paused: true });
  await change(link, { paused: false });
  expect(await plans(link)).toEqual([undefined, undefined, undefined]);
});

it('who resumes while somebody pauses, before the accounts rest, gets them planned all the same', async () => {
  const link = await addLink();
  let isFirst = true;
  const slow = intercept(db, async (step, call) => {
    if (isFirst && step.collection === 'accounts' && step.isWrite) {
      isFirst = false;
      await changeSchedule(db, link, { paused: false, now: NOW + 1 });
    }
    return await call();
  });
  await changeSchedule(slow, link, { paused: true, now: NOW });
  expect((await load(link)).pausedAt).toBeUndefined();
  expect(await plans(link)).toEqual([NOW, NOW, NOW]);
});

it('pausing and resuming at once over several connections never leaves an open link resting', async () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const other = await connectDatabase({ uri: test.uri, appName: 'other', logger });
  try {
    for (let round = 0; round < 15; round += 1) {
      const link = await addLink();
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          changeSchedule(index % 2 === 0 ? db : other, link, { paused: index % 3 === 0, now: NOW }),
        ),
      );
      const { pausedAt } = await load(link);
      const isResting = (await plans(link)).includes(undefined);
      expect([pausedAt, isResting]).not.toEqual([undefined, true]);
    }
  } finally {
    await other.close();
  }
}, 60_000);

it('more days of history want older days at once, fewer want them no more', async () => {
  const link = await addLink();
  const day = (days: number) => addDays(TODAY, -days);
  await saveAccounts(db, link, listing(['1', '2', '3']), {
    now: NOW + 5 * DAY_MS,
    historyDays: 30,
  });
  expect(await histories(link)).toEqual([day(30), day(30), day(25)]);
  await claim(NOW + 5 * DAY_MS);
  const versions = async () => (await listAccounts(db, link._id)).map(({ cv }) => cv);

  await change(link, { historyDays: 60 }, NOW + 6 * DAY_MS);
  expect(await histories(link)).toEqual([day(60), day(60), day(55)]);
  expect((await plans(link)).slice(1)).toEqual(Array(3).fill(NOW + 6 * DAY_MS));
  expect(await versions()).toEqual([1, 1, 1]);
  await change(link, { historyDays: 60 }, NOW + 7 * DAY_MS);
  expect(await histories(link)).toEqual([day(60), day(60), day(55)]);
  expect(await versions()).toEqual([1, 1, 1]);

  await change(link, { historyDays: 1 }, NOW + 8 * DAY_MS);
  expect(await histories(link)).toEqual([day(1), day(1), addDays(TODAY, 4)]);
  expect(historyDaysOf(await load(link))).toBe(1);
});

it('a paused link gets its history and stays at rest', async () => {
  const link = await addLink();
  await change(link, { paused: true, historyDays: 40 });
  expect(await histories(link)).toEqual([addDays(TODAY, -40), addDays(TODAY, -40)]);
  expect(await plans(link)).toEqual([undefined, undefined, undefined]);
});

it('of changes at once one is kept, by the setting and all accounts alike', async () => {
  const link = await addLink();
  for (let round = 0; round < 5; round += 1) {
    const from = 10 * round;
    const sizes = Array.from({ length: 8 }, (_, index) => from + index + 1);
    await Promise.all(sizes.map((historyDays) => change(link, { historyDays })));
    const kept = addDays(TODAY, -historyDaysOf(await load(link)));
    expect(await histories(link)).toEqual([kept, kept]);
  }
}, 60_000);

it('accounts that were listed under the setting before follow it', async () => {
  const link = await addLink({ ids: [] });
  await change(link, { historyDays: 90 });
  await saveAccounts(db, link, listing(['1']), { now: NOW, historyDays: 30 });
  await followHistory(db, link._id, NOW);
  expect(await histories(link)).toEqual([addDays(TODAY, -90)]);
});

it('a link that was deleted meanwhile is not changed', async () => {
  const link = await addLink();
  await deleteLink(db, link, NOW);
  expect(await changeSchedule(db, link, { paused: true, now: NOW })).toBeUndefined();
});
