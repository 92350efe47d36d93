import fc from 'fast-check';
import type { Cell, Day } from './account.ts';
import { CHANNELS, findSource, isImported, type Source } from './channels.ts';
import { addDays, dayAt, daysBetween, eachDay, monthOf, startOfDay } from './days.ts';
import { groupKey, type PlanInput, plan } from './plan.ts';
import { sealTag } from './sealed.ts';
import { slotsOf, spread } from './slots.ts';
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
const runs = testRuns(60);

const planned = (world: PlanWorld, now = world.now) => {
  const found = plan({ ...inputOf(world), now });
  const windows = [...found.fresh, ...found.bulk];
  return { ...found, windows, due: cellsIn(windows) };
};
const cellOf = (world: PlanWorld, source: string, day: string) => world.cells.get(day)?.get(source);

describe('the plan of one account', () => {
  const zone = 'Asia/Seoul';
  const today = '2026-11-21';
  const now = Date.parse(`${today}T12:00:00+09:00`);
  const channel = CHANNELS.SOCIAL_ADS;
  const account: PlanInput['account'] = {
    id: 'link.7',
    channel: 'SOCIAL_ADS',
    zone,
    historyFrom: '2026-10-30',
    until: {},
    entities: { c: 1, g: 1, d: 1 },
  };
  const hourly = (day: Day) => startOfDay(day, zone) + spread(account.id, HOUR);
  const sourceOf = (id: string): Source => {
    const source = findSource(channel, id);
    if (!source) throw new Error(`No source ${id}`);
    return source;
  };
  const campaigns = sourceOf('c-base');
  const readAt = (at: number): Cell => ({
    state: 'ok',
    triedAt: at,
    fetchedAt: at,
    run: 1,
    base: 1,
  });

  /** Plans the campaigns' totals of an account of which only the given days were read. */
  function planOf({
    read = {},
    sources = [campaigns],
    ...input
  }: Partial<PlanInput> & { read?: Record<Day, Cell> }) {
    const cells = new Map(
      Object.entries(read).map(([day, cell]) => [
        day,
        new Map(sources.map(({ id }) => [id, cell] as const)),
      ]),
    );
    return plan({ now, account, cells, sealed: new Map(), sources, ...input });
  }
  const spans = (windows: ReturnType<typeof plan>['bulk']) =>
    windows.map(({ source, from, to, lane }) =>
      [source, from.slice(5), to.slice(5), lane].join(' '),
    );

  it('asks for the last three days in the fresh lane and for all before in the other, month by month', () => {
    const { fresh, bulk, seal, nextAt } = planOf({ sources: [sourceOf('c-age'), campaigns] });
    expect(spans(fresh)).toEqual(['c-age 11-19 11-21 fresh', 'c-base 11-19 11-21 fresh']);
    expect(spans(bulk)).toEqual([
      'c-age 11-01 11-18 bulk',
      'c-base 11-01 11-18 bulk',
      'c-age 10-30 10-31 bulk',
      'c-base 10-30 10-31 bulk',
    ]);
    expect(seal).toEqual([]);
    expect(nextAt).toBe(hourly('2026-11-22'));
  });

  it('asks the sources of a month in the order of the table', () => {
    const { fresh } = planOf({ sources: channel.sources });
    expect(channel.sources.length).toBeGreaterThan(10);
    expect(fresh.map(({ source }) => source)).toEqual(channel.sources.map(({ id }) => id));
  });

  it.each([
    ['its source at most spans', { maxDays: 7 }, ['11-12 11-18', '11-05 11-11', '11-01 11-04']],
    ['may bring 50,000 rows', { rowsPerDay: () => 5_000 }, ['11-09 11-18', '11-01 11-08']],
    ['stays below them', { rowsPerDay: () => 5_001 }, ['11-10 11-18', '11-01 11-09']],
    ['has no rows to expect', { rowsPerDay: () => 0 }, ['11-01 11-18']],
  ])('cuts windows, newest first, to what %s', (_name, limits, expected) => {
    const { bulk } = planOf({
      account: { ...account, historyFrom: '2026-11-01' },
      sources: [{ ...campaigns, ...limits }],
    });
    expect(spans(bulk)).toEqual(expected.map((span) => `c-base ${span} bulk`));
  });

  it('asks for a day alone whose rows are more than a window may bring', () => {
    const { fresh } = planOf({ sources: [{ ...campaigns, rowsPerDay: () => 50_001 }] });
    expect(spans(fresh)).toEqual(
      ['11-21', '11-20', '11-19'].map((day) => `c-base ${day} ${day} fresh`),
    );
  });

  it('leaves out what was just read, and says when that is due again', () => {
    const read = { '2026-11-10': readAt(now - HOUR), [today]: readAt(now) };
    const { fresh, bulk, nextAt } = planOf({ read });
    expect(spans(fresh)).toEqual(['c-base 11-19 11-20 fresh']);
    expect(spans(bulk)).toEqual([
      'c-base 11-11 11-18 bulk',
      'c-base 11-01 11-09 bulk',
      'c-base 10-30 10-31 bulk',
    ]);
    expect(nextAt).toBe(hourly(today) + 12 * HOUR);
  });

  it('has a cell from the moment on at which it is due', () => {
    const slot = hourly(today);
    const dueAt = (at: number) => planOf({ now: at });
    expect(spans(dueAt(slot).fresh)).toEqual(['c-base 11-19 11-21 fresh']);
    expect(dueAt(slot).nextAt).toBe(hourly('2026-11-22'));
    expect(spans(dueAt(slot - 1).fresh)).toEqual(['c-base 11-19 11-20 fresh']);
    expect(dueAt(slot - 1).nextAt).toBe(slot);
  });

  it.each([
    ['for two hours', 'fresh', now + 2 * HOUR, now + 2 * HOUR],
    ['over midnight, when a day changes its lane', 'fresh', now + 72 * HOUR, now + 12 * HOUR],
    ['for two hours', 'bulk', now + 2 * HOUR, now + 2 * HOUR],
  ] as const)('asks nothing of a lane that is closed %s: %s', (_name, lane, until, next) => {
    const open = lane === 'fresh' ? 'bulk' : 'fresh';
    const found = planOf({ account: { ...account, until: { [lane]: until } } });
    expect(found[lane]).toEqual([]);
    expect(found[open]).toEqual(planOf({})[open]);
    expect(found.nextAt).toBe(next);
  });

  it('opens a lane at the moment until which it was closed', () => {
    const found = planOf({ account: { ...account, until: { fresh: now, bulk: now - 1 } } });
    expect(found).toEqual(planOf({}));
  });

  it('gives restatement and backfill turns, a month and level at a time', () => {
    const sources = [campaigns, sourceOf('g-age'), sourceOf('g-base')];
    const ended = (day: Day) => [day, readAt(startOfDay(addDays(day, 1), zone) + HOUR)] as const;
    const read = Object.fromEntries(['2026-11-17', '2026-10-31', '2026-11-18'].map(ended));
    const { bulk } = planOf({ sources, read });
    expect(spans(bulk).map((span) => span.replace(' bulk', ''))).toEqual([
      'c-base 11-17 11-18',
      'c-base 11-01 11-16',
      'g-age 11-17 11-18',
      'g-base 11-17 11-18',
      'g-age 11-01 11-16',
      'g-base 11-01 11-16',
      'c-base 10-31 10-31',
      'c-base 10-30 10-30',
      'g-age 10-31 10-31',
      'g-base 10-31 10-31',
      'g-age 10-30 10-30',
      'g-base 10-30 10-30',
    ]);
  });

  it('restates the last days in the bulk lane and ends them in the fresh one', () => {
    const day = '2026-11-20';
    const [ended = 0] = slotsOf(campaigns, day, account).ended;
    const lanes = (at: number) => {
      const { fresh, bulk } = planOf({
        account: { ...account, historyFrom: day },
        read: { [day]: readAt(at), [today]: readAt(now) },
      });
      return spans([...fresh, ...bulk]);
    };
    expect(lanes(ended - 1)).toEqual(['c-base 11-20 11-20 fresh']);
    expect(lanes(ended)).toEqual(['c-base 11-20 11-20 bulk']);
  });

  it('seals the days that were read after their sealing, in their order', () => {
    const days = ['2026-11-19', '2026-11-17', '2026-11-18'];
    const read = Object.fromEntries(days.map((day) => [day, readAt(now)]));
    const tag = sealTag(
      { channel, account, day: '2026-11-18', cells: new Map([['c-base', readAt(now)]]) },
      'c',
    );
    const sealed = new Map([['2026-11-18', { c: { run: 1, tag: tag ?? '' } }]]);
    expect(planOf({ read }).seal).toEqual(days.toSorted());
    expect(planOf({ read, sealed }).seal).toEqual(['2026-11-17', '2026-11-19']);
  });

  it('is never due again where nothing can be asked', () => {
    const owner = { ...account, channel: 'PORTAL1_BLOG', withoutFeed: true } as const;
    expect(planOf({ account: owner, sources: CHANNELS.PORTAL1_BLOG.sources })).toEqual({
      seal: [],
      fresh: [],
      bulk: [],
      nextAt: Infinity,
    });
  });

  it('groups windows by month and level', () => {
    const window = (source: string, to: Day) =>
      groupKey({ source, from: '2026-11-01', to, lane: 'bulk' }, channel);
    expect(window('c-age', '2026-11-05')).toBe('2026-11.c');
    expect(window('g-base', '2026-12-05')).toBe('2026-12.g');
    expect(window('unknown', '2026-11-05')).toBe('2026-11.');
  });
});

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
      testRuns(40),
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
    expect(seen.both).toBeGreaterThan(runs.numRuns / 20);
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
      runs,
    );
  });
});
