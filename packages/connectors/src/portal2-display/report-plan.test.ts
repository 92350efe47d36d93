import { addDays, eachDay } from '@tributary/shared';
import fc from 'fast-check';
import { batchesOf, periodsOf, reportOf } from './report-plan.ts';

const TODAY = '2026-11-21';
const day = fc.integer({ min: -40, max: 3 }).map((days) => addDays(TODAY, days));

test('every day up to today is read once, today by itself, and none that is yet to come', () => {
  fc.assert(
    fc.property(day, fc.nat(30), (from, length) => {
      const window = { from, to: addDays(from, length) };
      const periods = periodsOf(window, TODAY);
      const read = periods.flatMap((period) => eachDay(period.from, period.to));
      expect(read).toEqual(eachDay(window.from, window.to).filter((one) => one <= TODAY));
      for (const { from: first, to, isToday } of periods) {
        expect([first, to].includes(TODAY)).toBe(isToday);
      }
    }),
  );
});

test('every object is in one call, and a call has as many as the platform takes', () => {
  fc.assert(
    fc.property(fc.nat(500), fc.constantFrom('c', 'g', 'd'), (count, level) => {
      const { idsMax, idOf } = reportOf(level, '1');
      const id = (n: number) => String(n);
      const objects = Array.from({ length: count }, (_, n) => {
        return { campaign: id(n), adGroup: id(n), ad: id(n) };
      });
      const batches = batchesOf(objects, idsMax);
      expect(batches.flat().map(idOf)).toEqual(objects.map(idOf));
      expect(batches).toHaveLength(Math.ceil(count / idsMax));
      for (const batch of batches) expect(batch.length).toBeLessThanOrEqual(idsMax);
    }),
  );
});
