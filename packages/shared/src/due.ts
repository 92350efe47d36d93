import type { Cell, Day, Millis, PlanAccount, Wish } from './account.ts';
import { isImported, outlivedMetrics, type Source } from './channels.ts';
import { addDays, dayAt, daysBetween, startOfDay } from './days.ts';
import {
  firstSlot,
  isFinalBy,
  lastSlot,
  nextSlot,
  type SlotAccount,
  type Slots,
  slotsKey,
  slotsOf,
} from './slots.ts';

const FRESH_DAYS = 3;

/** Answers when cells are due; remembers the slots of days, which cost most. Made once per plan. */
export interface Calendar {
  /** The first moment at which the cell is due; Infinity = never again. */
  dueAt(source: Source, day: Day, cell: Cell | undefined): Millis;
  /** True when nothing of the source will be read for the day again. */
  isFinal(source: Source, day: Day, fetchedAt: Millis): boolean;
  /** True once the day can have figures of the source: its first slot has passed and the platform still answers. */
  isWanted(source: Source, day: Day): boolean;
  /** True once the day is to be read as a whole: the first slot after its end has passed. */
  isOver(source: Source, day: Day): boolean;
  /** True when a reading of the restatement, not of the day itself or for a person, is the first that is due. */
  isRestatement(source: Source, day: Day, cell: Cell | undefined): boolean;
  today: Day;
}

export interface CalendarInput {
  account: SlotAccount & Pick<PlanAccount, 'historyFrom' | 'withoutFeed'>;
  now: Millis;
  wanted?: readonly Wish[];
  stretch?: number;
}

/** The platform's restatement and our slots as questions about one account at one moment. */
export function createCalendar({
  account,
  now,
  wanted = [],
  stretch = 1,
}: CalendarInput): Calendar {
  const today = dayAt(now, account.zone);
  const known = new Map<string, Slots>();
  const lasts = new Map<string, Millis>();

  function slots(source: Source, day: Day): Slots {
    const key = `${day}.${slotsKey(source)}`;
    const found = known.get(key) ?? slotsOf(source, day, account, stretch);
    known.set(key, found);
    return found;
  }

  function last(source: Source, day: Day): Millis {
    const key = `${day}.${slotsKey(source)}`;
    const found = lasts.get(key) ?? lastSlot(source, day, account);
    lasts.set(key, found);
    return found;
  }

  function isFinal(source: Source, day: Day, fetchedAt: Millis): boolean {
    return isFinalBy({ source, day, fetchedAt }, () => last(source, day));
  }

  function isOutOfReach(source: Source, day: Day): boolean {
    return day < account.historyFrom || daysBetween(day, today) > source.historyDays;
  }

  function firstDue(source: Source, day: Day): Millis {
    return daysBetween(day, today) > FRESH_DAYS ? Date.parse(day) : firstSlot(slots(source, day));
  }

  function wishedAt(day: Day, since: Millis): Millis {
    return wanted.reduce(
      (earliest, wish) =>
        wish.from <= day && day <= wish.to && wish.at > since && wish.at < earliest
          ? wish.at
          : earliest,
      Infinity,
    );
  }

  function dueAt(source: Source, day: Day, cell: Cell | undefined): Millis {
    if (isOutOfReach(source, day) || isImported(source, account)) return Infinity;
    if (!cell) return firstDue(source, day);
    return Math.max(firstDue(source, day), dueAgain(source, day, cell));
  }

  /** True when another reading would lack metrics that the stored one has. */
  function holdsMore(source: Source, day: Day, { fetchedAt }: Cell): boolean {
    if (!source.newestDaysOnly || fetchedAt === undefined) return false;
    const { zone } = account;
    const lackedAt = (at: Millis) => outlivedMetrics(source, day, { at, zone }).length > 0;
    return lackedAt(now) && !lackedAt(fetchedAt);
  }

  function dueAgain(source: Source, day: Day, cell: Cell): Millis {
    if (holdsMore(source, day, cell)) return Infinity;
    const wish = wishedAt(day, cell.triedAt);
    if (cell.state !== 'ok') return Math.min(wish, cell.retryAt ?? cell.triedAt);
    const fetchedAt = cell.fetchedAt ?? cell.triedAt;
    if (isFinal(source, day, fetchedAt)) return wish;
    return Math.min(wish, nextSlot(slots(source, day), fetchedAt));
  }

  return {
    dueAt,
    isFinal,
    isWanted: (source, day) =>
      day <= today && !isOutOfReach(source, day) && firstDue(source, day) <= now,
    isOver: (source, day) =>
      daysBetween(day, today) > FRESH_DAYS ||
      nextSlot(slots(source, day), startOfDay(addDays(day, 1), account.zone)) <= now,
    isRestatement(source, day, cell) {
      if (cell?.state !== 'ok' || wishedAt(day, cell.triedAt) <= now) return false;
      const ofDay = slots(source, day);
      return ofDay.restated.includes(nextSlot(ofDay, cell.fetchedAt ?? cell.triedAt));
    },
    today,
  };
}

/** When one cell is due, for callers with a single question; see {@link Calendar.dueAt}. */
export function dueAt(
  source: Source,
  day: Day,
  cell: Cell | undefined,
  input: CalendarInput,
): Millis {
  return createCalendar(input).dueAt(source, day, cell);
}
