import fc from 'fast-check';
import type { Cell, Day } from './account.ts';
import { CHANNELS, type ChannelType, findSource, type Source } from './channels.ts';
import { addDays, startOfDay } from './days.ts';
import { packFilled, setsOf } from './filled.ts';
import type { LevelSums } from './level-gaps.ts';
import { STORED_METRICS, type StoredMetric } from './metrics.ts';
import type { SetId } from './observation.ts';
import { type UpstreamChange, upstreamChanges, upstreamKind } from './upstream.ts';

const FIRST: Day = '2026-09-01';
const ZONE = 'Asia/Seoul';
const DAY_MS = 86_400_000;
const ALL = ['impressions', 'clicks', 'conversions', 'amount', 'spend', 'reach'] as const;

/** One day: what the totals come to, and which metrics each set fills. */
interface TestDay {
  impressions: number;
  clicks: number;
  conversions: number;
  sets: Partial<Record<SetId, readonly StoredMetric[]>>;
  /** Filled by an earlier reading and not by this one. */
  lost?: Partial<Record<SetId, readonly StoredMetric[]>>;
  readAfterDays?: number;
}

const usual = (more: Partial<TestDay> = {}): TestDay => ({
  impressions: 5_000,
  clicks: 100,
  conversions: 6,
  sets: { 'c-base': ALL, 'c-age': ALL },
  ...more,
});
const noConversions = {
  conversions: 0,
  sets: {
    'c-base': ['impressions', 'clicks', 'spend', 'reach'],
    'c-age': ['impressions', 'clicks', 'spend', 'reach'],
  },
} as const;

function bitsOf(metrics: readonly StoredMetric[] = []): number {
  return metrics.reduce((bits, metric) => bits | (1 << STORED_METRICS.indexOf(metric)), 0);
}

function packed(source: Source, sets: TestDay['sets'] = {}): number {
  const bits = setsOf(source).map((set) => [set, bitsOf(sets[set])]);
  return packFilled(source, Object.fromEntries(bits));
}

function changes(
  days: readonly TestDay[],
  type: ChannelType = 'SOCIAL_ADS',
  ids = ['c-age', 'c-base'],
) {
  const channel = CHANNELS[type];
  const cells = new Map<Day, Map<string, Cell>>();
  const sealed = new Map<Day, { c: { run: number; tag: string; sums: LevelSums } }>();
  days.forEach(({ impressions, clicks, conversions, sets, lost, readAfterDays = 3 }, index) => {
    const day = addDays(FIRST, index);
    const at = startOfDay(addDays(day, 1), ZONE) + readAfterDays * DAY_MS;
    const ofDay = ids.map((id) => {
      const source = findSource(channel, id);
      if (!source) throw new Error(id);
      const cell: Cell = {
        state: 'ok',
        run: 1,
        base: 1,
        triedAt: at,
        fetchedAt: at,
        filled: packed(source, sets),
        lost: packed(source, lost),
      };
      return [id, cell] as const;
    });
    cells.set(day, new Map(ofDay));
    const micros = conversions * 1_000_000;
    const sums: LevelSums = [impressions, clicks, micros, micros * 20, clicks * 300_000, null];
    sealed.set(day, { c: { run: 1, tag: '1:1', sums } });
  });
  return upstreamChanges({ channel, zone: ZONE, cells, sealed });
}

const names = (found: readonly UpstreamChange[]) =>
  found.map(({ source, part, metric, since }) => [source, part, metric, since]);
const times = (count: number, day: TestDay) => Array.from({ length: count }, () => day);

describe('a metric of the totals', () => {
  it('is missed after three delivering days without it, when every day before had it', () => {
    const before = times(10, usual());
    expect(changes([...before, ...times(2, usual(noConversions))])).toEqual([]);
    const since = addDays(FIRST, 10);
    expect(names(changes([...before, ...times(3, usual(noConversions))]))).toEqual([
      ['c-base', 'base', 'conversions', since],
      ['c-base', 'base', 'amount', since],
    ]);
    expect(changes([...before, ...times(3, usual(noConversions)), usual()])).toEqual([]);
  });

  it('is missed however long it is gone', () => {
    const found = changes([...times(10, usual()), ...times(300, usual(noConversions))]);
    expect(found[0]).toMatchObject({ metric: 'conversions', since: addDays(FIRST, 10) });
  });

  it('is not missed where it was not there on every day before, or on fewer than seven', () => {
    const gappy = [...times(5, usual()), usual(noConversions), ...times(6, usual())];
    expect(changes([...gappy, ...times(5, usual(noConversions))])).toEqual([]);
    expect(changes([...times(6, usual()), ...times(5, usual(noConversions))])).toEqual([]);
    expect(changes([...times(7, usual()), ...times(5, usual(noConversions))])).not.toEqual([]);
  });

  it('is not missed in a small account before it would have come ten times', () => {
    const small = times(10, usual({ conversions: 1 }));
    expect(changes([...small, ...times(9, usual(noConversions))])).toEqual([]);
    expect(changes([...small, ...times(10, usual(noConversions))])).not.toEqual([]);
  });

  it('is not missed on days without delivery or with less than it takes', () => {
    const nothing = { impressions: 0, clicks: 0, conversions: 0, sets: {} };
    expect(changes([...times(10, usual()), ...times(20, nothing)])).toEqual([]);
    const little = usual({ ...noConversions, impressions: 100, clicks: 2 });
    expect(changes([...times(10, usual()), ...times(3, little)])).toEqual([]);
  });

  it('is not missed on days that were read too early: conversions come late', () => {
    const early = times(4, usual({ ...noConversions, readAfterDays: 0.5 }));
    expect(changes([...times(10, usual()), ...early])).toEqual([]);
    const mature = times(3, usual({ ...noConversions, readAfterDays: 1 }));
    expect(changes([...times(10, usual()), ...mature])).not.toEqual([]);
  });
});

