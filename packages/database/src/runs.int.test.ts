import { createLogger } from '@tributary/runtime';
import { CHANNELS, type Day, eachDay, type Plan, plan, type Window } from '@tributary/shared';
import { accountKey, accounts, findAccount, LINK_ACCOUNT, planAccountOf } from './accounts.ts';
import { createCollection } from './commit.ts';
import { moveCells, readCoverage } from './coverage.ts';
import { connectDatabase, type Database } from './database.ts';
import { deleteLink } from './delete-link.ts';
import { restLink } from './due-accounts.ts';
import { setLinkStatus } from './link-status.ts';
import { type AuthorizedLink, createLink, findLink } from './links.ts';
import { saveAccounts, wantDiscovery } from './listing.ts';
import { readRunProgress } from './run-progress.ts';
import { createRun, findRun, type RefreshRun } from './runs.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import { intercept } from './test-turns.ts';
import { dropWishes } from './wishes.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const SOURCES = CHANNELS.SOCIAL_ADS.sources;
const RANGE = { from: '2026-11-09', to: '2026-11-11' };
const REASON = { code: 'grant_revoked', message: 'Connect again.' };

let test: TestDatabase;
let db: Database;
beforeAll(async () => {
  test = await openTestDatabase('runs');
  db = test.db;
}, 60_000);
afterAll(() => test.drop());

interface AddOptions {
  tenant?: string;
  ids?: readonly string[];
  zone?: string;
}

async function addLink({ tenant = 't1', ids = ['77'], zone = 'Asia/Seoul' }: AddOptions = {}) {
  const given = { type: 'SOCIAL_ADS', title: 'Shop', tag: '', settings: {} } as const;
  const link = await createLink(db, { tenant, ...given, now: NOW });
  const listed = { title: 'A', zone, currency: 'KRW', status: 'active' } as const;
  await wantDiscovery(db, link, NOW - 1);
  const all = ids.map((id) => ({ id, ...listed }));
  await saveAccounts(db, link, all, { now: NOW - 1, historyDays: 20 });
  await setStatus(link, 'Completed');
  return await load(link);
}

async function load({ tenant, _id }: AuthorizedLink): Promise<AuthorizedLink> {
  const found = await findLink(db, tenant, _id);
  if (!found) throw new Error(`No link ${_id}`);
  return found;
}

async function setStatus({ _id, gen }: AuthorizedLink, status: 'Completed' | 'Disconnect') {
  await setLinkStatus(db, _id, { status, reason: status === 'Completed' ? null : REASON, gen });
}

const account = async (link: AuthorizedLink, id = '77') => {
  const found = await findAccount(db, accountKey(link._id, id));
  if (!found) throw new Error(`No account ${id}`);
  return found;
};

async function ask(links: AuthorizedLink[], range = RANGE, now = NOW): Promise<RefreshRun> {
  const answer = await createRun(db, 't1', { links, range, now });
  if (answer.state !== 'asked') throw new Error(`Not asked: ${JSON.stringify(answer)}`);
  return answer.run;
}

async function planOf(link: AuthorizedLink, now: number): Promise<Plan> {
  const stored = await account(link);
  const { cells, sealed } = await readCoverage(db, stored._id, '2026-10-01', '2026-12-01');
  return plan({ now, account: planAccountOf(stored), cells, sealed, wanted: stored.wanted });
}

async function dueOf(link: AuthorizedLink, now: number): Promise<Window[]> {
  const { fresh, bulk } = await planOf(link, now);
  return [...fresh, ...bulk];
}

const cellsOf = (windows: readonly Window[]) =>
  windows
    .flatMap(({ source, from, to }) => eachDay(from, to).map((day) => `${source} ${day}`))
    .sort();

/** Collects windows the way a turn does. */
async function collect(link: AuthorizedLink, windows: readonly Window[], fetchedAt: number) {
  const { _id } = await account(link);
  let seq = 0;
  const nextSeq = () => (seq += 1);
  for (const { source, from, to } of windows) {
    const target = { account: _id, tenant: 't1', run: fetchedAt - NOW + 10, fetchedAt, nextSeq };
    await createCollection(db, { ...target, source, from, to }).commit();
  }
}

