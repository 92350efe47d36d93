import fc from 'fast-check';
import type { Cell, Wish } from './account.ts';
import { CHANNELS } from './channels.ts';
import { addDays, dayAt } from './days.ts';
import { plan } from './plan.ts';
import { cellsIn, inputOf, type PlanWorld, store, worlds } from './test-plans.ts';
import { wishProgress } from './wish-progress.ts';

const HOUR = 3_600_000;

/** Worlds with a wish of this very moment; everything stored is older. */
const asked = fc
  .record({
    world: worlds({ withWishes: false }),
    ago: fc.nat({ max: 45 }),
    days: fc.nat({ max: 20 }),
  })
  .map(({ world, ago, days }) => {
    const from = addDays(dayAt(world.now, world.account.zone), -ago);
    world.now += 1;
    return { world, wish: { from, to: addDays(from, days), at: world.now } };
  });

function windowsOf(world: PlanWorld) {
  const { fresh, bulk } = plan(inputOf(world));
  return [...fresh, ...bulk];
}

/** Source and day of what is due with the wish. */
function dueWith(world: PlanWorld, wish: Wish): string[] {
  return [...cellsIn(windowsOf({ ...world, wanted: [wish] }))].sort();
}

const inRange = (cell: string, { from, to }: Wish) =>
  cell.slice(-10) >= from && cell.slice(-10) <= to;

it('planned is what the wish makes due within its range, and outside of it the wish makes nothing due', () => {
  fc.assert(
    fc.property(asked, ({ world, wish }) => {
      const { planned, done, nextAt } = wishProgress({ ...world, wish });
      const due = dueWith(world, wish);
      expect(due.filter((cell) => inRange(cell, wish))).toHaveLength(planned);
      const before = [...cellsIn(windowsOf(world))].sort();
      expect(due.filter((cell) => !inRange(cell, wish))).toEqual(
        before.filter((cell) => !inRange(cell, wish)),
      );
      expect(done).toBe(0);
      expect(nextAt <= world.now).toBe(planned > 0);
    }),
    { numRuns: 60 },
  );
});

it('when what the wish made due is fetched all of it is done, and stays done', () => {
  fc.assert(
    fc.property(asked, fc.nat({ max: 60 * 24 }), ({ world, wish }, hours) => {
      const { planned } = wishProgress({ ...world, wish });
      world.wanted = [wish];
      for (const window of windowsOf(world)) store(world, window, 2);
      world.now += hours * HOUR;
      expect(wishProgress({ ...world, wish })).toEqual({
        planned,
        done: planned,
        failed: [],
        nextAt: Infinity,
      });
    }),
    { numRuns: 60 },
  );
});

it('what fails is named, newest day first, and is neither done nor forgotten', () => {
  fc.assert(
    fc.property(asked, ({ world, wish }) => {
      const due = dueWith(world, wish).filter((cell) => inRange(cell, wish));
      world.wanted = [wish];
      for (const window of windowsOf(world)) store(world, window, 2, true);
      const { planned, done, failed, nextAt } = wishProgress({ ...world, wish });
      expect({ planned, done }).toEqual({ planned: due.length, done: 0 });
      expect(failed.map(({ source, day }) => `${source} ${day}`).sort()).toEqual(due);
      const days = failed.map(({ day }) => day);
      expect(days).toEqual(days.toSorted().toReversed());
      expect(nextAt).toBe(Math.min(Infinity, ...failed.map(({ retryAt }) => retryAt ?? 0)));
    }),
    { numRuns: 60 },
  );
});

describe('one day of a blog', () => {
  const NOW = Date.parse('2026-11-20T12:00:00Z');
  const DAY = '2026-11-10';
  const wish = { from: DAY, to: DAY, at: NOW };
  const account = {
    id: 'link.blog',
    channel: 'PORTAL1_BLOG',
    zone: 'Asia/Seoul',
    historyFrom: '2026-11-01',
    until: {},
    entities: { c: 0, g: 0, d: 0 },
  } as const;
  const [source] = CHANNELS.PORTAL1_BLOG.sources;
  const progressOf = (cell: Partial<Cell>, more: object = {}) =>
    wishProgress({
      account: { ...account, ...more },
      cells: new Map([
        [DAY, new Map([[source?.id ?? '', { state: 'ok', triedAt: 0, ...cell } satisfies Cell]])],
      ]),
      wish,
      now: NOW + HOUR,
    });
  const kept = { run: 1, base: 1, digest: 'x', chunks: 1 };

  it('fetched in the very moment is done, a millisecond before is not', () => {
    expect(progressOf({ ...kept, fetchedAt: NOW, triedAt: NOW })).toMatchObject({ done: 1 });
    expect(progressOf({ ...kept, fetchedAt: NOW - 1, triedAt: NOW - 1 })).toEqual({
      planned: 1,
      done: 0,
      failed: [],
      nextAt: NOW,
    });
  });

  it('a failure of before the asking is not one of the wish', () => {
    const failure = { state: 'failed', code: 'provider_down', detail: 'Down', retryAt: NOW * 2 };
    const { failed, nextAt } = progressOf({ ...failure, state: 'failed', triedAt: NOW - 1 });
    expect({ failed, nextAt }).toEqual({ failed: [], nextAt: NOW });
    const since = progressOf({ ...failure, state: 'failed', triedAt: NOW });
    const { code, detail, retryAt } = failure;
    expect(since.failed).toEqual([{ source: source?.id, day: DAY, code, detail, retryAt }]);
    expect(since.nextAt).toBe(NOW * 2);
  });

  it('an answer that is not believed is a failure, a report under way is not', () => {
    const old = { ...kept, fetchedAt: NOW - 1, triedAt: NOW + 1, retryAt: NOW + 2 };
    expect(progressOf({ ...old, state: 'suspect' }).failed).toHaveLength(1);
    expect(progressOf({ ...old, state: 'waiting' })).toMatchObject({ done: 0, failed: [] });
  });

  it('a failure after the wished reading leaves the reading done', () => {
    const cell = {
      ...kept,
      fetchedAt: NOW,
      triedAt: NOW + 5,
      state: 'failed',
      retryAt: 1,
    } as const;
    expect(progressOf(cell)).toMatchObject({ planned: 1, done: 1, failed: [] });
  });

  it('nothing is tried before the lane is open', () => {
    expect(progressOf({}, { until: { bulk: NOW * 2, fresh: NOW * 3 } }).nextAt).toBe(NOW * 2);
  });

  it('days before the first wanted one are not planned', () => {
    expect(progressOf({}, { historyFrom: '2026-11-11' })).toMatchObject({ planned: 0 });
  });
});
