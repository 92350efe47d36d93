import type { Cell, Day } from './account.ts';
import { CHANNELS, type ChannelType, findSource, type Source } from './channels.ts';
import { addDays, eachDay, startOfDay } from './days.ts';
import { type CalendarInput, createCalendar, dueAt } from './due.ts';
import { isFinalReading, lastSlot, slotsOf, spread } from './slots.ts';

const HOUR = 3_600_000;
const now = Date.parse('2026-11-21T12:00:00+09:00');
const TODAY = '2026-11-21';
const zone = 'Asia/Seoul';
const account = { id: 'link.7', zone, historyFrom: '2026-01-01' };
const input: CalendarInput = { account, now };

function sourceOf(type: ChannelType, id: string): Source {
  const found = findSource(CHANNELS[type], id);
  if (!found) throw new Error(`No source ${id}`);
  return found;
}
const campaigns = sourceOf('SOCIAL_ADS', 'c-base');
const settled = sourceOf('PORTAL2_DISPLAY', 'c-base');
const nightly = sourceOf('PORTAL1_SEARCH_AD', 'ad');
const detail = sourceOf('PORTAL1_SEARCH_AD', 'detail');

const start = (day: Day) => startOfDay(day, zone);
/** The first hourly reading of a day. */
const hourly = (day: Day) => start(day) + spread(account.id, HOUR);
const readAt = (at: number): Cell => ({
  state: 'ok',
  triedAt: at,
  fetchedAt: at,
  run: 1,
  base: 1,
  digest: '1-x',
  chunks: 1,
});
const readOn = (day: Day) => readAt(Date.parse(`${day}T12:00:00+09:00`));
const failedAt = (triedAt: number, more: Partial<Cell> = {}): Cell => ({
  state: 'failed',
  triedAt,
  ...more,
});
const wishAt = (at: number, from: Day, to = from) => ({ from, to, at });

describe('a cell that was never attempted', () => {
  it.each([
    ['today', campaigns, TODAY, hourly(TODAY)],
    ['tomorrow', campaigns, '2026-11-22', hourly('2026-11-22')],
    ['a day three days back', campaigns, '2026-11-18', hourly('2026-11-18')],
    ['a day further back', campaigns, '2026-11-17', Date.parse('2026-11-17')],
    ['a day that is published late', nightly, TODAY, start('2026-11-22') + 6 * HOUR],
    ['the first day wanted', campaigns, '2026-01-01', Date.parse('2026-01-01')],
    ['the day before it', campaigns, '2025-12-31', Infinity],
    ['the oldest day that the platform tells', detail, '2026-05-25', Date.parse('2026-05-25')],
    ['the day before that', detail, '2026-05-24', Infinity],
  ])('%s', (_name, source, day, due) => {
    expect(dueAt(source, day, undefined, input)).toBe(due);
  });

  it('is never due where nobody can be asked for it', () => {
    const [fed, asked] = ['c-age', 'c-base'].map((id) => sourceOf('PORTAL1_DA', id)) as [
      Source,
      Source,
    ];
    const due = (source: Source, withoutFeed: boolean) =>
      dueAt(source, '2026-10-01', undefined, { now, account: { ...account, withoutFeed } });
    const first = Date.parse('2026-10-01');
    expect([due(fed, true), due(fed, false)]).toEqual([Infinity, first]);
    expect([due(asked, true), due(asked, false)]).toEqual([first, first]);
  });

  it('is due later in a day whose readings are stretched', () => {
    const due = dueAt(campaigns, TODAY, undefined, { ...input, stretch: 4 });
    expect(due).toBe(start(TODAY) + spread(account.id, 4 * HOUR));
    expect(due).not.toBe(hourly(TODAY));
  });
});