it('makes exactly the asked cells due, and is at 100 % when those were collected', async () => {
  const link = await addLink();
  await collect(link, await dueOf(link, NOW), NOW - 1);
  expect(await dueOf(link, NOW)).toEqual([]);
  const run = await ask([link]);
  const cells = eachDay(RANGE.from, RANGE.to).flatMap((day) =>
    SOURCES.map(({ id }) => `${id} ${day}`),
  );
  const due = await dueOf(link, NOW);
  expect(cellsOf(due)).toEqual(cells.sort());
  expect(await account(link)).toMatchObject({ nextPlanAt: NOW, wanted: [{ ...RANGE, at: NOW }] });

  const planned = cells.length;
  const open = { planned, failed: 0, failures: [], nextAt: NOW };
  expect(await readRunProgress(db, run, NOW)).toMatchObject({ ...open, done: 0, percent: 0 });
  await collect(link, due.slice(0, 1), NOW + 1);
  expect(await readRunProgress(db, run, NOW)).toMatchObject({ ...open, done: 3, percent: 4 });
  await collect(link, due.slice(1), NOW + 2);
  const all = { ...open, done: planned, percent: 100, nextAt: undefined };
  expect(await readRunProgress(db, run, NOW + 3)).toMatchObject(all);

  expect(await dueOf(link, NOW + 3)).toEqual([]);
  const { _id: id, wake } = await account(link);
  await dropWishes(db, { id, wake });
  expect(await readRunProgress(db, run, NOW + 3)).toMatchObject(all);
});

it('names what failed, with why and when it is tried again', async () => {
  const link = await addLink();
  const run = await ask([link]);
  const failure = { code: 'provider_down', detail: 'The platform is down', retryAt: NOW + 9 };
  const cell = { day: '2026-11-10', source: 'c-age' };
  const { _id } = await account(link);
  await moveCells(db, { account: _id, tenant: 't1', run: 1, seq: 1 }, [
    { ...cell, work: { state: 'failed', triedAt: NOW + 1, tries: 1, ...failure } },
  ]);
  const { failed, failures, done } = await readRunProgress(db, run, NOW + 2);
  expect({ failed, done }).toEqual({ failed: 1, done: 0 });
  expect(failures).toEqual([{ link: link._id, account: '77', ...cell, ...failure }]);
});

it('shows at most 100 failures and counts all', async () => {
  const link = await addLink();
  const run = await ask([link], { from: '2026-11-05', to: '2026-11-14' });
  const { _id } = await account(link);
  const days = eachDay('2026-11-05', '2026-11-14');
  const work = { state: 'failed', triedAt: NOW, tries: 1, retryAt: NOW + 9 } as const;
  const changes = days.flatMap((day) => SOURCES.map(({ id: source }) => ({ day, source, work })));
  await moveCells(db, { account: _id, tenant: 't1', run: 1, seq: 1 }, changes);
  const { planned, failed, failures, nextAt } = await readRunProgress(db, run, NOW + 1);
  expect({ planned, failed, nextAt }).toEqual({
    planned: changes.length,
    failed: changes.length,
    nextAt: NOW + 9,
  });
  expect(failures).toHaveLength(100);
});

it('equal requests within the minute, also at once, are one run; another range has to wait', async () => {
  const [one, two] = [await addLink(), await addLink()];
  const equal = await Promise.all(Array.from({ length: 10 }, () => ask([one, two])));
  const ids = new Set(equal.map(({ _id }) => _id));
  expect(ids.size).toBe(1);
  expect(ids).toContain((await ask([two, one], RANGE, NOW + 59_999))._id);
  expect((await account(two)).wanted).toEqual([{ ...RANGE, at: NOW }]);

  const other = { from: '2026-11-09', to: '2026-11-12' };
  const busy = { state: 'busy', until: NOW + 60_000 };
  const askOther = (links: AuthorizedLink[], range = other) =>
    createRun(db, 't1', { links, range, now: NOW + 59_999 });
  expect(await askOther([one, two])).toEqual(busy);
  expect(await askOther([one], RANGE)).toEqual(busy);
  expect(await askOther([await addLink(), two])).toEqual(busy);
  expect((await account(two)).wanted).toHaveLength(1);
  expect(ids).not.toContain((await ask([one, two], other, NOW + 60_000))._id);
});

