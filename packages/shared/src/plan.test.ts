import fc from 'fast-check';
import { CHANNELS, findSource, isImported } from './channels.ts';
import { addDays, dayAt, daysBetween, eachDay, monthOf } from './days.ts';
import { groupKey, plan } from './plan.ts';
import {
  cellsIn,
  createDice,
  inputOf,
  type PlanWorld,
  sealAll,
  store,
  worlds,
} from './test-plans.ts';
import { testRuns } from './test-runs.ts';

const HOUR = 3_600_000;
const runs = testRuns(150);

const planned = (world: PlanWorld, now = world.now) => {
  const found = plan({ ...inputOf(world), now });
  const windows = [...found.fresh, ...found.bulk];
  return { ...found, windows, due: cellsIn(windows) };
};
const cellOf = (world: PlanWorld, source: string, day: string) => world.cells.get(day)?.get(source);

describe('plan', () => {
  it('names a next time after now, and nothing becomes due before it', () => {
    fc.assert(
      fc.property(
        worlds({ historyDays: 12, withUntil: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (world, part) => {
          const { nextAt, due } = planned(world);
          expect(nextAt).toBeGreaterThan(world.now);
          const end = Math.min(nextAt, world.now + 48 * HOUR) - 1;
          for (const at of [end, world.now + Math.floor((end - world.now) * part)]) {
            const added = [...planned(world, at).due].filter((cell) => !due.has(cell));
            expect([new Date(at).toISOString(), added]).toEqual([new Date(at).toISOString(), []]);
          }
        },
      ),
      runs,
    );
  });

  it('finds nothing left once everything it asked for is stored and sealed', () => {
    fc.assert(
      fc.property(worlds({ historyDays: 20 }), (world) => {
        for (const window of planned(world).windows) store(world, window, 2);
        expect(planned(world).windows).toEqual([]);
        sealAll(world);
        expect(planned(world)).toMatchObject({ seal: [], fresh: [], bulk: [] });
      }),
      runs,
    );
  });

  it('comes to an end from any coverage, through failures and the passing of time', () => {
    fc.assert(
      fc.property(worlds({ historyDays: 12, withUntil: true }), fc.nat(), (world, seed) => {
        const dice = createDice(seed);
        // An outage: the last attempts failed and the app was away for days.
        world.now += 3 * 24 * HOUR;
        const first = planned(world).windows.length;
        let turns = 0;
        for (; turns < 300; turns += 1) {
          const found = planned(world);
          if (found.windows.length === 0) break;
          for (const window of [...found.fresh.slice(0, 20), ...found.bulk.slice(0, 20)])
            store(world, window, turns + 2, dice(10) === 0);
          world.now += 60_000;
        }
        expect([first, turns]).not.toEqual([first, 300]);
      }),
      testRuns(100),
    );
  });

  it('keeps every window inside one month, the bounds of its source, the history and the past', () => {
    fc.assert(
      fc.property(worlds(), (world) => {
        const { account, now } = world;
        const today = dayAt(now, account.zone);
        const { fresh, bulk, windows, due } = planned(world);
        expect(fresh.every(({ lane }) => lane === 'fresh')).toBe(true);
        expect(bulk.every(({ lane }) => lane === 'bulk')).toBe(true);
        let days = 0;
        for (const { source: id, from, to, lane } of windows) {
          const source = findSource(CHANNELS[account.channel], id);
          if (!source) throw new Error(`No source ${id}`);
          const length = daysBetween(from, to) + 1;
          days += length;
          expect([id, monthOf(from)]).toEqual([id, monthOf(to)]);
          expect(length).toBeGreaterThanOrEqual(1);
          expect(length).toBeLessThanOrEqual(source.maxDays);
          if (length > 1)
            expect(length * source.rowsPerDay(account.entities)).toBeLessThanOrEqual(50_000);
          expect([id, from >= account.historyFrom, to <= today]).toEqual([id, true, true]);
          expect(daysBetween(from, today)).toBeLessThanOrEqual(source.historyDays);
          if (lane === 'fresh') expect(daysBetween(from, today)).toBeLessThan(3);
        }
        expect(due.size).toBe(days); // no cell twice
      }),
      runs,
    );
  });

  it('has at a later time everything that was due and not done', () => {
    fc.assert(
      fc.property(worlds({ historyDays: 12 }), fc.nat({ max: 72 * HOUR }), (world, later) => {
        const then = planned(world, world.now + later).due;
        expect([...planned(world).due].filter((cell) => !then.has(cell))).toEqual([]);
      }),
      runs,
    );
  });

  it('lets restatement and backfill of the bulk lane take turns', () => {
    const seen = { both: 0 };
    fc.assert(
      fc.property(worlds(), (world) => {
        const channel = CHANNELS[world.account.channel];
        const steps = planned(world).bulk.map((window) => ({
          isBackfill: cellOf(world, window.source, window.to)?.fetchedAt === undefined,
          key: groupKey(window, channel),
        }));
        const groups = steps.filter(
          (step, index) =>
            step.isBackfill !== steps[index - 1]?.isBackfill || step.key !== steps[index - 1]?.key,
        );
        if (new Set(groups.map(({ isBackfill }) => isBackfill)).size < 2) return;
        seen.both += 1;
        expect(groups[0]?.isBackfill).toBe(false);
        expect(groups[1]?.isBackfill).toBe(true);
      }),
      runs,
    );
    expect(seen.both).toBeGreaterThan(runs.numRuns / 8);
  });

  it('asks the newest month first, and in a month the totals of a level after its lists', () => {
    fc.assert(
      fc.property(worlds(), (world) => {
        const channel = CHANNELS[world.account.channel];
        const { fresh, bulk } = planned(world);
        const isBackfill = ({ source, to }: (typeof bulk)[number]) =>
          cellOf(world, source, to)?.fetchedAt === undefined;
        for (const windows of [
          fresh,
          bulk.filter(isBackfill),
          bulk.filter((one) => !isBackfill(one)),
        ]) {
          const months = windows.map(({ to }) => monthOf(to));
          expect(months).toEqual(months.toSorted().toReversed());
          for (const [index, { source: id, to }] of windows.entries()) {
            const totals =
              findSource(channel, id)?.fills.filter(({ part }) => part === 'base') ?? [];
            const levels = totals.map(({ level }) => level);
            const later = windows.slice(index + 1).filter((other) => {
              const fills = findSource(channel, other.source)?.fills ?? [];
              const isList = fills.some(
                ({ level, part }) => part !== 'base' && levels.includes(level),
              );
              return isList && other.source !== id && monthOf(other.to) === monthOf(to);
            });
            expect([id, later]).toEqual([id, []]);
          }
        }
      }),
      runs,
    );
  });

  it('never asks for what only a feed gives where there is none, whatever is stored or wished', () => {
    const types = ['PORTAL1_DA', 'PORTAL1_BLOG'] as const;
    fc.assert(
      fc.property(worlds({ types, historyDays: 12 }), (world) => {
        const fed = CHANNELS[world.account.channel].sources.filter(({ feed }) => feed);
        const asked = (withoutFeed: boolean) =>
          planned({ ...world, account: { ...world.account, withoutFeed } }).due;
        const isFed = (cell: string) => fed.some(({ id }) => cell.startsWith(`${id} `));
        expect([...asked(true)].sort()).toEqual(
          [...asked(false)].filter((cell) => !isFed(cell)).sort(),
        );
      }),
      runs,
    );
  });

  it('honours a wish exactly for what was fetched before it was asked', () => {
    fc.assert(
      fc.property(
        worlds({ withWishes: false }),
        fc.integer({ min: -600, max: 600 }),
        fc.nat({ max: 60 }),
        fc.nat({ max: 20 }),
        (world, seconds, back, length) => {
          const { account, now } = world;
          const today = dayAt(now, account.zone);
          const asked = now - 1000 * 600;
          // Everything was just read; only the wish can make it due again.
          world.cells.clear();
          for (const day of eachDay(account.historyFrom, today))
            for (const { id } of CHANNELS[account.channel].sources)
              store(
                { ...world, now: asked + seconds * 1000 },
                { source: id, from: day, to: day, lane: 'fresh' },
                1,
              );
          const wish = {
            from: addDays(today, -back),
            to: addDays(today, length - back),
            at: asked,
          };
          const without = planned(world).due;
          const wished = [...planned({ ...world, wanted: [wish] }).due].filter(
            (cell) => !without.has(cell),
          );
          const isIn = (day: string) => wish.from <= day && day <= wish.to;
          const reachable = eachDay(account.historyFrom, addDays(today, -1))
            .filter(isIn)
            .flatMap((day) =>
              CHANNELS[account.channel].sources
                .filter((source) => !isImported(source, account))
                .filter((source) => !(source.late && daysBetween(day, today) <= 3))
                .map(({ id }) => `${id} ${day}`),
            );
          if (seconds >= 0) expect(wished).toEqual([]);
          else
            expect(
              reachable.filter((cell) => !wished.includes(cell) && !without.has(cell)),
            ).toEqual([]);
          expect(wished.every((cell) => isIn(cell.slice(-10)))).toBe(true);
        },
      ),
      testRuns(150),
    );
  });
});
