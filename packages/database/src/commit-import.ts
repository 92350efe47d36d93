import {
  addDays,
  CHANNELS,
  type Channel,
  type Day,
  type Millis,
  monthOf,
  type SetId,
  type Source,
} from '@tributary/shared';
import { type Account, markImported } from './accounts.ts';
import { createCollection, type DayOutcome } from './commit.ts';
import type { Database } from './database.ts';
import type { ImportStage, StagedDay, StagedRow } from './import-stage.ts';
import type { AnyRow } from './observations.ts';
import { takeRun } from './turns.ts';

/** Rows of days that are committed together, unless a single day has more: bounds memory. */
const WINDOW_ROWS_MAX = 50_000;

export interface ImportTarget {
  account: Account;
  /** Of this account, ascending, all of them to be taken. */
  days: readonly StagedDay[];
  now: Millis;
}

/**
 * Commits the days of a file as a turn commits what it collected: under a run of the account's own counter, rows before
 * cells. A worker seals them; until it runs they are stored and not served.
 *
 * @returns what each day came to: `unchanged` when all of it was there already
 */
export async function commitImport(
  db: Database,
  stage: ImportStage,
  { account, days, now }: ImportTarget,
): Promise<Map<Day, 'stored' | 'unchanged'>> {
  const results = new Map<Day, 'stored' | 'unchanged'>();
  if (days.length === 0) return results;
  const run = await takeRun(db, account._id);
  if (run === undefined) return results;
  let seq = 0;
  const nextSeq = () => {
    seq += 1;
    return seq;
  };
  for (const window of windowsOf(days)) {
    const rows = new Map<Day, StagedRow[]>();
    for (const day of window) rows.set(day.day, await stage.read(day));
    for (const piece of piecesOf(CHANNELS[account.channel], rows)) {
      const outcomes = await commitPiece(db, piece, {
        account: account._id,
        tenant: account.tenant,
        run,
        nextSeq,
        fetchedAt: now,
      });
      for (const [day, outcome] of outcomes) {
        if (outcome !== 'unchanged' || !results.has(day)) results.set(day, resultOf(outcome));
      }
    }
  }
  await markImported(db, account._id, now);
  return results;
}

function resultOf(outcome: DayOutcome): 'stored' | 'unchanged' {
  return outcome === 'unchanged' ? 'unchanged' : 'stored';
}

/** Contiguous days of one month with at most so many rows. */
function windowsOf(days: readonly StagedDay[]): StagedDay[][] {
  const windows: StagedDay[][] = [];
  let rows = 0;
  for (const day of days) {
    const window = windows.at(-1);
    const last = window?.at(-1)?.day;
    rows += day.rows;
    if (window && last && follows(last, day.day) && rows <= WINDOW_ROWS_MAX) window.push(day);
    else {
      windows.push([day]);
      rows = day.rows;
    }
  }
  return windows;
}

function follows(last: Day, day: Day): boolean {
  return addDays(last, 1) === day && monthOf(last) === monthOf(day);
}

interface SetRows {
  set: SetId;
  rows: AnyRow[];
}

/** One source over contiguous days that have rows of it. */
interface Piece {
  source: Source;
  days: [Day, SetRows][];
}

/** Only what a file has of a day is replaced: a list that it does not mention stays as it was. */
function piecesOf({ sources }: Channel, rows: ReadonlyMap<Day, readonly StagedRow[]>): Piece[] {
  const pieces: Piece[] = [];
  for (const source of sources.filter(({ feed }) => feed)) {
    const set: SetId = source.fills[0]?.from ?? 'blog';
    for (const [day, ofDay] of rows) {
      const own = ofDay.filter((one) => one.set === set).map(({ row }) => row);
      if (own.length === 0) continue;
      const last = pieces.at(-1);
      const [lastDay] = last?.days.at(-1) ?? [];
      const isNext = last?.source === source && lastDay !== undefined && follows(lastDay, day);
      if (isNext) last.days.push([day, { set, rows: own }]);
      else pieces.push({ source, days: [[day, { set, rows: own }]] });
    }
  }
  return pieces;
}

async function commitPiece(
  db: Database,
  { source, days }: Piece,
  target: Omit<Parameters<typeof createCollection>[1], 'source' | 'from' | 'to'>,
): Promise<Map<Day, DayOutcome>> {
  const [from, to] = [days[0]?.[0] ?? '', days.at(-1)?.[0] ?? ''];
  const window = { source: source.id, from, to, believed: true as const };
  const collection = createCollection(db, { ...target, ...window });
  for (const [day, observed] of days) await collection.add([{ day, ...observed }]);
  return await collection.commit();
}
