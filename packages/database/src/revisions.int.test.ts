import { setTimeout as sleep } from 'node:timers/promises';
import type { BlogDay, ChannelType, Day, ObservationRow, SetId } from '@tributary/shared';
import { createCollection } from './commit.ts';
import type { Database } from './database.ts';
import { keysBelow } from './keys.ts';
import type { AuthorizedLink } from './links.ts';
import { listRevisions, readRevision, revisions } from './revisions.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import {
  type Collecting,
  collect,
  createTestAccount,
  intercept,
  NOW,
  sealNow,
  servedOf,
  type TestAccount,
} from './test-turns.ts';

/** Longer ago than the channel restates, and not. */
const SETTLED: Day = '2026-10-02';
const RECENT: Day = '2026-11-02';
let test: TestDatabase;

beforeAll(async () => {
  test = await openTestDatabase('revisions');
}, 60_000);
afterAll(() => test.drop());

const row = (clicks: number, ids: readonly [string, string, string] = ['c1', '', '']) =>
  [...ids, '', 100, clicks, 0, 0, 1_000_000, null, 9] as ObservationRow;

const newAccount = (link: string, type?: ChannelType) => createTestAccount(test.db, link, type);

function read(account: TestAccount, run: number, clicks: number, more: Partial<Collecting> = {}) {
  return readWith(test.db, account, run, clicks, more);
}

async function readWith(
  db: Database,
  account: TestAccount,
  run: number,
  clicks: number,
  more: Partial<Collecting> = {},
) {
  const rows = () => [row(clicks)];
  return await collect(db, account, { run, source: 'c-base', days: [SETTLED], rows, ...more });
}

/** What a client is shown: level, entity and clicks before and after, in order. */
async function shown({ link }: TestAccount, from = SETTLED, to = SETTLED): Promise<unknown[]> {
  const owner = { _id: link, tenant: 't1' } as AuthorizedLink;
  const listed = await listRevisions(test.db, owner, { from, to });
  const found: unknown[] = [];
  for (const revision of listed) {
    const entities = await readRevision(test.db, owner, revision);
    expect(entities).toHaveLength(revision.entities);
    for (const [entity, before, after] of entities)
      found.push([revision.part, entity, before[1], after[1]]);
  }
  return found;
}

const stored = ({ link }: TestAccount) =>
  revisions(test.db).countDocuments({ _id: keysBelow(link) });

it('a settled total that changes is kept with both figures and when, and for 400 days', async () => {
  const account = await newAccount('changed');
  await read(account, 1, 5);
  await read(account, 2, 7);
  await read(account, 3, 6);
  expect(await shown(account)).toEqual([
    ['c', 'c1', 5, 7],
    ['c', 'c1', 7, 6],
  ]);
  const [first] = await revisions(test.db)
    .find({ _id: keysBelow('changed') })
    .toArray();
  expect(first).toMatchObject({
    _id: `${account.id}.c.${SETTLED}.0000000001.0000000002`,
    tenant: 't1',
    newRun: 2,
    at: NOW + 2,
    n: 1,
    expireAt: new Date(NOW + 2 + 400 * 86_400_000),
  });
});

it('nothing is kept of a day without a change, a first reading, a recent day or a list', async () => {
  const account = await newAccount('nothing');
  await read(account, 1, 5);
  await read(account, 2, 5);
  for (const [run, clicks] of [
    [1, 5],
    [2, 6],
  ] as const) {
    await read(account, run, clicks, { days: [RECENT] });
    await read(account, run, clicks, {
      source: 'c-age',
      rows: () => [row(clicks).with(3, '18-24') as ObservationRow],
    });
  }
  expect(await stored(account)).toBe(0);
  await read(account, 3, 6);
  expect(await stored(account)).toBe(1);
});

it('a total that was read last before the platform was done with it is no settled one', async () => {
  const account = await newAccount('early');
  const early = Date.parse(`${SETTLED}T12:00:00Z`) + 20 * 86_400_000;
  await read(account, 1, 5, { fetchedAt: early });
  await read(account, 2, 6);
  expect(await stored(account)).toBe(0);
  await read(account, 3, 7);
  expect(await shown(account)).toEqual([['c', 'c1', 6, 7]]);
});

