import type { Cell, Cells, Day, Lane, Millis, PlanAccount, Window, Wish } from './account.ts';
import { CHANNELS, type Channel, type Source } from './channels.ts';
import { addDays, daysBetween, eachDay, monthOf, startOfDay } from './days.ts';
import { type Calendar, createCalendar } from './due.ts';
import { isUnsealed, type SealedDays } from './sealed.ts';

const FRESH_DAYS = 3;
/** Rows that one window may be expected to bring; bounds memory, never results. */
const WINDOW_ROWS_MAX = 50_000;

export interface PlanInput {
  now: Millis;
  account: PlanAccount;
  cells: Cells;
  sealed: SealedDays;
  wanted?: readonly Wish[];
  /** At least 1: how much further apart today's readings lie when the app's quota is short. */
  stretch?: number;
  /** The sources to plan; default all of the account's channel. */
  sources?: readonly Source[];
}

export interface Plan {
  /** Days whose stored observations are newer than what is sealed. */
  seal: Day[];
  fresh: Window[];
  bulk: Window[];
  /** When something not in this plan becomes due; always after now. Infinity = never. */
  nextAt: Millis;
}

interface DueCell {
  source: Source;
  order: number;
  day: Day;
  lane: Lane;
  kind: 'day' | 'restatement' | 'backfill';
}

/**
 * Compares what is stored with what the channel's policy wants now. First load, hourly refresh, restatement, healing
 * after an outage and a refresh by hand are all this function with other inputs.
 */
export function plan(input: PlanInput): Plan {
  const { now, account, cells, sealed } = input;
  const channel = CHANNELS[account.channel];
  const sources = input.sources ?? channel.sources;
  const calendar = createCalendar(input);
  const due: DueCell[] = [];
  const midnight = startOfDay(addDays(calendar.today, 1), account.zone);
  let nextAt = Infinity;
  for (const day of eachDay(account.historyFrom, addDays(calendar.today, 1))) {
    const ofDay = cells.get(day);
    for (const [order, source] of sources.entries()) {
      const cell = ofDay?.get(source.id);
      const at = calendar.dueAt(source, day, cell);
      if (at > now) {
        nextAt = Math.min(nextAt, at);
        continue;
      }
      const lane = laneOf(calendar, { source, day, cell });
      const until = account.until[lane] ?? 0;
      // At midnight a day may change its lane, and the other one may be open.
      if (until > now) nextAt = Math.min(nextAt, until, midnight);
      else due.push({ source, order, day, lane, kind: kindOf(calendar, { source, day, cell }) });
    }
  }
  return {
    seal: [...cells.keys()]
      .filter((day) =>
        isUnsealed({ channel, account, day, cells: cells.get(day), sealed: sealed.get(day) }),
      )
      .sort(),
    fresh: windowsOf(
      due.filter(({ lane }) => lane === 'fresh'),
      account,
      'fresh',
    ),
    bulk: alternate(
      windowsOf(
        due.filter(({ lane, kind }) => lane === 'bulk' && kind !== 'backfill'),
        account,
        'bulk',
      ),
      windowsOf(
        due.filter(({ lane, kind }) => lane === 'bulk' && kind === 'backfill'),
        account,
        'bulk',
      ),
      channel,
    ),
    nextAt,
  };
}

/** One cell, as the calendar is asked about it. */
export interface Question {
  source: Source;
  day: Day;
  cell: Cell | undefined;
}

/** The lane that collects a cell that is due. */
export function laneOf(calendar: Calendar, { source, day, cell }: Question): Lane {
  if (daysBetween(day, calendar.today) >= FRESH_DAYS) return 'bulk';
  return calendar.isRestatement(source, day, cell) ? 'bulk' : 'fresh';
}

function kindOf(calendar: Calendar, { source, day, cell }: Question): DueCell['kind'] {
  if (cell?.fetchedAt === undefined) return 'backfill';
  return calendar.isRestatement(source, day, cell) ? 'restatement' : 'day';
}

/**
 * Due cells as windows: contiguous days of one source inside one month and within its bounds; newest month first, then
 * level by level with the totals after the lists, so that a level's day comes from one moment.
 */
function windowsOf(due: readonly DueCell[], account: PlanAccount, lane: Lane): Window[] {
  const runs = new Map<string, DueCell[]>();
  for (const cell of due) {
    const key = `${monthOf(cell.day)}.${String(cell.order).padStart(3, '0')}`;
    const run = runs.get(key);
    if (run) run.push(cell);
    else runs.set(key, [cell]);
  }
  return [...runs.entries()]
    .sort(([a], [b]) => compareMonthsDescending(a, b))
    .flatMap(([, run]) => split(run, account, lane));
}

function compareMonthsDescending(a: string, b: string): number {
  const [monthA, monthB] = [monthOf(a), monthOf(b)];
  return monthA === monthB ? (a < b ? -1 : 1) : monthA < monthB ? 1 : -1;
}

/** Cuts one source's due days of a month, ascending, into windows, newest first. */
function split(run: readonly DueCell[], account: PlanAccount, lane: Lane): Window[] {
  const windows: Window[] = [];
  for (const { source, day } of run.toReversed()) {
    const rows = Math.max(1, source.rowsPerDay(account.entities));
    const daysMax = Math.max(1, Math.min(source.maxDays, Math.floor(WINDOW_ROWS_MAX / rows)));
    const window = windows.at(-1);
    const fits =
      window && addDays(window.from, -1) === day && daysBetween(day, window.to) < daysMax;
    if (fits) window.from = day;
    else windows.push({ source: source.id, from: day, to: day, lane });
  }
  return windows;
}

/** One group of restatement, one of backfill, and so on: neither starves the other. A group is one month and level. */
function alternate(restated: Window[], backfill: Window[], channel: Channel): Window[] {
  const queues = [groups(restated, channel), groups(backfill, channel)];
  const rounds = Math.max(...queues.map((queue) => queue.length));
  return Array.from({ length: rounds }, (_, round) =>
    queues.flatMap((queue) => queue[round] ?? []),
  ).flat();
}

function groups(windows: readonly Window[], channel: Channel): Window[][] {
  const found: Window[][] = [];
  for (const window of windows) {
    const last = found.at(-1);
    const previous = last?.at(-1);
    if (last && previous && groupKey(previous, channel) === groupKey(window, channel))
      last.push(window);
    else found.push([window]);
  }
  return found;
}

/** Windows of one key belong to one moment: they are collected together and sealed together. */
export function groupKey(window: Window, channel: Channel): string {
  const source = channel.sources.find(({ id }) => id === window.source);
  return `${monthOf(window.to)}.${source?.fills[0]?.from[0] ?? ''}`;
}
