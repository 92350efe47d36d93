import { setTimeout as sleep } from 'node:timers/promises';
import { type Cell, type Day, monthOf, type ObservationRow } from '@tributary/shared';
import { findAccount } from './accounts.ts';
import { coverage } from './coverage.ts';
import { statDays } from './stat-days.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import {
  chunkKeys,
  collect,
  coverageOf,
  createTestAccount,
  danglingOf,
  expectServed,
  inflatePiece,
  intercept,
  NOW,
  sealNow,
  servedOf,
  type TestAccount,
  unsealedOf,
} from './test-turns.ts';
import { beginTurn } from './turns.ts';

const DAYS: readonly Day[] = ['2026-11-02', '2026-11-03', '2026-11-04'];
const SOURCES = ['c-age', 'c-gender', 'c-base', 'd-base'] as const;
const ENTITIES = ['c1', 'c2', 'c3', 'c4'];
const WRITERS = 5;
const TURNS = 8;

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('race');
}, 240_000);
afterAll(() => test.drop());

/** Three runs in a row read the same: unchanged answers race with changed ones. */
const versionOf = (run: number) => run - (run % 3);

interface World {
  /** What the platform shows to a run. */
  rows(run: number, source: string, day: Day): ObservationRow[];
  fetchedAt(run: number): number;
}

const row = (entity: string, version: number, source: string): ObservationRow => {
  const value = source === 'c-age' ? '25-34' : source === 'c-gender' ? 'male' : '';
  const ids = source.startsWith('d') ? ['c1', 'g1', entity] : [entity, '', ''];
  const clicks = version + 1;
  return [...(ids as [string, string, string]), value, 1000, clicks, 0, 0, clicks, null, clicks];
};

/** Every entity in every answer, every version another: whoever sees an older one sees it. */
const GROWING: World = {
  rows: (run, source) => ENTITIES.map((entity) => row(entity, versionOf(run), source)),
  fetchedAt: (run) => NOW + run,
};

/** Entities come and go, figures return to what they were, lists fall behind the totals and catch up. */
const RETURNING: World = {
  rows: (run, source, day) =>
    ENTITIES.filter((_, index) => (versionOf(run) / 3 + index + day.length) % 3 !== 0).map(
      (entity) => row(entity, (versionOf(run) / 3) % 2, source),
    ),
  fetchedAt: (run) => NOW + run * 20 * 60_000,
};

/** Highest run that committed, by source and day. */
type Newest = Map<string, number>;

async function race(account: TestAccount, world: World): Promise<Newest> {
  const slow = intercept(test.db, async (step, call) => {
    if (step.isWrite || step.collection === 'coverage') await sleep(Math.random() * 6);
    return await call();
  });
  const newest: Newest = new Map();
  const turn = async () => {
    const begun = await beginTurn(slow, { id: account.id, lane: 'fresh', busyUntil: 0 });
    const run = begun?.run ?? 0;
    if (Math.random() < 0.3) await sleep(Math.random() * 150); // others begin and end meanwhile
    for (const source of SOURCES) {
      if (Math.random() < 0.3) continue;
      const days = DAYS.slice(Math.floor(Math.random() * 2));
      const rows = (day: Day) => world.rows(run, source, day);
      await collect(slow, account, { run, source, days, rows, fetchedAt: world.fetchedAt(run) });
      for (const day of days) {
        const key = `${source} ${day}`;
        newest.set(key, Math.max(newest.get(key) ?? 0, run));
      }
      if (Math.random() < 0.4) await sealNow(slow, account, DAYS);
    }
    await sealNow(slow, account, DAYS);
  };
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (let count = 0; count < TURNS; count += 1) await turn();
    }),
  );
  return newest;
}

async function expectNewest(account: TestAccount, world: World, newest: Newest) {
  const covered = await coverageOf(test.db, account, DAYS);
  const cell = (source: string, day: Day): Cell => {
    const run = newest.get(`${source} ${day}`);
    const fetchedAt = world.fetchedAt(run ?? 0);
    return run === undefined
      ? { state: 'ok', triedAt: 0 }
      : { state: 'ok', triedAt: fetchedAt, fetchedAt, run, base: run };
  };
  const rows = (source: string, day: Day) => {
    const run = newest.get(`${source} ${day}`);
    return run === undefined ? [] : world.rows(run, source, day);
  };
  for (const [key, run] of newest) {
    const [source = '', day = ''] = key.split(' ');
    expect([key, covered.cells.get(day)?.get(source)?.run]).toEqual([key, run]);
  }
  expect(await danglingOf(test.db, account, covered)).toEqual([]);
  expect(unsealedOf(account, covered)).toEqual([]);
  expect(await servedOf(test.db, account.link)).toEqual(
    new Map([
      ...expectServed(account, 'c', DAYS, { rows, cell }),
      ...expectServed(account, 'd', DAYS, { rows, cell }),
    ]),
  );
}