it('an equal request joins a run until something of it was tried, another may come after a minute', async () => {
  const link = await addLink();
  const run = await ask([link]);
  expect((await ask([link], RANGE, NOW + 120_000))._id).toBe(run._id);
  const other = { from: '2026-11-01', to: '2026-11-02' };
  const meanwhile = await ask([link], other, NOW + 125_000);
  expect(meanwhile._id).not.toBe(run._id);
  expect((await ask([link], RANGE, NOW + 130_000))._id).toBe(run._id);

  const { _id } = await account(link);
  const tried = { triedAt: NOW + 140_000, tries: 1, retryAt: NOW + 900_000, code: 'provider_down' };
  const work = { state: 'failed', ...tried } as const;
  await moveCells(db, { account: _id, tenant: 't1', run: 1, seq: 1 }, [
    { day: RANGE.to, source: 'c-age', work },
  ]);
  const again = await ask([link], RANGE, NOW + 195_000);
  expect(again._id).not.toBe(run._id);
  expect(await readRunProgress(db, again, NOW + 195_000)).toMatchObject({ done: 0, failed: 0 });
});

it('what a run has read is read again for an equal request, also while the accounts of a link are unknown', async () => {
  const [read, unlisted] = [await addLink(), await addLink({ ids: [] })];
  const run = await ask([read, unlisted]);
  await collect(read, await dueOf(read, NOW), NOW + 1);
  const hour = NOW + 3_600_000;
  const again = await ask([read, unlisted], RANGE, hour);
  expect(again._id).not.toBe(run._id);
  expect(await readRunProgress(db, again, hour)).toMatchObject({ done: 0, nextAt: hour });
  expect((await ask([unlisted], RANGE, hour + 60_000))._id).not.toBe(
    (await ask([unlisted], RANGE, hour + 120_000))._id, // its listing may rest, and is tried again
  );
});

it('a run of a link that waits for a person is joined by nothing: asking again tries the link again', async () => {
  const link = await addLink();
  const run = await ask([link]);
  await setStatus(link, 'Disconnect');
  expect(await readRunProgress(db, run, NOW + 1)).toMatchObject({ nextAt: undefined, percent: 0 });
  const again = await ask([await load(link)], RANGE, NOW + 60_000);
  expect(again._id).not.toBe(run._id);
  expect((await load(link)).status).toBe('Linking');
});

const MINUTE = Date.parse('2026-11-20T12:00:00Z');
it.each([MINUTE - 1, MINUTE + 29_999, MINUTE + 15_000])(
  'requests at once over several connections are one run, also when the minute changes between them: %i',
  async (before) => {
    const others: Database[] = [];
    for (let index = 0; index < 4; index += 1) {
      const logger = createLogger({ name: 'test', level: 'silent' });
      others.push(await connectDatabase({ uri: test.uri, appName: 'other', logger }));
    }
    try {
      const link = await addLink();
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          createRun(others[index % 4] ?? db, 't1', {
            links: [link],
            range: RANGE,
            now: before + (index % 3),
          }),
        ),
      );
      const ids = answers.map((answer) => (answer.state === 'asked' ? answer.run._id : 'refused'));
      expect(new Set(ids).size).toBe(1);
      expect(ids).not.toContain('refused');
      const stored = await db.db.collection('runs').countDocuments({ links: [link._id] });
      expect(stored).toBe(1);
      expect((await account(link)).wanted).toHaveLength(1);
    } finally {
      for (const other of others) await other.close();
    }
  },
);

it('different requests at once for one link leave one run', async () => {
  const link = await addLink();
  const answers = await Promise.all(
    eachDay('2026-11-05', '2026-11-14').map((day) =>
      createRun(db, 't1', { links: [link], range: { from: day, to: day }, now: NOW }),
    ),
  );
  expect(answers.filter(({ state }) => state === 'asked')).toHaveLength(1);
  expect((await account(link)).wanted).toHaveLength(1);
});

it('a link that waits for a person is tried again with the credentials it has', async () => {
  const link = await addLink({ ids: ['77', '78'] });
  await setStatus(link, 'Disconnect');
  await restLink(db, link._id);
  const run = await ask([await load(link)]);
  expect(await load(link)).toMatchObject({ status: 'Linking', reason: null, gen: link.gen });
  for (const id of [LINK_ACCOUNT, '77', '78']) {
    expect((await findAccount(db, accountKey(link._id, id)))?.nextPlanAt).toBe(NOW);
  }
  const { links } = await readRunProgress(db, run, NOW);
  expect(links).toEqual([await load(link)]);
});

it('a link that was deleted meanwhile is neither woken nor part of the run', async () => {
  const [kept, gone] = [await addLink(), await addLink()];
  await setStatus(gone, 'Disconnect');
  const seen = await load(gone);
  await deleteLink(db, gone, NOW);
  const run = await ask([kept, seen]);
  const { links, planned } = await readRunProgress(db, run, NOW);
  expect(links.map(({ _id }) => _id)).toEqual([kept._id]);
  expect(planned).toBe(3 * SOURCES.length);
});

