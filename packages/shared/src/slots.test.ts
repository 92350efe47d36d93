import fc from 'fast-check';
import { CHANNEL_TYPES, CHANNELS, type Source } from './channels.ts';
import { addDays, dayAt, startOfDay } from './days.ts';
import { plan } from './plan.ts';
import {
  firstSlot,
  isFinalReading,
  lastSlot,
  nextSlot,
  slotsKey,
  slotsOf,
  spread,
} from './slots.ts';
import { cellsIn, worlds } from './test-plans.ts';
import { testRuns } from './test-runs.ts';

const HOUR = 3_600_000;
const zone = 'Asia/Seoul';
const DAY = '2026-11-02';
const start = startOfDay(DAY, zone);
const end = start + 24 * HOUR;
const sources = CHANNEL_TYPES.flatMap((type) =>
  CHANNELS[type].sources.map((source) => ({ type, source })),
);
const account = { id: 'link.77', zone };

/** Every slot of a day, by asking for the next one again and again. */
function allSlots(source: Source, stretch = 1, id = account.id): number[] {
  const slots = slotsOf(source, DAY, { id, zone }, stretch);
  const found: number[] = [];
  for (let at = firstSlot(slots); at !== Infinity && found.length < 200; at = nextSlot(slots, at))
    found.push(at);
  return found;
}

const find = (type: keyof typeof CHANNELS, id: string) => {
  const source = CHANNELS[type].sources.find((one) => one.id === id);
  if (!source) throw new Error(`No source ${id}`);
  return source;
};

it.each([
  ['SOCIAL_ADS', 'c-base', 24, 11],
  ['SOCIAL_ADS', 'g-base', 8, 6],
  ['SOCIAL_ADS', 'd-base', 8, 6],
  ['PORTAL2_DISPLAY', 'c-base', 24, 8],
  ['PORTAL1_SEARCH_AD', 'ad', 0, 4],
  // Rows of ad groups that fill the campaigns too, and a list of ad groups that is read as often as the campaigns'.
  ['SEARCH_ENGINE_ADS', 'g-region', 24, 11],
  ['PORTAL2_KEYWORD', 'g-device', 24, 8],
  ['PORTAL2_KEYWORD', 'd-base', 8, 5],
] as const)(
  '%s %s is read %d times while the day runs and restated %d times',
  (type, id, today, restated) => {
    const slots = allSlots(find(type, id));
    expect(slots.filter((slot) => slot < end)).toHaveLength(today);
    const nights = slotsOf(find(type, id), DAY, account).restated;
    expect(nights).toHaveLength(restated);
    for (const night of nights) {
      const hours = (night - startOfDay(dayAt(night, zone), zone)) / HOUR;
      expect(hours).toBeGreaterThanOrEqual(5);
      expect(hours).toBeLessThan(8);
    }
  },
);

it('an ended day is read after ninety minutes, and where the platform settles later once more then', () => {
  expect(slotsOf(find('SOCIAL_ADS', 'c-base'), DAY, account).ended).toStrictEqual([
    end + 1.5 * HOUR,
  ]);
  expect(slotsOf(find('PORTAL2_DISPLAY', 'c-base'), DAY, account).ended).toEqual([
    end + 1.5 * HOUR,
    end + 8 * HOUR,
  ]);
});

it('what the platform publishes late is never read before: not the day, not its ending, not the next morning', () => {
  // Portal 1 makes a day's reports in the night after it; demographics of platform 2 wait for 18:00 in California.
  const hours: Record<string, number> = {
    PORTAL1_BLOG: 2,
    PORTAL1_DA: 2,
    PORTAL1_SEARCH_AD: 6,
    SEARCH_ENGINE_ADS: 13,
  };
  const late = sources.filter(({ source }) => source.late);
  expect([...new Set(late.map(({ type }) => type))].sort()).toEqual(Object.keys(hours));
  for (const { type, source } of late) {
    expect([type, allSlots(source)[0]]).toEqual([type, end + (hours[type] ?? 0) * HOUR]);
  }
});

it.each([
  // 18:00 in California and two hours: 20:00 of its summer or winter.
  ['Asia/Seoul', '2026-11-02', '2026-11-03T13:00:00+09:00'],
  ['Asia/Seoul', '2026-07-02', '2026-07-03T12:00:00+09:00'],
  ['America/New_York', '2026-11-02', '2026-11-03T23:00:00-05:00'],
  ['America/New_York', '2026-07-02', '2026-07-03T23:00:00-04:00'],
  ['America/Los_Angeles', '2026-11-02', '2026-11-03T20:00:00-08:00'],
  ['Europe/London', '2026-11-02', '2026-11-03T04:00:00Z'],
  // The day ends at 18:00 in California, the very moment.
  ['Etc/GMT+2', '2026-11-02', '2026-11-03T04:00:00Z'],
])(
  'demographics of %s for %s are first read at %s, and the totals again with them',
  (where, day, at) => {
    const owner = { id: 'link.77', zone: where };
    const slots = (id: string) => slotsOf(find('SEARCH_ENGINE_ADS', id), day, owner);
    expect(firstSlot(slots('g-age'))).toBe(Date.parse(at));
    for (const id of ['a-base', 'c-device', 'g-hour', 'g-region', 'g-keyword']) {
      expect(slots(id).ended).toContain(firstSlot(slots('g-age')));
    }
  },
);