/** Reads as the API does, and says what a marked day lacked. */
async function readOnce(account: TestAccount): Promise<{ marked: number; lacking: string[] }> {
  await findAccount(test.db, account.id);
  const { sealed } = await coverageOf(test.db, account, DAYS);
  const lacking: string[] = [];
  let marked = 0;
  for (const [day, { c }] of sealed) {
    if (!c) continue;
    marked += 1;
    const [, bases = ''] = c.tag.split(':');
    // The level's sources in the channel's order: age, gender, country, region, device, hour, totals.
    const [age = '-', gender = '-', , , , , totals = '-'] = bases.split('.');
    for (const entity of ENTITIES) {
      const found = await statDays(test.db).findOne({ _id: `${account.link}.c.${entity}.${day}` });
      const json = found ? JSON.parse(inflatePiece(found.z)) : undefined;
      const shown = (list: { data: { clicks: number } }[] = []) => list[0]?.data.clicks ?? 0;
      const isWhole =
        json !== undefined &&
        json.total.clicks > versionOf(Number(totals)) &&
        (age === '-' || shown(json.age) > versionOf(Number(age))) &&
        (gender === '-' || shown(json.gender) > versionOf(Number(gender)));
      if (!isWhole) lacking.push(`${entity} ${day} ${c.tag}: ${JSON.stringify(json?.total)}`);
    }
  }
  return { marked, lacking };
}

it('five turns at once lose nothing, and no reader sees a marked day that is not whole', async () => {
  const account = await createTestAccount(test.db, 'growing');
  const state = { isOver: false, marked: 0, reads: 0 };
  const lacking: string[] = [];
  const reader = async () => {
    while (!state.isOver) {
      const seen = await readOnce(account);
      state.reads += 1;
      state.marked += seen.marked;
      lacking.push(...seen.lacking);
    }
  };
  const readers = [reader(), reader()];
  const newest = await race(account, GROWING).finally(() => {
    state.isOver = true;
  });
  await Promise.all(readers);
  expect(lacking).toEqual([]);
  expect(state.marked).toBeGreaterThan(50);
  await expectNewest(account, GROWING, newest);
}, 240_000);

it('five turns at once end in the newest readings although figures and entities come, go and return', async () => {
  const account = await createTestAccount(test.db, 'returning');
  const newest = await race(account, RETURNING);
  await expectNewest(account, RETURNING, newest);
}, 240_000);

it('after a race one more sealing leaves no replaced chunk behind', async () => {
  const account = await createTestAccount(test.db, 'chunks');
  await race(account, GROWING);
  const run = 1_000;
  for (const source of SOURCES) {
    const rows = (day: Day) => GROWING.rows(run, source, day);
    await collect(test.db, account, { run, source, days: DAYS, rows });
  }
  await sealNow(test.db, account, DAYS);
  expect(await chunkKeys(test.db, account)).toHaveLength(SOURCES.length * DAYS.length);
}, 240_000);

it('control: one shared document, read and written back, loses parts in the same race', async () => {
  const shared = test.db.db.collection<{ _id: string; parts: string[] }>('naive');
  await shared.insertOne({ _id: 'c1.2026-11', parts: [] });
  const writer = async (name: number) => {
    for (const day of DAYS) {
      for (const source of SOURCES) {
        const seen = await shared.findOne({ _id: 'c1.2026-11' });
        await sleep(Math.random() * 6);
        const parts = [...(seen?.parts ?? []), `${name} ${source} ${day}`];
        await shared.updateOne({ _id: 'c1.2026-11' }, { $set: { parts } });
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, name) => writer(name)));
  const kept = await shared.findOne({ _id: 'c1.2026-11' });
  expect(kept?.parts.length).toBeLessThan(WRITERS * SOURCES.length * DAYS.length);
}, 240_000);

it('control: cells that are set and not compared go back to older runs', async () => {
  const account = await createTestAccount(test.db, 'unordered');
  const _id = `${account.id}.${monthOf(DAYS[0] ?? '')}`;
  await coverage(test.db).insertOne({ _id, tenant: 't1', d: {} });
  const runs = [3, 1, 5, 2, 4];
  for (const run of runs) {
    await coverage(test.db).updateOne({ _id }, { $set: { 'd.02.set.o': { r: run } } });
    await coverage(test.db).updateOne({ _id }, { $max: { 'd.02.max.o': { r: run } } });
  }
  const found = await coverage(test.db).findOne({ _id });
  expect(found?.d['02']).toMatchObject({ set: { o: { r: 4 } }, max: { o: { r: 5 } } });
});