it('levels that are summed from the rows of another are revised by their own sums', async () => {
  const summed = await newAccount('summed', 'PORTAL1_DA');
  const campaigns = (...clicks: number[]) => ({
    rows: () => clicks.map((count, index) => row(count, [`c${index}`, '', ''])),
  });
  await read(summed, 1, 0, campaigns(5, 8));
  await read(summed, 2, 0, campaigns(6, 7));
  await read(summed, 3, 0, campaigns(6, 9));
  expect(await shown(summed)).toEqual([
    ['c', 'c0', 5, 6],
    ['c', 'c1', 8, 7],
    ['a', '', 13, 15],
    ['c', 'c1', 7, 9],
  ]);

  const ads = await newAccount('fromads', 'PORTAL1_SEARCH_AD');
  const files = (run: number, clicks: number, keyword: number) =>
    collectSets(ads, run, {
      'd-base': [row(clicks, ['c1', 'g1', 'd1']), row(1, ['c1', 'g1', 'd2'])],
      'g-keyword': [row(keyword, ['c1', 'g1', '']).with(3, 'shoes') as ObservationRow],
    });
  await files(1, 5, 1);
  await files(2, 5, 2);
  expect(await stored(ads)).toBe(0);
  await files(3, 8, 2);
  expect(await shown(ads)).toEqual([
    ['c', 'c1', 6, 9],
    ['d', 'd1', 5, 8],
    ['g', 'g1', 6, 9],
  ]);
});

async function collectSets(
  account: TestAccount,
  run: number,
  sets: Partial<Record<SetId, ObservationRow[]>>,
) {
  const target = { account: account.id, tenant: 't1', source: 'ad', from: SETTLED, to: SETTLED };
  const collection = createCollection(test.db, {
    ...target,
    run,
    fetchedAt: NOW + run,
    believed: true,
    nextSeq: () => 1,
  });
  for (const [set, rows] of Object.entries(sets))
    await collection.add([{ day: SETTLED, set: set as SetId, rows }]);
  await collection.commit();
}

it("the blog's totals are covered too, and its lists are not totals", async () => {
  const account = await newAccount('blog', 'PORTAL1_BLOG');
  const day = (visits: number, title: string): BlogDay => ({
    pageViews: visits * 2,
    visitors: visits,
    visits,
    averageDurationSeconds: 61.5,
    referrers: [{ title, count: visits, detail: [] }],
    posts: [],
    neighbours: { mutual: 0, oneWay: 1, other: visits - 1 },
  });
  const readBlog = (run: number, visits: number, title: string) =>
    read(account, run, 0, {
      source: 'blog-days',
      set: 'blog',
      rows: () => [day(visits, title)] as unknown as ObservationRow[],
    });
  await readBlog(1, 5, 'search');
  await readBlog(2, 5, 'friends');
  expect(await stored(account)).toBe(0);
  await readBlog(3, 6, 'friends');
  expect(await shown(account)).toEqual([['blog', '', 5, 6]]);
});

class Crash extends Error {}

it('a turn that dies between the revision and the commit shows nothing, and the next one the truth', async () => {
  const account = await newAccount('crash');
  await read(account, 1, 5);
  let died = 0;
  const dying = intercept(test.db, async ({ collection, isWrite }, call) => {
    if (collection !== 'coverage' || !isWrite) return await call();
    died += 1;
    throw new Crash();
  });
  await expect(readWith(dying, account, 2, 9)).rejects.toThrow(Crash);
  expect(died).toBe(1);
  expect(await stored(account)).toBe(1);
  expect(await shown(account)).toEqual([]);
  await read(account, 3, 6);
  expect(await shown(account)).toEqual([['c', 'c1', 5, 6]]);
});

it('a turn that dies right after the commit has told of it', async () => {
  const account = await newAccount('committed');
  await read(account, 1, 5);
  const dying = intercept(test.db, async ({ collection, isWrite }, call) => {
    const answer = await call();
    if (collection === 'coverage' && isWrite) throw new Crash();
    return answer;
  });
  await expect(readWith(dying, account, 2, 9)).rejects.toThrow(Crash);
  expect(await shown(account)).toEqual([['c', 'c1', 5, 9]]);
});

/** A database that runs `meanwhile` once, right before its first call of that kind. */
function delayed(collection: string, isWrite: boolean, meanwhile: () => Promise<unknown>) {
  const seen = { times: 0 };
  const db = intercept(test.db, async (step, call) => {
    if (step.collection === collection && step.isWrite === isWrite) {
      seen.times += 1;
      if (seen.times === 1) await meanwhile();
    }
    return await call();
  });
  return { db, seen };
}

