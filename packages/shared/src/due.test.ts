import type { Cell } from './account.ts';
import { CHANNELS, findSource } from './channels.ts';
import { dueAt } from './due.ts';

const source = (id: string) => {
  const found = findSource(CHANNELS.PORTAL1_SEARCH_AD, id);
  if (!found) throw new Error(`No source ${id}`);
  return found;
};
const DAY = '2026-08-01';
const now = Date.parse('2026-11-21T12:00:00+09:00');
const account = { id: 'link.7', zone: 'Asia/Seoul', historyFrom: '2026-01-01' };
const wanted = [{ from: DAY, to: DAY, at: now - 1_000 }];
const readOn = (day: string): Cell => {
  const at = Date.parse(`${day}T12:00:00+09:00`);
  return { state: 'ok', triedAt: at, fetchedAt: at, run: 1, base: 1, digest: '1-x', chunks: 1 };
};

it.each([
  ['a day that holds metrics which the platform no longer tells', 'detail', '2026-09-15', Infinity],
  ['a day that was read too late to hold them', 'detail', '2026-09-16', now - 1_000],
  ['a source without such metrics', 'ad', '2026-09-15', now - 1_000],
])('a wish for %s', (_name, id, read, due) => {
  expect(dueAt(source(id), DAY, readOn(read), { account, now, wanted })).toBe(due);
});

it('a wish for a day whose metrics are still told is fulfilled', () => {
  const day = '2026-10-07';
  const wish = { from: day, to: day, at: now - 1_000 };
  const input = { account, now, wanted: [wish] };
  expect(dueAt(source('detail'), day, readOn('2026-10-20'), input)).toBe(now - 1_000);
});
