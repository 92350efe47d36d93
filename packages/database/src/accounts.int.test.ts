import { accountKey, accounts, findAccount, LINK_ACCOUNT, listAccounts } from './accounts.ts';
import { claimDueAccounts, setNextPlan } from './due-accounts.ts';
import { saveAccounts, wantDiscovery } from './listing.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import { beginTurn, countBusyTurns, endTurn, stayBusy } from './turns.ts';
import { dropWishes, wantRange } from './wishes.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('accounts');
}, 60_000);
afterAll(() => test.drop());
beforeEach(async () => {
  await accounts(test.db).deleteMany({});
});

const listed = (id: string, zone = 'Asia/Seoul', currency = 'KRW') => ({
  id,
  title: `Account ${id}`,
  zone,
  currency,
  status: 'active' as const,
});
const link = (id: string, gen = 1) => ({
  _id: id,
  tenant: 't1',
  type: 'SOCIAL_ADS' as const,
  gen,
});
const save = (id: string, list: ReturnType<typeof listed>[], now = NOW, gen = 1) =>
  saveAccounts(test.db, link(id, gen), list, { now, historyDays: 30 });
const load = async (id: string) => {
  const found = await findAccount(test.db, id);
  if (!found) throw new Error(`No account '${id}'`);
  return found;
};
const random = () => Math.random();

it('each due account goes to exactly one of many callers, none that is not due to any', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => String(index));
  await save(
    'claim',
    ids.map((id) => listed(id)),
  );
  await save('later', [listed('1')], NOW + 60_000);
  const claims = await Promise.all(
    Array.from({ length: 8 }, () => claimDueAccounts(test.db, { now: NOW, random })),
  );
  const claimed = claims.flat().map(({ _id }) => _id);
  expect(claimed.sort()).toEqual(ids.map((id) => accountKey('claim', id)).sort());
  expect(claims.flat().every(({ nextPlanAt }) => nextPlanAt > NOW)).toBe(true);
  expect(await claimDueAccounts(test.db, { now: NOW, random })).toEqual([]);
});

it('a claimed account that nobody planned comes back after five minutes', async () => {
  await save('watch', [listed('1')]);
  await claimDueAccounts(test.db, { now: NOW, random });
  const again = (now: number) => claimDueAccounts(test.db, { now, random });
  expect(await again(NOW + 299_999)).toHaveLength(0);
  expect(await again(NOW + 300_000)).toHaveLength(1);
});

it('more due accounts than one claim takes are all taken by claiming again', async () => {
  const ids = Array.from({ length: 450 }, (_, index) => String(index));
  await accounts(test.db).insertMany(
    await (async () => {
      await save('seed', [listed('x')]);
      const { _id, ...rest } = await load('seed.x');
      return ids.map((id) => ({ ...rest, _id: `many.${id}`, account: id }));
    })(),
  );
  await accounts(test.db).deleteMany({ link: 'seed', account: 'x' });
  const taken = new Set<string>();
  for (let round = 0; round < 5; round += 1) {
    for (const { _id } of await claimDueAccounts(test.db, { now: NOW, random })) {
      expect(taken.has(_id)).toBe(false);
      taken.add(_id);
    }
  }
  expect(taken.size).toBe(ids.length);
}, 30_000);

it('the end of a turn never overwrites a wish that came while it ran', async () => {
  await save('wish', [listed('1')]);
  const [claimed] = await claimDueAccounts(test.db, { now: NOW, random });
  const wake = claimed?.wake ?? -1;
  const wish = { from: '2026-11-01', to: '2026-11-02', at: NOW + 5 };
  await wantRange(test.db, 'wish.1', wish);
  await setNextPlan(test.db, { id: 'wish.1', wake, at: NOW + 3_600_000 });
  expect(await load('wish.1')).toMatchObject({ nextPlanAt: NOW + 5, wanted: [wish], wake: 1 });
  await setNextPlan(test.db, { id: 'wish.1', wake: 1, at: Infinity });
  expect((await load('wish.1')).nextPlanAt).toBe(4e15);
});

it('fifty turns that begin at once get fifty numbers, and only the newest of a lane can end it', async () => {
  await save('turn', [listed('1')]);
  const begun = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      beginTurn(test.db, {
        id: 'turn.1',
        lane: index % 2 === 0 ? 'fresh' : 'bulk',
        busyUntil: NOW + 1,
      }),
    ),
  );
  const runs = begun.map((account) => account?.run ?? 0).sort((a, b) => a - b);
  expect(runs).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  const stored = await load('turn.1');
  expect(stored).toMatchObject({ run: 50, lane: { fresh: { starts: 25 }, bulk: { starts: 25 } } });
  const newest = stored.lane.fresh.run;
  const quiet = { until: 7, code: 'rate_limited', detail: 'Too many calls.' };
  await endTurn(test.db, { id: 'turn.1', lane: 'fresh', run: newest - 1, quiet });
  const { fresh } = (await load('turn.1')).lane;
  expect([fresh.starts, fresh.quiet]).toEqual([25, undefined]);
  expect(await countBusyTurns(test.db, { tenant: 't1', lane: 'fresh', now: NOW })).toBe(1);
  await endTurn(test.db, { id: 'turn.1', lane: 'fresh', run: newest, quiet });
  expect((await load('turn.1')).lane).toMatchObject({
    fresh: { starts: 0, quiet, busyUntil: 0, run: newest },
    bulk: { starts: 25 },
  });
  expect(await beginTurn(test.db, { id: 'none.1', lane: 'fresh', busyUntil: 0 })).toBeUndefined();
});

