import fc from 'fast-check';
import type { Cell, Day, Lane, Millis, PlanAccount, Window, Wish } from './account.ts';
import { CHANNEL_TYPES, CHANNELS, type ChannelType } from './channels.ts';
import { addDays, dayAt, eachDay, startOfDay } from './days.ts';
import type { PlanInput } from './plan.ts';
import { type SealedMark, type SealedPart, sealedParts, sealTag } from './sealed.ts';

const HOUR = 3_600_000;
const DAY_MS = 24 * HOUR;

/** Whole numbers below a bound, the same for the same seed; cheaper than a stream of drawn ones. */
export function createDice(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** What is stored of an account, as planning sees it, and changeable. */
export interface PlanWorld {
  now: Millis;
  account: PlanAccount;
  cells: Map<Day, Map<string, Cell>>;
  sealed: Map<Day, Partial<Record<SealedPart, SealedMark>>>;
  wanted: Wish[];
  stretch: number;
}

export interface WorldOptions {
  types?: readonly ChannelType[];
  historyDays?: number;
  /** Lanes may be closed for a while. */
  withUntil?: boolean;
  withWishes?: boolean;
}

const instant = fc.integer({ min: Date.UTC(2024, 1), max: Date.UTC(2028, 11) });
const zone = fc.constantFrom(
  'Asia/Seoul',
  'America/New_York',
  'Africa/Cairo',
  'Pacific/Apia',
  'UTC',
);
/** Moments around now: minutes, hours and weeks away. */
const around = fc.oneof(
  fc.integer({ min: -HOUR, max: HOUR }),
  fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }),
  fc.integer({ min: -40 * DAY_MS, max: 0 }),
);

/** The longest wait before something that failed is tried again. */
const RETRY_MS_MAX = 6 * HOUR;

const sketch = fc.record({
  state: fc.constantFrom<Cell['state']>('ok', 'ok', 'ok', 'failed', 'suspect', 'waiting'),
  fetched: fc.option(around),
  tried: around,
  retry: fc.option(around.map((ahead) => Math.min(ahead, RETRY_MS_MAX))),
});

function cellOf(
  {
    state,
    fetched,
    tried,
    retry,
  }: { state: Cell['state']; fetched: number | null; tried: number; retry: number | null },
  now: Millis,
): Cell {
  const fetchedAt =
    fetched === null && state !== 'ok' ? undefined : Math.min(now, now + (fetched ?? tried));
  return {
    state,
    triedAt: Math.max(fetchedAt ?? 0, Math.min(now, now + tried)),
    ...(fetchedAt !== undefined && { run: 1, base: 1, fetchedAt, digest: 'x', chunks: 1 }),
    ...(state !== 'ok' && retry !== null && { retryAt: now + retry }),
  };
}

/** Accounts of any channel with any coverage at any time. */
export function worlds({
  types = CHANNEL_TYPES,
  historyDays = 34,
  withUntil = false,
  withWishes = true,
}: WorldOptions = {}): fc.Arbitrary<PlanWorld> {
  const size = fc.integer({ min: 0, max: 20_000 });
  const lane = withUntil ? fc.option(around) : fc.constant(null);
  return fc
    .record({
      now: instant,
      zone,
      type: fc.constantFrom(...types),
      id: fc.string({ minLength: 3, maxLength: 12 }),
      history: fc.integer({ min: 1, max: historyDays }),
      entities: fc.record({ c: size, g: size, d: size }),
      fresh: lane,
      bulk: lane,
      density: fc.constantFrom(0, 0.5, 0.95, 1),
      sketches: fc.array(sketch, { minLength: 1, maxLength: 40 }),
      seed: fc.nat(),
      wishes: fc.array(
        fc.record({
          from: fc.nat({ max: 60 }),
          length: fc.nat({ max: 20 }),
          ago: fc.nat({ max: 40 * DAY_MS }),
        }),
        { maxLength: withWishes ? 3 : 0 },
      ),
      stretch: fc.constantFrom(1, 1, 1.7, 4),
      withoutFeed: fc.boolean(),
    })
    .map((drawn) => {
      const { now, type, history } = drawn;
      const today = dayAt(now, drawn.zone);
      const cells: PlanWorld['cells'] = new Map();
      const pick = createDice(drawn.seed);
      for (const day of eachDay(addDays(today, -history - 2), today)) {
        for (const source of CHANNELS[type].sources) {
          if (pick(10_000) / 10_000 >= drawn.density) continue;
          const chosen = drawn.sketches[pick(drawn.sketches.length)];
          if (!chosen) continue;
          const ofDay = cells.get(day) ?? new Map<string, Cell>();
          cells.set(day, ofDay.set(source.id, cellOf(chosen, now)));
        }
      }
      const until: Partial<Record<Lane, Millis>> = {
        ...(drawn.fresh !== null && { fresh: now + drawn.fresh }),
        ...(drawn.bulk !== null && { bulk: now + drawn.bulk }),
      };
      return {
        now,
        account: {
          id: drawn.id,
          channel: type,
          zone: drawn.zone,
          historyFrom: addDays(today, -history),
          until,
          entities: drawn.entities,
          withoutFeed: drawn.withoutFeed,
        },
        cells,
        sealed: new Map(),
        wanted: drawn.wishes.map(({ from, length, ago }) => ({
          from: addDays(today, -from),
          to: addDays(today, length - from),
          at: now - ago,
        })),
        stretch: drawn.stretch,
      };
    });
}

export const inputOf = (world: PlanWorld): PlanInput => ({ ...world });

/** Source and day of everything that windows cover. */
export function cellsIn(windows: readonly Window[]): Set<string> {
  return new Set(
    windows.flatMap(({ source, from, to }) => eachDay(from, to).map((day) => `${source} ${day}`)),
  );
}

/** Stores an attempt of every cell of a window. */
export function store(
  world: PlanWorld,
  { source, from, to }: Window,
  run: number,
  isFailed = false,
): void {
  for (const day of eachDay(from, to)) {
    const ofDay = world.cells.get(day) ?? new Map<string, Cell>();
    world.cells.set(day, ofDay);
    const { tries = 0, ...kept } = ofDay.get(source) ?? { state: 'ok', triedAt: 0 };
    const retryAt = world.now + Math.min(RETRY_MS_MAX, 300_000 * 2 ** tries);
    ofDay.set(
      source,
      isFailed
        ? { ...kept, state: 'failed', triedAt: world.now, tries: tries + 1, retryAt }
        : {
            state: 'ok',
            triedAt: world.now,
            fetchedAt: world.now,
            run,
            base: run,
            digest: 'x',
            chunks: 1,
          },
    );
  }
}

/** Marks everything as sealed from what is stored. */
export function sealAll(world: PlanWorld): void {
  const channel = CHANNELS[world.account.channel];
  for (const [day, cells] of world.cells) {
    const marks = sealedParts(channel).flatMap((part) => {
      const tag = sealTag({ channel, account: world.account, day, cells }, part);
      return tag === undefined ? [] : [[part, { run: 1, tag }] as const];
    });
    world.sealed.set(day, Object.fromEntries(marks));
  }
}

/** A moment of a day in the world's zone. */
export function momentOf({ account }: PlanWorld, day: Day, hours: number): Millis {
  return startOfDay(day, account.zone) + hours * HOUR;
}
