import type { Cell } from './account.ts';
import { failingSources } from './failing.ts';

const cell = (state: Cell['state'], triedAt: number, rest: Partial<Cell> = {}): Cell => ({
  state,
  triedAt,
  ...rest,
});
const cells = (days: Record<string, Record<string, Cell>>) =>
  new Map(Object.entries(days).map(([day, ofDay]) => [day, new Map(Object.entries(ofDay))]));

test('what was read or is under way is no failure', () => {
  const days = {
    '2026-11-01': { a: cell('ok', 1), b: cell('waiting', 2, { code: 'report_running' }) },
  };
  expect(failingSources(cells(days))).toEqual([]);
});

test('a source is told once, with its days, why the newest attempt failed and when the first is next', () => {
  const down = { code: 'provider_down', detail: 'The platform is down.' };
  const days = {
    '2026-11-03': { b: cell('failed', 5, { ...down, retryAt: 90 }), a: cell('failed', 1) },
    '2026-11-01': { b: cell('failed', 9, { code: 'timeout', detail: 'Too slow.', retryAt: 95 }) },
    '2026-11-02': { b: cell('ok', 20) },
    '2026-11-04': { b: cell('suspect', 7, { code: 'far_less', detail: 'Doubtful.' }) },
  };
  expect(failingSources(cells(days))).toEqual([
    { source: 'a', code: 'failed', detail: '', cells: 1, from: '2026-11-03', to: '2026-11-03' },
    {
      source: 'b',
      code: 'timeout',
      detail: 'Too slow.',
      cells: 3,
      from: '2026-11-01',
      to: '2026-11-04',
      retryAt: 90,
    },
  ]);
});

test('a sentence of any length is cut visibly', () => {
  const days = { '2026-11-01': { a: cell('failed', 1, { detail: 'x'.repeat(301) }) } };
  const [failing] = failingSources(cells(days));
  expect(failing?.detail).toBe(`${'x'.repeat(299)}…`);
});
