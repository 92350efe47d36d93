import { createHash } from 'node:crypto';
import type { Day, ObservationRow } from '@tributary/shared';
import { changes } from './changes.ts';
import type { Database } from './database.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import {
  collect,
  coverageOf,
  createTestAccount,
  danglingOf,
  intercept,
  type Step,
  sealNow,
  servedOf,
  type TestAccount,
  unsealedOf,
} from './test-turns.ts';

const DAYS: readonly Day[] = ['2026-11-02', '2026-11-03'];
const SOURCES = ['c-age', 'c-base', 'd-base'] as const;

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('crash');
}, 240_000);
afterAll(() => test.drop());

const row = (source: string, entity: string, clicks: number): ObservationRow => {
  const ids = source === 'd-base' ? ['c1', 'g1', entity] : [entity, '', ''];
  const value = source === 'c-age' ? '25-34' : '';
  return [...(ids as [string, string, string]), value, 1000, clicks, 0, 0, clicks, null, clicks];
};

/** One entity stays, one changes, one goes, one comes; the second day does not change at all. */
function rowsOf(version: number, source: string, day: Day): ObservationRow[] {
  const isNew = version > 1 && day === DAYS[0];
  return [
    row(source, 'stays', 5),
    row(source, 'changes', isNew ? 7 : 6),
    row(source, isNew ? 'comes' : 'goes', 8),
  ];
}

/** What is not committed at version 2 yet is collected, then everything is sealed: what a turn does. */
async function turn(db: Database, account: TestAccount, run: number): Promise<string[]> {
  const { cells } = await coverageOf(db, account, DAYS);
  const version = run === 1 ? 1 : 2;
  const collected: string[] = [];
  for (const source of SOURCES) {
    const days = DAYS.filter((day) => (cells.get(day)?.get(source)?.run ?? 0) < version);
    if (days.length === 0) continue;
    collected.push(...days.map((day) => `${source} ${day}`));
    const rows = (day: Day) => rowsOf(version, source, day);
    await collect(db, account, { run, source, days, rows });
  }
  await sealNow(db, account, DAYS);
  return collected;
}

class Crash extends Error {}

/** Everything after the k-th write fails, as it does for a process that is gone. */
function crashing(db: Database, at: number, isApplied: boolean) {
  const writes: Step[] = [];
  const crashed = intercept(db, async (step, call) => {
    if (writes.length >= at) throw new Crash();
    if (!step.isWrite) return await call();
    writes.push(step);
    if (writes.length < at) return await call();
    if (isApplied) await call();
    throw new Crash();
  });
  return { crashed, writes };
}

async function stateOf(account: TestAccount) {
  const covered = await coverageOf(test.db, account, DAYS);
  expect(unsealedOf(account, covered)).toEqual([]);
  expect(await danglingOf(test.db, account, covered)).toEqual([]);
  const served = await servedOf(test.db, account.link);
  return {
    served: [...served].map(([key, text]) => `${key.slice(account.link.length)} ${text}`).sort(),
    cells: [...covered.cells].map(([day, cells]) => [
      day,
      [...cells].map(([source, { state, digest }]) => [source, state, digest]),
    ]),
  };
}

async function toldOf({ link }: TestAccount): Promise<string[]> {
  const feed = await changes(test.db).find({}).toArray();
  const own = feed.flatMap(({ e }) => e).filter((change) => change.link === link);
  return own.flatMap(({ level, days }) => days.map((day) => `${level} ${day}`));
}

it('a turn that dies at any write, done or not, is healed by the next without collecting anything again', async () => {
  const undisturbed = await createTestAccount(test.db, 'undisturbed');
  await turn(test.db, undisturbed, 1);
  const counted = crashing(test.db, Infinity, true);
  await turn(counted.crashed, undisturbed, 2);
  const steps = counted.writes.length;
  const expected = await stateOf(undisturbed);
  const kinds = new Set(counted.writes.map(({ collection }) => collection));
  expect([...kinds].sort()).toEqual(
    ['accounts', 'adMonths', 'changes', 'coverage', 'observations', 'statDays'].sort(),
  );
  for (let at = 1; at <= steps; at += 1) {
    for (const isApplied of [false, true]) {
      const hash = createHash('sha256').update(`${at} ${isApplied}`).digest('hex').slice(0, 8);
      const account = await createTestAccount(test.db, `crash${hash}`);
      await turn(test.db, account, 1);
      const toldBefore = await toldOf(account);
      const { crashed, writes } = crashing(test.db, at, isApplied);
      await expect(turn(crashed, account, 2)).rejects.toThrow(Crash);
      const place = { at, isApplied, ...writes.at(-1) };
      const { cells } = await coverageOf(test.db, account, DAYS);
      const left = SOURCES.flatMap((source) =>
        DAYS.filter((day) => (cells.get(day)?.get(source)?.run ?? 0) < 2).map(
          (day) => `${source} ${day}`,
        ),
      );
      expect([place, await turn(test.db, account, 3)]).toEqual([place, left]);
      expect([place, await stateOf(account)]).toEqual([place, expected]);
      const told = (await toldOf(account)).slice(toldBefore.length);
      expect([place, told]).toEqual([
        place,
        expect.arrayContaining(['c 2026-11-02', 'd 2026-11-02']),
      ]);
    }
  }
}, 240_000);

it('a day sealed between two readings by a turn that died is sealed again when it is as before', async () => {
  const HOUR_MS = 3_600_000;
  const account = await createTestAccount(test.db, 'between');
  const read = (run: number, source: string) =>
    collect(test.db, account, {
      run,
      source,
      days: DAYS,
      rows: () => [row(source, 'c1', source === 'c-age' ? 5 : 8)],
      fetchedAt: Date.parse('2026-11-04T12:00:00Z') + run * HOUR_MS,
    });
  await read(1, 'c-age');
  await read(1, 'c-base');
  await sealNow(test.db, account, DAYS);
  const before = await servedOf(test.db, account.link);

  await read(4, 'c-age'); // the same rows three hours later: now the list and the totals lie apart
  let isGone = false;
  const dying = intercept(test.db, async ({ collection, isWrite }, call) => {
    if (isGone) throw new Crash();
    const answer = await call();
    isGone = isWrite && collection === 'statDays';
    return answer;
  });
  await expect(sealNow(dying, account, DAYS)).rejects.toThrow(Crash);
  expect(await servedOf(test.db, account.link)).not.toEqual(before);

  await read(4, 'c-base');
  expect(unsealedOf(account, await coverageOf(test.db, account, DAYS))).not.toEqual([]);
  await sealNow(test.db, account, DAYS);
  expect(await servedOf(test.db, account.link)).toEqual(before);
}, 30_000);