it('late sources stay out of every plan until their first slot, whatever is stored of them', () => {
  const seen = { early: 0 };
  fc.assert(
    fc.property(
      worlds({ types: ['SEARCH_ENGINE_ADS', 'PORTAL1_BLOG'], historyDays: 5 }),
      (world) => {
        const { account: owner, now } = world;
        const found = plan(world);
        const due = cellsIn([...found.fresh, ...found.bulk]);
        const today = dayAt(now, owner.zone);
        for (const source of CHANNELS[owner.channel].sources.filter(({ late }) => late)) {
          for (const day of [today, addDays(today, -1)]) {
            if (now >= firstSlot(slotsOf(source, day, owner))) continue;
            seen.early += 1;
            expect([day, due.has(`${source.id} ${day}`)]).toEqual([day, false]);
          }
        }
      },
    ),
    testRuns(300),
  );
  expect(seen.early).toBeGreaterThan(testRuns(300).numRuns / 3);
});

it('slots are whole, ascending, inside the day or after it, for any account and stretch', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...sources),
      fc.string(),
      fc.double({ min: 1, max: 30, noNaN: true }),
      ({ source }, id, stretch) => {
        const slots = allSlots(source, stretch, id);
        expect(slots).toEqual([...new Set(slots)].sort((a, b) => a - b));
        expect(slots.every((slot) => Number.isInteger(slot) && slot >= start)).toBe(true);
        const last = startOfDay(addDays(DAY, source.lookbackDays + 1), zone);
        expect(slots.at(-1)).toBeGreaterThanOrEqual(last + 5 * HOUR);
        expect(slots.at(-1)).toBeLessThan(last + 12 * HOUR + 1);
      },
    ),
    testRuns(1_000),
  );
});

it('a reading is final exactly when no slot is left after it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...sources),
      fc.constantFrom('Asia/Seoul', 'Pacific/Apia', 'America/New_York', 'Pacific/Pago_Pago'),
      fc.integer({ min: -48 * HOUR, max: 24 * 40 * HOUR }),
      ({ source }, where, after) => {
        const owner = { id: 'link.77', zone: where };
        const fetchedAt = start + after;
        const isLast = nextSlot(slotsOf(source, DAY, owner), fetchedAt) === Infinity;
        expect(isFinalReading({ source, day: DAY, fetchedAt, account: owner })).toBe(isLast);
      },
    ),
    testRuns(3_000),
  );
});

it('a reading at the last slot is final, one before it is not', () => {
  for (const { type, source } of sources) {
    const fetchedAt = lastSlot(source, DAY, account);
    const isFinal = (at: number) => isFinalReading({ source, day: DAY, fetchedAt: at, account });
    expect([type, isFinal(fetchedAt - 1), isFinal(fetchedAt)]).toEqual([type, false, true]);
  }
});

it('sources have one key exactly when they are read at the same moments of every day', () => {
  const days = [DAY, '2026-07-02'];
  const momentsOf = (source: Source) =>
    JSON.stringify(days.map((day) => slotsOf(source, day, account)));
  const moments = new Map(sources.map(({ source }) => [slotsKey(source), momentsOf(source)]));
  for (const { source } of sources)
    expect([source.id, moments.get(slotsKey(source))]).toEqual([source.id, momentsOf(source)]);
  const published = find('SEARCH_ENGINE_ADS', 'g-region');
  const others: Partial<Source>[] = [
    { publishedAt: { hour: 17, zone: 'America/Los_Angeles' } },
    { publishedAt: { hour: 18, zone } },
    { settleHours: 3 },
    { lookbackDays: 29 },
    { late: true },
  ];
  for (const other of others)
    expect([other, slotsKey({ ...published, ...other })]).not.toEqual([other, slotsKey(published)]);
});

it('accounts are spread evenly over a width', () => {
  const tenths = Array.from({ length: 10 }, () => 0);
  for (let index = 0; index < 10_000; index += 1) {
    const place = Math.floor(spread(`link${index}.${index * 7}`, 10));
    tenths[place] = (tenths[place] ?? 0) + 1;
  }
  expect(Math.min(...tenths)).toBeGreaterThan(850);
  expect(Math.max(...tenths)).toBeLessThan(1150);
});
