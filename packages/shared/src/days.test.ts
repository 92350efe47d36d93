import fc from 'fast-check';
import {
  addDays,
  dayAt,
  daysBetween,
  eachDay,
  eachMonth,
  instantOf,
  isDay,
  isZone,
  monthOf,
  startOfDay,
} from './days.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** Zones with and without summer time, with halves and quarters of an hour, and with gaps at midnight. */
const ZONES = [
  'Asia/Seoul',
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Asia/Beirut',
  'Africa/Cairo',
  'America/Sao_Paulo',
  'America/Santiago',
  'America/Nuuk',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

/** Years in which these zones changed their clocks at midnight, beside the coming ones. */
const SPANS = [
  ...ZONES.map((zone) => ({ zone, from: '2024-01-01', to: '2028-12-31' })),
  { zone: 'America/Sao_Paulo', from: '2010-01-01', to: '2014-12-31' },
  { zone: 'America/Havana', from: '2024-01-01', to: '2025-12-31' },
];

/** What a wall clock shows, as if it were UTC; from the runtime's own calendar and not from the code under test. */
function createWall(zone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instant) => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
      format.format(instant).match(/\d+/g) ?? []
    ).map(Number);
    const millis = ((instant % 1000) + 1000) % 1000;
    return Date.UTC(year, month - 1, day, hour, minute, second, millis);
  };
}

const dayOf = (wall: number) => new Date(wall).toISOString().slice(0, 10);

describe.each(SPANS)('$zone from $from', ({ zone, from, to }) => {
  const wall = createWall(zone);
  const days = eachDay(from, to);

  it('every date has one start, and the days follow each other without hole or overlap', () => {
    const wrong = days.filter((day) => {
      const start = startOfDay(day, zone);
      const before = addDays(day, -1);
      const shown = [dayOf(wall(start)), dayOf(wall(start - 1))];
      const told = [dayAt(start, zone), dayAt(start - 1, zone)];
      return [...shown, ...told].join() !== [day, before, day, before].join();
    });
    expect(wrong).toEqual([]);
    const lengths = new Set(
      days.map((day) => (startOfDay(addDays(day, 1), zone) - startOfDay(day, zone)) / HOUR),
    );
    const changes = days.some(
      (day) =>
        wall(startOfDay(day, zone)) - startOfDay(day, zone) !==
        wall(startOfDay(from, zone)) - startOfDay(from, zone),
    );
    const shift = zone === 'Australia/Lord_Howe' ? 0.5 : 1;
    expect([...lengths].sort((a, b) => a - b)).toEqual(
      changes ? [24 - shift, 24, 24 + shift] : [24],
    );
  });

  it('around every change of the clocks each time of day is the first instant that shows it or later', () => {
    const STEP = 15 * MINUTE;
    const offset = (instant: number) => wall(instant) - instant;
    const changed = days.filter(
      (day) => offset(Date.parse(day)) !== offset(Date.parse(addDays(day, 1))),
    );
    const wrong: string[] = [];
    for (const day of changed) {
      const begin = Date.parse(addDays(day, -2));
      const grid = Array.from(
        { length: (5 * 24 * HOUR) / STEP },
        (_, index) => begin + index * STEP,
      );
      const shown = grid.map(wall);
      for (const near of [addDays(day, -1), day, addDays(day, 1)]) {
        for (let minutes = 0; minutes < 1440; minutes += 15) {
          const asked = Date.parse(near) + minutes * MINUTE;
          const expected = grid[shown.findIndex((one) => one >= asked)];
          if (instantOf(near, minutes, zone) !== expected) wrong.push(`${near} ${minutes}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

it('the day at any instant is what the wall calendar shows', () => {
  const walls = new Map(ZONES.map((zone) => [zone, createWall(zone)]));
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2029, 0) }),
      (zone, instant) => {
        expect(dayAt(instant, zone)).toBe(dayOf(walls.get(zone)?.(instant) ?? 0));
      },
    ),
    { numRuns: 2_000 },
  );
});

const date = fc
  .integer({ min: Date.UTC(2000, 0) / 86_400_000, max: Date.UTC(2100, 0) / 86_400_000 })
  .map((number) => new Date(number * 86_400_000).toISOString().slice(0, 10));

it('dates are added and counted as the calendar does', () => {
  fc.assert(
    fc.property(date, fc.integer({ min: -5000, max: 5000 }), (day, count) => {
      expect(daysBetween(day, addDays(day, count))).toBe(count);
      expect(addDays(addDays(day, count), -count)).toBe(day);
      expect(addDays(day, 1) > day).toBe(true);
      expect(isDay(day)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

it('a range has each day and each month once, ascending', () => {
  fc.assert(
    fc.property(date, fc.integer({ min: -3, max: 500 }), (from, length) => {
      const to = addDays(from, length - 1);
      const days = eachDay(from, to);
      expect(days).toHaveLength(Math.max(0, length));
      expect(days).toEqual([...new Set(days)].sort());
      if (length > 0) expect(eachMonth(from, to)).toEqual([...new Set(days.map(monthOf))]);
    }),
    { numRuns: 300 },
  );
});

it.each([
  ['2028-02-29', true],
  ['2026-02-29', false],
  ['2100-02-29', false],
  ['2026-13-01', false],
  ['2026-00-10', false],
  ['2026-11-31', false],
  ['0999-01-01', false],
  ['9999-12-31', true],
  ['+010000-01-01', false],
  ['2026-1-1', false],
  ['2026-11-01T00:00:00Z', false],
  [' 2026-11-01', false],
  ['2026-11-01\n', false],
  ['', false],
])('isDay(%j) is %s', (text, expected) => {
  expect(isDay(text)).toBe(expected);
});

it('knows zones by their names only', () => {
  expect(ZONES.every(isZone)).toBe(true);
  expect(['', 'Mars/Base', 'Asia/Seoul '].some(isZone)).toBe(false);
});
