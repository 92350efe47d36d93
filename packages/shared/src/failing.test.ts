import type { Cell, PlanAccount } from './account.ts';
import { failingSources } from './failing.ts';

const cell = (state: Cell['state'], triedAt: number, rest: Partial<Cell> = {}): Cell => ({
  state,
  triedAt,
  ...rest,
});
const cells = (days: Record<string, Record<string, Cell>>) =>
  new Map(Object.entries(days).map(([day, ofDay]) => [day, new Map(Object.entries(ofDay))]));

const account: PlanAccount = {
  id: 'l.1',
  channel: 'SOCIAL_ADS',
  zone: 'Asia/Seoul',
  historyFrom: '2025-01-01',
  until: {},
  entities: { c: 1, g: 1, d: 1 },
};
const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-05T03:00:00Z');
const failingOf = (days: Parameters<typeof cells>[0], now = NOW) =>
  failingSources({ account, cells: cells(days), now });

test('what was read or is under way is no failure', () => {
  const days = {
    '2026-11-01': {
      'c-age': cell('ok', 1),
      'c-base': cell('waiting', 2, { code: 'report_running' }),
    },
  };
  expect(failingOf(days)).toEqual([]);
});

test('a source is told once, with its days, why the newest attempt failed and when the first is next', () => {
  const down = { code: 'provider_down', detail: 'The platform is down.' };
  const days = {
    '2026-11-03': {
      'c-base': cell('failed', 5, { ...down, retryAt: 90 }),
      'c-age': cell('failed', 1),
    },
    '2026-11-01': {
      'c-base': cell('failed', 9, { code: 'timeout', detail: 'Too slow.', retryAt: 95 }),
    },
    '2026-11-02': { 'c-base': cell('ok', 20) },
    '2026-11-04': { 'c-base': cell('suspect', 7, { code: 'far_less', detail: 'Doubtful.' }) },
  };
  expect(failingOf(days)).toEqual([
    { source: 'c-age', code: 'failed', detail: '', cells: 1, from: '2026-11-03', to: '2026-11-03' },
    {
      source: 'c-base',
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
  const days = { '2026-11-01': { 'c-age': cell('failed', 1, { detail: 'x'.repeat(301) }) } };
  const [failing] = failingOf(days);
  expect(failing?.detail).toBe(`${'x'.repeat(299)}…`);
});

test('what will never be tried again is no failure: a day that the platform no longer answers for', () => {
  const old = { '2025-10-01': { 'c-hour': cell('failed', 1, { retryAt: 9 }) } };
  const midnight = Date.parse('2026-10-30T15:00:00Z'); // the end of the 394th day after
  expect(failingOf(old, midnight - 1)).toMatchObject([{ source: 'c-hour', cells: 1 }]);
  expect(failingOf(old, midnight)).toEqual([]);
  const both = { ...old, '2026-10-29': { 'c-hour': cell('failed', 5) } };
  expect(failingOf(both, midnight)).toMatchObject([{ cells: 1, from: '2026-10-29' }]);
});

test('what will never be tried again is no failure: a day of which the stored reading holds more', () => {
  const searchAd = { ...account, channel: 'PORTAL1_SEARCH_AD' } as const;
  const failed = { '2026-09-10': { detail: cell('failed', 2, { fetchedAt: NOW - 60 * DAY_MS }) } };
  const judge = (now: number) =>
    failingSources({ account: searchAd, cells: cells(failed), now }).length;
  expect(judge(Date.parse('2026-10-20T03:00:00Z'))).toBe(1);
  expect(judge(NOW)).toBe(0); // conversions are told for 45 days
});

test('what a source of an older or newer version left behind is no failure', () => {
  expect(failingOf({ '2026-11-01': { 'c-moon': cell('failed', 1) } })).toEqual([]);
});