describe('two turns at once', () => {
  it('the older commit that comes late is not shown', async () => {
    const account = await newAccount('late');
    await read(account, 1, 5);
    const { db, seen } = delayed('coverage', true, () => read(account, 3, 8));
    await readWith(db, account, 2, 6);
    expect(seen.times).toBe(1);
    expect(await stored(account)).toBe(2);
    expect(await shown(account)).toEqual([['c', 'c1', 5, 8]]);
  });

  it('the newer one that compared with the same rows is shown alone', async () => {
    const account = await newAccount('newer');
    await read(account, 1, 5);
    const { db, seen } = delayed('coverage', true, async () => {
      await read(account, 2, 6);
      await sealNow(test.db, account, [SETTLED]);
    });
    await readWith(db, account, 3, 8);
    expect(seen.times).toBe(1);
    expect(await shown(account)).toEqual([['c', 'c1', 5, 8]]);
  });

  it('rows that were cleaned away before they were compared give way to those that replaced them', async () => {
    const account = await newAccount('cleaned');
    await read(account, 1, 5);
    await sealNow(test.db, account, [SETTLED]);
    const { db, seen } = delayed('accounts', false, async () => {
      await read(account, 2, 6);
      await sealNow(test.db, account, [SETTLED]);
    });
    await readWith(db, account, 3, 8);
    expect(seen.times).toBe(1);
    expect(await shown(account)).toEqual([
      ['c', 'c1', 5, 6],
      ['c', 'c1', 6, 8],
    ]);
  });

  it('an unchanged answer that meets a newer change is a change of that', async () => {
    const account = await newAccount('back');
    await read(account, 1, 5);
    const { db, seen } = delayed('coverage', true, () => read(account, 2, 6));
    await readWith(db, account, 3, 5);
    expect(seen.times).toBe(2);
    expect(await shown(account)).toEqual([
      ['c', 'c1', 5, 6],
      ['c', 'c1', 6, 5],
    ]);
  });
});

it('however turns race, what is shown leads without a break from the first figures to those that are stored', async () => {
  const account = await newAccount('racing');
  await read(account, 1, 100);
  const slow = intercept(test.db, async ({ isWrite }, call) => {
    if (isWrite) await sleep(Math.random() * 5);
    return await call();
  });
  const turns = Array.from({ length: 24 }, (_, index) => index + 2);
  await Promise.all(
    [0, 1, 2, 3].map(async (writer) => {
      for (const run of turns.filter((turn) => turn % 4 === writer)) {
        await readWith(slow, account, run, run % 3 === 0 ? 100 : run);
        await sealNow(test.db, account, [SETTLED]);
      }
    }),
  );
  const steps = (await shown(account)) as [string, string, number, number][];
  expect(steps.length).toBeGreaterThan(1);
  const chain = [100, ...steps.map(([, , , after]) => after)];
  expect(steps.map(([, , before]) => before)).toEqual(chain.slice(0, -1));
  const [text = '{}'] = (await servedOf(test.db, 'racing')).values();
  expect(chain.at(-1)).toBe(JSON.parse(text).total.clicks);
}, 30_000);

it('a reading that is repeated is one revision, also when others confirm it', async () => {
  const account = await newAccount('repeated');
  await read(account, 1, 5);
  for (const run of [2, 2, 3, 4]) await read(account, run, 7);
  expect(await stored(account)).toBe(1);
  expect(await shown(account)).toEqual([['c', 'c1', 5, 7]]);
});

it('rows that are gone are no revision, as nobody knows the figures before', async () => {
  const account = await newAccount('gone');
  await read(account, 1, 5);
  await test.db.db
    .collection<{ _id: string }>('observations')
    .deleteMany({ _id: keysBelow('gone') });
  await read(account, 2, 6);
  expect(await shown(account)).toEqual([]);
  await read(account, 3, 7);
  expect(await shown(account)).toEqual([['c', 'c1', 6, 7]]);
});

it('a range and a level show what lies in them', async () => {
  const account = await newAccount('ranges', 'PORTAL1_DA');
  const days: Day[] = ['2026-10-02', '2026-10-03', '2026-10-04'];
  await read(account, 1, 5, { days });
  await read(account, 2, 6, { days });
  const owner = { _id: 'ranges', tenant: 't1' } as AuthorizedLink;
  const listed = await listRevisions(test.db, owner, {
    from: days[1] ?? '',
    to: '2026-10-09',
    part: 'a',
  });
  expect(listed.map(({ day, part, account: id }) => [day, part, id])).toEqual([
    ['2026-10-03', 'a', '77'],
    ['2026-10-04', 'a', '77'],
  ]);
});
