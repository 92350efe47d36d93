import type { Day, Millis, PlanAccount } from './account.ts';
import type { Source } from './channels.ts';
import { addDays, dayAt, instantOf, startOfDay } from './days.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const ENDED_AFTER_MS = 90 * MINUTE_MS;
const RESTATED_AT_MINUTES = 5 * 60;
const RESTATED_SPREAD_MS = 3 * HOUR_MS;

const TODAY_EVERY_MS = { upper: HOUR_MS, lower: 3 * HOUR_MS } as const;
const RESTATED_AFTER_DAYS = {
  upper: [1, 2, 3, 4, 5, 6, 7, 10, 14, 21],
  lower: [1, 2, 3, 7, 14],
} as const;

/** What of an account the slots depend on. */
export type SlotAccount = Pick<PlanAccount, 'id' | 'zone'>;

/** The moments at which one source wants to read one day, ascending. */
export interface Slots {
  /** While the day runs: every `every` from `from`, before `to`. Absent for sources that publish late. */
  today?: { from: Millis; every: Millis; to: Millis };
  /** After its end: the ended day, the settled day. */
  ended: readonly Millis[];
  /** The restatement readings D+k. */
  restated: readonly Millis[];
}

/** Accounts of one zone are spread over the hour and the night by the hash of their id: FNV-1a, 32 bits. */
export function spread(id: string, widthMs: number): Millis {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  return Math.floor(((hash >>> 0) / 0x1_0000_0000) * widthMs);
}

/** Ad group and ad levels are read less often than account and campaign; a source follows its highest level. */
function cadence({ fills, often }: Source): 'upper' | 'lower' {
  const isLower = !often && fills.length > 0 && fills.every(({ level }) => 'gd'.includes(level));
  return isLower ? 'lower' : 'upper';
}

/** Sources with one key have the same slots on every day. */
export function slotsKey(source: Source): string {
  const { late = '', settleHours, publishedAt, lookbackDays } = source;
  const published = publishedAt ? `${publishedAt.hour}@${publishedAt.zone}` : '';
  return `${cadence(source)}.${late}.${settleHours}.${published}.${lookbackDays}`;
}

/** When a day that ended is settled with the platform; undefined = with its end. */
function settledAt({ settleHours, publishedAt }: Source, end: Millis): Millis | undefined {
  if (settleHours === null) return undefined;
  if (!publishedAt) return end + settleHours * HOUR_MS;
  const { hour, zone } = publishedAt;
  const day = dayAt(end, zone);
  const sameDay = instantOf(day, hour * 60, zone);
  const published = sameDay >= end ? sameDay : instantOf(addDays(day, 1), hour * 60, zone);
  return published + settleHours * HOUR_MS;
}

/**
 * Days after which a day is read for the last time. What happened at its last minute may be restated until the
 * look-back's last day is over, so that is the morning after.
 */
function restatedUntil({ lookbackDays }: Source): number {
  return lookbackDays + 1;
}

export function slotsOf(source: Source, day: Day, account: SlotAccount, stretch = 1): Slots {
  const rhythm = cadence(source);
  const start = startOfDay(day, account.zone);
  const end = startOfDay(addDays(day, 1), account.zone);
  const every = Math.round(TODAY_EVERY_MS[rhythm] * stretch); // slots are whole: fractions of a sum miss it
  const settled = settledAt(source, end);
  const lastAfter = restatedUntil(source);
  const restatedDays = [
    ...RESTATED_AFTER_DAYS[rhythm].filter((days) => days < lastAfter),
    lastAfter,
  ];
  const restated = restatedDays.map((days) => restatedAt(day, days, account));
  const first = source.late ? (settled ?? -Infinity) : -Infinity;
  return {
    ...(source.late ? {} : { today: { from: start + spread(account.id, every), every, to: end } }),
    ended: [
      ...(source.late ? [] : [end + ENDED_AFTER_MS]),
      ...(settled === undefined ? [] : [settled]),
    ],
    restated: restated.filter((slot) => slot > first),
  };
}

function restatedAt(day: Day, days: number, { id, zone }: SlotAccount): Millis {
  const early = instantOf(addDays(day, days), RESTATED_AT_MINUTES, zone);
  return early + spread(id, RESTATED_SPREAD_MS);
}

/** The last slot of all: what is read then, or later, is final. Costs a tenth of all the slots. */
export function lastSlot(source: Source, day: Day, account: SlotAccount): Millis {
  const end = startOfDay(addDays(day, 1), account.zone);
  return Math.max(restatedAt(day, restatedUntil(source), account), settledAt(source, end) ?? end);
}

/** The first slot after an instant; Infinity when none is left: what was read then is final. */
export function nextSlot(slots: Slots, after: Millis): Millis {
  const later = [nextToday(slots, after), ...slots.ended, ...slots.restated];
  return later.reduce((next, slot) => (slot > after && slot < next ? slot : next), Infinity);
}

/** The first slot of all: from then on the day is wanted. */
export function firstSlot(slots: Slots): Millis {
  return nextSlot(slots, -Infinity);
}

function nextToday({ today }: Slots, after: Millis): Millis {
  if (!today) return Infinity;
  const passed = after < today.from ? 0 : Math.floor((after - today.from) / today.every) + 1;
  const slot = today.from + passed * today.every;
  return slot < today.to ? slot : Infinity;
}

/** A reading of one source and day. */
export interface Reading {
  source: Source;
  day: Day;
  fetchedAt: Millis;
  account: SlotAccount;
}

/** True when a reading came with or after the last slot: the platform no longer changes the day. */
export function isFinalReading(reading: Reading): boolean {
  return isFinalBy(reading, () => lastSlot(reading.source, reading.day, reading.account));
}

/** {@link isFinalReading} for callers that remember the last slots. */
export function isFinalBy(
  { source, day, fetchedAt }: Omit<Reading, 'account'>,
  last: () => Millis,
): boolean {
  // The last slot lies within a zone's offset and a night of the look-back's end: most days need no calendar.
  const about = Date.parse(day) + restatedUntil(source) * DAY_MS;
  if (fetchedAt > about + 3 * DAY_MS) return true;
  if (fetchedAt < about - DAY_MS) return false;
  return fetchedAt >= last();
}