it.each(['before', 'after'] as const)(
  'a crash %s any write leaves nothing that asking again does not mend',
  async (when) => {
    for (let crashAt = 1; ; crashAt += 1) {
      const link = await addLink({ ids: ['77', '78'] });
      await setStatus(link, 'Disconnect');
      await restLink(db, link._id);
      let writes = 0;
      const dying = intercept(db, async (step, call) => {
        if (!step.isWrite) return await call();
        writes += 1;
        if (writes > crashAt || (writes === crashAt && when === 'before')) throw new Error('died');
        const result = await call();
        if (writes === crashAt) throw new Error('died');
        return result;
      });
      const links = [await load(link)];
      const died = await createRun(dying, 't1', { links, range: RANGE, now: NOW }).catch(
        () => 'died',
      );
      if (died !== 'died') {
        expect(crashAt).toBeGreaterThan(6); // run, status, two of the discovery, two wishes, their mark
        return;
      }
      const run = await ask([await load(link)], RANGE, NOW + 1);
      expect((await load(link)).status).toBe('Linking');
      expect((await findAccount(db, accountKey(link._id, LINK_ACCOUNT)))?.nextPlanAt).toBe(
        run.askedAt,
      );
      for (const id of ['77', '78']) {
        const { wanted, nextPlanAt } = await account(link, id);
        expect(wanted).toEqual([{ ...RANGE, at: run.askedAt }]);
        expect(nextPlanAt).toBe(run.askedAt);
      }
    }
  },
  30_000,
);

it('is not done while the accounts of a link are unknown', async () => {
  const link = await addLink({ ids: [] });
  const run = await ask([link]);
  expect(await readRunProgress(db, run, NOW)).toMatchObject({ planned: 0, percent: 0 });
  const both = await ask([link, await addLink()], RANGE, NOW + 60_000);
  expect(await readRunProgress(db, both, NOW)).toMatchObject({ percent: 0 });
});

it('a range without any figures to come is done at once', async () => {
  const link = await addLink();
  const run = await ask([link], { from: '2026-12-01', to: '2026-12-02' });
  expect(await readRunProgress(db, run, NOW)).toMatchObject({ planned: 0, percent: 100 });
});

it.each<[string, string[], Day, Day]>([
  ['2026-11-20T16:00:00Z', ['Asia/Seoul'], '2026-11-19', '2026-11-21'],
  ['2026-11-20T14:00:00Z', ['Asia/Seoul'], '2026-11-18', '2026-11-20'],
  ['2026-11-20T03:00:00Z', ['America/New_York'], '2026-11-17', '2026-11-19'],
  ['2026-11-20T16:00:00Z', ['Asia/Seoul', 'America/New_York'], '2026-11-18', '2026-11-21'],
])('by default asks at %s for the last three days of %j', async (at, zones, from, to) => {
  const links: AuthorizedLink[] = [];
  for (const zone of zones) links.push(await addLink({ zone }));
  const answer = await createRun(db, 't1', { links, now: Date.parse(at) });
  expect(answer).toMatchObject({ state: 'asked', run: { from, to } });
});

it('asks for no more accounts and days than one run may have, and says how many that are', async () => {
  const link = await addLink({ ids: [] });
  const stored = { ...(await account(await addLink())), link: link._id };
  const add = (count: number, prefix: string) =>
    accounts(db).insertMany(
      Array.from({ length: count }, (_, index) => ({
        ...stored,
        _id: accountKey(link._id, `${prefix}${index}`),
      })),
    );
  await add(25, 'a');
  const year = { from: '2025-10-17', to: '2026-11-20' };
  expect((await ask([link], year)).from).toBe(year.from);
  await add(1, 'b');
  const later = { links: [link], range: year, now: NOW + 60_000 };
  expect(await createRun(db, 't1', later)).toEqual({
    state: 'too large',
    accounts: 26,
    daysMax: 384,
  });
  await add(975, 'c');
  const day = { ...later, range: { from: year.to, to: year.to } };
  expect(await createRun(db, 't1', day)).toMatchObject({ accounts: 1001, daysMax: 0 });
});

it("another tenant's run is not found", async () => {
  const run = await ask([await addLink()]);
  expect(await findRun(db, 't1', run._id)).toMatchObject({ _id: run._id });
  expect(await findRun(db, 't2', run._id)).toBeUndefined();
});