it('forty wishes at once stay at most twenty, and no wished day loses its wish', async () => {
  await save('wishes', [listed('1')]);
  const wishes = Array.from({ length: 40 }, (_, index) => {
    const day = `2026-10-${String((index % 28) + 1).padStart(2, '0')}`;
    return { from: day, to: day, at: NOW + index };
  });
  await Promise.all(wishes.map((wish) => wantRange(test.db, 'wishes.1', wish)));
  const { wanted, wake } = await load('wishes.1');
  expect(wake).toBe(40);
  expect(wanted.length).toBeLessThanOrEqual(20);
  for (const { from, at } of wishes) {
    const kept = wanted.filter((wish) => wish.from <= from && from <= wish.to && wish.at >= at);
    expect([from, kept.length]).not.toEqual([from, 0]);
  }
});

it('the same range wished again is one wish, the later', async () => {
  await save('same', [listed('1')]);
  for (const at of [NOW + 1, NOW + 3, NOW + 2]) {
    await wantRange(test.db, 'same.1', { from: '2026-11-01', to: '2026-11-02', at });
  }
  expect((await load('same.1')).wanted).toEqual([
    { from: '2026-11-01', to: '2026-11-02', at: NOW + 3 },
  ]);
  await wantRange(test.db, 'none.1', { from: '2026-11-01', to: '2026-11-02', at: NOW });
});

it('fulfilled wishes are dropped, but not with one that came since, however its clock goes', async () => {
  await save('drop', [listed('1')]);
  const wish = { from: '2026-11-01', to: '2026-11-02', at: NOW };
  await wantRange(test.db, 'drop.1', wish);
  const { wake } = await load('drop.1');
  await wantRange(test.db, 'drop.1', { from: '2026-10-01', to: '2026-10-02', at: NOW - 1 });
  await dropWishes(test.db, { id: 'drop.1', wake });
  expect((await load('drop.1')).wanted).toHaveLength(2);
  await dropWishes(test.db, { id: 'drop.1', wake: wake + 1 });
  expect((await load('drop.1')).wanted).toEqual([]);
});

it('listing again keeps what is counted, freezes days of another zone or currency, closes what is gone', async () => {
  await save('list', [listed('1'), listed('2'), listed('3')]);
  await beginTurn(test.db, { id: 'list.1', lane: 'fresh', busyUntil: 0 });
  const later = NOW + 86_400_000;
  await save('list', [listed('1'), listed('2', 'America/New_York'), listed('4')], later, 2);
  const [one, two, three, four] = await listAccounts(test.db, 'list');
  expect(one).toMatchObject({ run: 1, gen: 2, historyFrom: '2026-10-21' });
  expect(one?.frozenBefore).toBeUndefined();
  expect(two).toMatchObject({ zone: 'America/New_York', frozenBefore: '2026-11-21' });
  expect(three).toMatchObject({ status: 'closed', account: '3' });
  expect(four).toMatchObject({ account: '4', status: 'active', historyFrom: '2026-10-22' });
});

it('a change to a zone that is a day ahead reads the day that had not ended again', async () => {
  const noon = Date.parse('2026-11-20T20:00:00Z'); // the 20th in New York, the 21st in Seoul
  await save('ahead', [listed('1', 'America/New_York')], noon);
  await save('ahead', [listed('1', 'Asia/Seoul')], noon);
  expect((await load('ahead.1')).frozenBefore).toBe('2026-11-20');
});

it('a discovery that is wanted twice at once is one account that is due, with its wakes counted', async () => {
  await save('disc', [listed('1')], NOW + 60_000);
  await Promise.all([1, 2, 3].map(() => wantDiscovery(test.db, link('disc'), NOW)));
  expect(await load(accountKey('disc', LINK_ACCOUNT))).toMatchObject({ wake: 3, nextPlanAt: NOW });
  expect(await load('disc.1')).toMatchObject({ wake: 3, nextPlanAt: NOW });
  expect(await listAccounts(test.db, 'disc')).toHaveLength(1);
});

it('a long turn stays busy for as long as it says, but not once a newer one has begun', async () => {
  await save('long', [listed('1')]);
  const begin = () =>
    beginTurn(test.db, { id: 'long.1', lane: 'bulk', busyUntil: NOW }).then((begun) => begun?.run);
  const stay = (run = 0, busyUntil = NOW) =>
    stayBusy(test.db, { id: 'long.1', lane: 'bulk', run, busyUntil });
  const busyUntil = async () => (await load('long.1')).lane.bulk.busyUntil;
  const first = await begin();
  await stay(first, NOW + 5_000);
  await stay(first, NOW + 1_000);
  expect(await busyUntil()).toBe(NOW + 5_000);
  await begin();
  await stay(first, NOW + 9_000);
  expect(await busyUntil()).toBe(NOW);
  expect((await load('long.1')).lane.fresh.busyUntil).toBe(0);
});
