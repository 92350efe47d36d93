import fc from 'fast-check';
import { addDays, addMonths, createZone, datesOf, daysBetween, HOUR_MS, isDate } from './days.ts';

const dates = fc.integer({ min: 0, max: 6_000 }).map((days) => addDays('2020-01-01', days));

it('adds days and takes them away again, and counts each date of a range once', () => {
  fc.assert(
    fc.property(dates, fc.nat(500), (date, days) => {
      const end = addDays(date, days);
      expect(daysBetween(date, end)).toBe(days);
      expect(addDays(end, -days)).toBe(date);
      expect(new Set(datesOf(date, end)).size).toBe(days + 1);
    }),
  );
});

it('stays inside the month when the day does not exist there', () => {
  expect(addMonths('2026-03-31', -1)).toBe('2026-02-28');
  expect(addMonths('2026-11-20', -37)).toBe('2023-10-20');
  expect(addMonths('2026-12-31', 2)).toBe('2027-02-28');
});

it('knows real calendar dates from others', () => {
  expect(['2028-02-29', '2026-12-31'].every(isDate)).toBe(true);
  expect(['2026-02-29', '2026-13-01', '2026-1-1', '', '0000-01-01'].some(isDate)).toBe(false);
});

it('lets local days follow one another without gap or overlap, with 23 or 25 hours where clocks change', () => {
  for (const name of ['Asia/Seoul', 'America/New_York']) {
    const zone = createZone(name);
    fc.assert(
      fc.property(dates, (date) => {
        const { startMs, hours } = zone.day(date);
        expect(zone.day(addDays(date, 1)).startMs).toBe(startMs + hours.length * HOUR_MS);
        expect(zone.dateAt(startMs)).toBe(date);
        expect(zone.dateAt(startMs - 1)).toBe(addDays(date, -1));
      }),
    );
  }
  const newYork = createZone('America/New_York');
  expect(newYork.day('2026-03-08').hours).not.toContain(2);
  expect(newYork.day('2026-03-08').hours).toHaveLength(23);
  expect(newYork.day('2026-11-01').hours.filter((hour) => hour === 1)).toHaveLength(2);
});