describe('a list', () => {
  it('is missed where the totals deliver, and its metrics where the totals have them', () => {
    const base = usual().sets['c-base'] ?? [];
    const emptied = usual({ sets: { 'c-base': base } });
    const since = addDays(FIRST, 8);
    const gone = changes([...times(8, usual()), ...times(3, emptied)]);
    expect(names(gone)).toEqual([['c-age', 'age', undefined, since]]);
    expect(gone.map(upstreamKind)).toEqual(['list']);
    const without = usual({ sets: { 'c-base': base, 'c-age': noConversions.sets['c-age'] } });
    const metrics = changes([...times(8, usual()), ...times(3, without)]);
    expect(names(metrics)).toEqual([
      ['c-age', 'age', 'conversions', since],
      ['c-age', 'age', 'amount', since],
    ]);
    expect(metrics.map(upstreamKind)).toEqual(['metric', 'metric']);
  });

  it('is told apart from the other lists of its source', () => {
    const sets = { 'd-base': ALL, 'g-keyword': ALL, 'g-device': ALL };
    const { 'g-keyword': _, ...rest } = sets;
    const days = [...times(8, usual({ sets })), ...times(3, usual({ sets: rest }))];
    expect(names(changes(days, 'PORTAL1_SEARCH_AD', ['ad']))).toEqual([
      ['ad', 'keyword', undefined, addDays(FIRST, 8)],
    ]);
  });
});

describe('a re-reading', () => {
  const lost = { 'c-base': ['conversions', 'amount'] } as const;
  const emptied = usual({ ...noConversions, lost });

  it('that empties days which had it is told, between filled days too', () => {
    const days = [...times(5, usual()), ...times(4, emptied), ...times(9, usual())];
    expect(names(changes(days))).toEqual([
      ['c-base', 'base', 'conversions', addDays(FIRST, 5)],
      ['c-base', 'base', 'amount', addDays(FIRST, 5)],
    ]);
    expect(changes([...times(5, usual()), ...times(2, emptied), ...times(9, usual())])).toEqual([]);
  });

  it('that empties everything is told although nothing is left to compare with', () => {
    expect(changes(times(9, emptied))).toEqual([]);
    expect(names(changes(times(10, emptied)))).toContainEqual([
      'c-base',
      'base',
      'conversions',
      FIRST,
    ]);
  });

  it('that fills them again ends it', () => {
    expect(changes([...times(5, usual()), ...times(4, usual()), ...times(9, usual())])).toEqual([]);
  });
});

test('an account that always gives what it gave is never suspected', () => {
  const day = fc.record({
    impressions: fc.nat(100_000),
    clicks: fc.nat(1000),
    conversions: fc.nat(50),
    readAfterDays: fc.constantFrom(0, 1, 30),
  });
  fc.assert(
    fc.property(fc.array(day, { maxLength: 60 }), (days) => {
      expect(changes(days.map((one) => usual(one)))).toEqual([]);
    }),
  );
});

test('whatever the days, what is told is empty since its first day for three delivering days at least', () => {
  const day = fc.boolean().chain((isEmpty) =>
    fc
      .record({
        conversions: fc.integer({ min: 1, max: 30 }),
        impressions: fc.integer({ min: 500, max: 9000 }),
      })
      .map((figures) => usual({ ...figures, ...(isEmpty ? noConversions : {}) })),
  );
  fc.assert(
    fc.property(fc.nat(20), fc.nat(12), fc.array(day, { maxLength: 12 }), (full, empty, mixed) => {
      const days = [...mixed, ...times(full, usual()), ...times(empty, usual(noConversions))];
      for (const { since } of changes(days)) {
        const rest = days.slice(days.findIndex((_, index) => addDays(FIRST, index) === since));
        expect(rest.length).toBeGreaterThanOrEqual(3);
        expect(rest.every(({ conversions }) => conversions === 0)).toBe(true);
      }
    }),
  );
});