describe('a cell that was attempted in vain', () => {
  const triedAt = now - 2 * HOUR;

  it('is due when it is to be tried again, or at once', () => {
    const retryAt = now + HOUR;
    expect(dueAt(campaigns, TODAY, failedAt(triedAt, { retryAt }), input)).toBe(retryAt);
    expect(dueAt(campaigns, TODAY, failedAt(triedAt), input)).toBe(triedAt);
  });

  it('is due earlier when a person asks for it, but never before its first slot', () => {
    const wanted = [wishAt(now - 1_000, TODAY)];
    const cell = failedAt(triedAt, { retryAt: now + HOUR });
    expect(dueAt(campaigns, TODAY, cell, { ...input, wanted })).toBe(now - 1_000);
    expect(dueAt(nightly, TODAY, cell, { ...input, wanted })).toBe(start('2026-11-22') + 6 * HOUR);
  });

  it('is tried again although the platform no longer tells some metrics', () => {
    const retryAt = now + HOUR;
    expect(dueAt(detail, '2026-08-01', failedAt(triedAt, { retryAt }), input)).toBe(retryAt);
  });
});

describe('a cell that was read', () => {
  it('is due at the next slot, not at the one at which it was read', () => {
    const slot = hourly(TODAY) + 10 * HOUR;
    expect(dueAt(campaigns, TODAY, readAt(slot - 1), input)).toBe(slot);
    expect(dueAt(campaigns, TODAY, readAt(slot), input)).toBe(slot + HOUR);
    const { fetchedAt: _, ...withoutTime } = readAt(slot);
    expect(dueAt(campaigns, TODAY, withoutTime, input)).toBe(slot + HOUR);
  });

  it('is due for the last time at its last slot', () => {
    const day = '2026-10-01';
    const last = lastSlot(campaigns, day, account);
    expect(dueAt(campaigns, day, readAt(last - 1), input)).toBe(last);
    expect(dueAt(campaigns, day, readAt(last), input)).toBe(Infinity);
    const calendar = createCalendar(input);
    expect(calendar.isFinal(campaigns, day, last - 1)).toBe(false);
    expect(calendar.isFinal(campaigns, day, last)).toBe(true);
  });

  it('is due at the earlier of the next slot and a wish', () => {
    const slot = hourly(TODAY) + 10 * HOUR;
    const due = (at: number) =>
      dueAt(campaigns, TODAY, readAt(slot), { ...input, wanted: [wishAt(at, TODAY)] });
    expect(due(slot + 5_000)).toBe(slot + 5_000);
    expect(due(slot + 2 * HOUR)).toBe(slot + HOUR);
  });
});

describe('a wish', () => {
  const day = '2026-08-01'; // final, so that only a wish makes it due
  const read = Date.parse('2026-10-01T12:00:00+09:00');
  const due = (...wanted: ReturnType<typeof wishAt>[]) =>
    dueAt(campaigns, day, readAt(read), { ...input, wanted });

  it('counts for the days from its first to its last', () => {
    const at = now - 1_000;
    expect(due(wishAt(at, day))).toBe(at);
    expect(due(wishAt(at, '2026-07-01', '2026-09-01'))).toBe(at);
    expect(due(wishAt(at, '2026-07-01', '2026-07-31'))).toBe(Infinity);
    expect(due(wishAt(at, '2026-08-02', '2026-09-01'))).toBe(Infinity);
  });

  it('is fulfilled by an attempt that began with it or later', () => {
    expect(due(wishAt(read, day))).toBe(Infinity);
    expect(due(wishAt(read + 1, day))).toBe(read + 1);
  });

  it('is the earliest of those that are not fulfilled', () => {
    const wishes = [now - 1_000, now - 5_000, now - 3_000, read - 1].map((at) => wishAt(at, day));
    expect(due(...wishes)).toBe(now - 5_000);
    expect(due(...wishes.toReversed())).toBe(now - 5_000);
  });

  it.each([
    ['a day that holds metrics which the platform no longer tells', detail, '2026-09-15', Infinity],
    ['a day that was read too late to hold them', detail, '2026-09-16', now - 1_000],
    ['a source without such metrics', nightly, '2026-09-15', now - 1_000],
  ])('for %s', (_name, source, readDay, expected) => {
    const wanted = [wishAt(now - 1_000, day)];
    expect(dueAt(source, day, readOn(readDay), { ...input, wanted })).toBe(expected);
  });

  it('for a day whose metrics are still told is fulfilled', () => {
    const told = '2026-10-07';
    const wanted = [wishAt(now - 1_000, told)];
    expect(dueAt(detail, told, readOn('2026-10-20'), { ...input, wanted })).toBe(now - 1_000);
  });
});

