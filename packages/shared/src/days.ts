import { IANAZone } from 'luxon';
import type { Day, Millis } from './account.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** True for a real calendar date written `YYYY-MM-DD`, years 1000 to 9999. */
export function isDay(text: string): text is Day {
  if (!/^[1-9]\d{3}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
}

/** Days since 1970-01-01; the arithmetic of calendar dates knows no zone. */
function dayNumber(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MS;
}

export function addDays(day: Day, count: number): Day {
  return new Date((dayNumber(day) + count) * DAY_MS).toISOString().slice(0, 10);
}

/** `to - from` in days; negative when `to` comes first. */
export function daysBetween(from: Day, to: Day): number {
  return dayNumber(to) - dayNumber(from);
}

/** Every day of an inclusive range, ascending; empty when `to` comes first. */
export function eachDay(from: Day, to: Day): Day[] {
  return Array.from({ length: Math.max(0, daysBetween(from, to) + 1) }, (_, index) =>
    addDays(from, index),
  );
}

/** `YYYY-MM` */
export function monthOf(day: Day): string {
  return day.slice(0, 7);
}

/** The months that a range touches, ascending. */
export function eachMonth(from: Day, to: Day): string[] {
  const months: string[] = [];
  for (let day = `${monthOf(from)}-01`; day <= to; day = `${monthOf(addDays(day, 31))}-01`) {
    months.push(monthOf(day));
  }
  return months;
}

/** True when the runtime knows the zone's rules (`Asia/Seoul`). */
export function isZone(zone: string): boolean {
  return IANAZone.isValidZone(zone);
}

/** The calendar day it is at an instant in a zone. */
export function dayAt(instant: Millis, zone: string): Day {
  return new Date(instant + offsetMs(instant, zone)).toISOString().slice(0, 10);
}

/**
 * The instant of a wall-clock time. A time that the clocks skip answers the first instant after the gap, one that they
 * show twice the first of the two: each local time exists once per date.
 */
export function instantOf(day: Day, minutes: number, zone: string): Millis {
  const wall = dayNumber(day) * DAY_MS + minutes * MINUTE_MS;
  const before = wall - offsetMs(wall - DAY_MS, zone);
  const after = wall - offsetMs(wall + DAY_MS, zone);
  if (before === after) return before; // no clock is changed twice within two days
  const shown = [before, after].filter((instant) => instant + offsetMs(instant, zone) === wall);
  return shown.length > 0 ? Math.min(...shown) : endOfGap(wall, zone);
}

/** The first instant of a day in a zone. */
export function startOfDay(day: Day, zone: string): Millis {
  return instantOf(day, 0, zone);
}

/** True when an instant comes before the end of a day. */
export function isBeforeEnd(instant: Millis, day: Day, zone: string): boolean {
  // No zone is further from UTC than a day: most instants need no calendar.
  if (instant >= (dayNumber(day) + 2) * DAY_MS) return false;
  return instant < startOfDay(addDays(day, 1), zone);
}

/** The first instant at which the wall clock shows `wall` or later, found between a day before and a day after. */
function endOfGap(wall: Millis, zone: string): Millis {
  let early = wall - DAY_MS;
  let late = wall + DAY_MS;
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (middle + offsetMs(middle, zone) >= wall) late = middle;
    else early = middle;
  }
  return late;
}

function offsetMs(instant: Millis, zone: string): number {
  return IANAZone.create(zone).offset(instant) * MINUTE_MS;
}
