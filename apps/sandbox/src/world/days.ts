import { Lru } from './lru.ts';

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The calendar date `days` after `date`; both "YYYY-MM-DD". */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The date of the same day number `months` later, or the last day of that month where there is none. */
export function addMonths(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  const first = new Date(Date.UTC(year, month - 1 + months, 1));
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  first.setUTCDate(Math.min(day, last));
  return first.toISOString().slice(0, 10);
}

/** Whole days from `start` to `end`; 0 when they are equal. */
export function daysBetween(start: string, end: string): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS);
}

/** All dates from `start` to `end`, both included; none when `end` comes first. */
export function datesOf(start: string, end: string): string[] {
  return Array.from({ length: Math.max(0, daysBetween(start, end) + 1) }, (_, i) =>
    addDays(start, i),
  );
}

/** 0 = Sunday … 6 = Saturday. */
export function weekdayOf(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay();
}

/** True for a real calendar date of the form YYYY-MM-DD. */
export function isDate(text: string): boolean {
  if (!/^[12]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const parsed = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
}

/** What one local day looks like on the world's clock. */
export interface LocalDay {
  /** Epoch milliseconds of local midnight. */
  startMs: number;
  /** The local hour of each of its 23 to 25 real hours: `[0, 1, …, 23]` but for the two changes of the clocks. */
  hours: number[];
}

/** The calendar of one IANA time zone. */
export interface Zone {
  name: string;
  dateAt(ms: number): string;
  day(date: string): LocalDay;
}

/** Makes the calendar of a zone; the zones of the sandbox differ from UTC by whole hours. */
export function createZone(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  });
  const cache = new Lru<LocalDay>(3_000);
  const local = (ms: number): { date: string; hour: number } => {
    const parts = Object.fromEntries(format.formatToParts(ms).map((p) => [p.type, p.value]));
    return { date: `${parts.year}-${parts.month}-${parts.day}`, hour: Number(parts.hour) };
  };
  const compute = (date: string): LocalDay => {
    const middle = Date.parse(`${date}T00:00:00Z`);
    const hours: number[] = [];
    let startMs = middle;
    for (let ms = middle - 14 * HOUR_MS; ms <= middle + 38 * HOUR_MS; ms += HOUR_MS) {
      const at = local(ms);
      if (at.date !== date) continue;
      if (hours.length === 0) startMs = ms;
      hours.push(at.hour);
    }
    return { startMs, hours };
  };
  return {
    name,
    dateAt: (ms) => local(ms).date,
    day: (date) => {
      const known = cache.get(date) ?? compute(date);
      cache.set(date, known);
      return known;
    },
  };
}