describe('the calendar', () => {
  it('wants a day from its first slot on, while the platform tells it', () => {
    const isWanted = (source: Source, day: Day, at = now) =>
      createCalendar({ account, now: at }).isWanted(source, day);
    expect(isWanted(campaigns, TODAY, hourly(TODAY) - 1)).toBe(false);
    expect(isWanted(campaigns, TODAY, hourly(TODAY))).toBe(true);
    expect(isWanted(campaigns, '2026-11-22')).toBe(false);
    expect(isWanted(nightly, '2026-11-20')).toBe(true);
    expect(isWanted(nightly, TODAY)).toBe(false);
    expect([isWanted(campaigns, '2026-01-01'), isWanted(campaigns, '2025-12-31')]).toEqual([
      true,
      false,
    ]);
    expect([isWanted(detail, '2026-05-25'), isWanted(detail, '2026-05-24')]).toEqual([true, false]);
  });

  it('calls a reading restatement when the next slot is one of a later morning', () => {
    const day = '2026-11-20';
    const { ended, restated } = slotsOf(settled, day, account);
    const calendar = createCalendar(input);
    expect(ended).toHaveLength(2);
    const [afterEnd = 0, afterSettled = 0] = ended;
    expect(calendar.isRestatement(settled, day, readAt(afterEnd - 1))).toBe(false);
    expect(restated[0]).toBeGreaterThan(afterEnd);
    expect(calendar.isRestatement(settled, day, readAt(afterEnd))).toBe(true);
    expect(calendar.isRestatement(settled, day, readAt(afterSettled))).toBe(true);
    const { fetchedAt: _, ...withoutTime } = readAt(afterEnd);
    expect(calendar.isRestatement(settled, day, withoutTime)).toBe(true);
  });

  it('calls nothing restatement that failed, was never read or is wished for now', () => {
    const day = '2026-11-10';
    const cell = readOn('2026-11-19');
    const isRestatement = (one: Cell | undefined, ...wanted: ReturnType<typeof wishAt>[]) =>
      createCalendar({ ...input, wanted }).isRestatement(campaigns, day, one);
    expect(isRestatement(cell)).toBe(true);
    expect(isRestatement({ ...cell, state: 'failed' })).toBe(false);
    expect(isRestatement(undefined)).toBe(false);
    expect(isRestatement(cell, wishAt(now, day))).toBe(false);
    expect(isRestatement(cell, wishAt(now + 1, day))).toBe(true);
    expect(isRestatement(cell, wishAt(cell.triedAt, day))).toBe(true);
  });

  it('answers of every source and day as if it were asked nothing else', () => {
    const calendar = createCalendar(input);
    for (const day of eachDay(addDays(TODAY, -9), TODAY)) {
      for (const { id } of CHANNELS.PORTAL2_DISPLAY.sources) {
        const source = sourceOf('PORTAL2_DISPLAY', id);
        const cell = readAt(start(day) + 26 * HOUR);
        const alone = dueAt(source, day, cell, input);
        const slots = slotsOf(source, day, account);
        expect([id, day, calendar.dueAt(source, day, cell)]).toEqual([id, day, alone]);
        const next = [...slots.ended, ...slots.restated].sort((a, b) => a - b);
        expect([id, day, alone]).toEqual([
          id,
          day,
          next.find((slot) => slot > start(day) + 26 * HOUR),
        ]);
        const last = Math.max(...next);
        for (const at of [last - 1, last])
          expect([id, day, calendar.isFinal(source, day, at)]).toEqual([
            id,
            day,
            isFinalReading({ source, day, fetchedAt: at, account }),
          ]);
      }
    }
    expect(calendar.today).toBe(TODAY);
  });
});
