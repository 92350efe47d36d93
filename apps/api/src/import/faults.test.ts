import { createFaults } from './faults.ts';

test('rejects the days of faulty rows, and tells rows in their order', () => {
  const faults = createFaults();
  faults.add({ row: 9, field: 'clicks', message: 'b', day: '2026-11-02' });
  faults.add({ row: 4, field: '', message: 'a', day: '2026-11-01' });
  expect(faults.shown()).toEqual([
    { row: 4, message: 'a' },
    { row: 9, field: 'clicks', message: 'b' },
  ]);
  expect(['2026-11-01', '2026-11-02', '2026-11-03'].map(faults.isRejected)).toEqual([
    true,
    true,
    false,
  ]);
});

test('rejects every day once a row has none that can be read', () => {
  const faults = createFaults();
  faults.add({ row: 1, message: 'a', day: undefined });
  expect(faults.isRejected('2026-11-03')).toBe(true);
  expect([...faults.days]).toEqual([]);
});

test('keeps a thousand in words, counts on, and gives up on a file of another kind', () => {
  const faults = createFaults();
  const add = () => faults.add({ row: faults.count() + 1, message: 'a', day: '2026-11-01' });
  for (let row = 1; row <= 100_000; row += 1) add();
  expect([faults.count(), faults.shown().length]).toEqual([100_000, 1_000]);
  expect(add).toThrow('More than 100000 rows cannot be taken');
});
