import {
  type AnswerSize,
  type Cell,
  CHANNELS,
  type Day,
  eachDay,
  findSource,
  type Millis,
  monthOf,
  type Observed,
  suspect,
} from '@tributary/shared';
import { findAccount } from './accounts.ts';
import { contentOf, notGivenChange, storedChange, suspectedChange } from './cell-changes.ts';
import {
  type CellChange,
  type CellsTarget,
  moveCells,
  readCoverage,
  touchCells,
} from './coverage.ts';
import type { Database } from './database.ts';
import { createChunkWriter, deleteRun, rowsOf, type StoredDay } from './observations.ts';
import { type NewReading, reviseDays } from './revisions.ts';

/** Digest of a day for which the platform sent no rows. */
const NO_ROWS: StoredDay = { chunks: 0, digest: '0-0', rows: 0, spend: 0, filled: {} };

export interface CollectTarget {
  /** `<link>.<account>` */
  account: string;
  tenant: string;
  source: string;
  from: Day;
  to: Day;
  run: number;
  /** When the collecting began: what the platform changes later is read at the next slot. */
  fetchedAt: Millis;
  /** A day without rows is not known yet; see `everyDay` of a source. */
  everyDay?: boolean;
  /** The answer is stored whatever it holds: rows that a person handed over are not judged. */
  believed?: true;
  nextSeq(): number;
}

/** A day whose answer is as stored, with the run that its cell was compared at. */
type UnchangedDay = CellChange & { seenRun: number };

/** What one day's commit came to. */
export type DayOutcome = 'new' | 'changed' | 'unchanged' | 'suspect' | 'not given';

/** One source over one window, on its way in. Nothing is visible before `commit`. */
export interface Collection {
  add(observed: readonly Observed[]): Promise<void>;
  /** Stores the rest and moves the cells to this run in one write per month: the commit point. */
  commit(): Promise<Map<Day, DayOutcome>>;
}

/**
 * Collects one window of one source inside one month. Rows are stored under this turn's run as they come; the cells are
 * moved at the end. A crash before that leaves chunks that nothing points to, a repetition writes the same again.
 *
 * @throws RangeError for a window over more than one month, which no single write could commit
 */
export function createCollection(db: Database, target: CollectTarget): Collection {
  if (monthOf(target.from) !== monthOf(target.to)) {
    throw new RangeError(
      `The window ${target.from}..${target.to} of ${target.source} spans more than one month`,
    );
  }
  const writer = createChunkWriter(db, target);
  return {
    async add(observed) {
      for (const piece of observed) {
        if (piece.day < target.from || piece.day > target.to) {
          throw new RangeError(
            `Day '${piece.day}' of ${target.source} lies outside ${target.from}..${target.to}`,
          );
        }
        await writer.add(piece);
      }
    },
    async commit() {
      const stored = await writer.finish();
      return await commitDays(db, target, stored);
    },
  };
}

async function commitDays(
  db: Database,
  target: CollectTarget,
  stored: ReadonlyMap<Day, StoredDay>,
): Promise<Map<Day, DayOutcome>> {
  const { cells } = await readCoverage(db, target.account, target.from, target.to);
  const reading = await readingOf(db, target);
  const outcomes = new Map<Day, DayOutcome>();
  const moved: CellChange[] = [];
  const unchanged: UnchangedDay[] = [];
  const unmoved: CellChange[] = [];
  for (const day of eachDay(target.from, target.to)) {
    const answer = stored.get(day) ?? NO_ROWS;
    if (answer.rows === 0 && target.everyDay) {
      unmoved.push(notGivenChange(target, day));
      outcomes.set(day, 'not given');
      continue;
    }
    const cell = cells.get(day)?.get(target.source);
    const suspicion = target.believed
      ? undefined
      : suspect({ ...answer, at: target.fetchedAt }, sizeOf(cell), cell?.suspicion);
    if (isUnchanged(cell, answer.digest)) {
      unchanged.push({
        ...storedChange(target, day, {
          answer,
          content: contentOf(reading, answer, cell),
          base: cell.base,
        }),
        seenRun: cell.run,
      });
      outcomes.set(day, 'unchanged');
    } else if (suspicion) {
      unmoved.push(suspectedChange(target, day, { answer, suspicion }));
      outcomes.set(day, 'suspect');
    } else {
      const content = contentOf(reading, answer, cell);
      moved.push(storedChange(target, day, { answer, content, base: target.run }));
      outcomes.set(day, cell?.base === undefined ? 'new' : 'changed');
    }
  }
  const revised = reading ? await reviseDays(db, reading, moved, cells) : moved;
  await moveCells(db, orderOf(target), [...revised, ...unmoved]);
  await deleteRun(
    db,
    target,
    unmoved
      .map(({ day }) => day)
      .filter((day) => !isOwn(cells.get(day)?.get(target.source), target)),
  );
  await commitUnchanged(db, target, { unchanged, reading });
  return outcomes;
}

/** What judging a reading needs beside its rows; undefined when the account or the source is gone. */
async function readingOf(db: Database, target: CollectTarget): Promise<NewReading | undefined> {
  const account = await findAccount(db, target.account);
  const source = account && findSource(CHANNELS[account.channel], target.source);
  const { run, fetchedAt } = target;
  return account && source && { account, source, run, fetchedAt };
}

/** True when a cell points to this run's chunks: a repetition within one run finds its own. */
function isOwn(cell: Pick<Cell, 'base'> | undefined, { run }: CollectTarget): boolean {
  return cell?.base === run;
}

/** What is stored of a cell now; undefined when nothing is. */
function sizeOf(cell: Cell | undefined): AnswerSize | undefined {
  return cell?.digest === undefined ? undefined : { rows: rowsOf(cell.digest), spend: cell.spend };
}

/**
 * Unchanged days keep the older chunks and lose their own, but only while the cells still stand where they were
 * compared; a cell that somebody moved in between is committed like a changed one.
 */
async function commitUnchanged(
  db: Database,
  target: CollectTarget,
  { unchanged, reading }: { unchanged: readonly UnchangedDay[]; reading: NewReading | undefined },
): Promise<void> {
  if (unchanged.length === 0) return;
  if (await touchCells(db, orderOf(target), unchanged)) {
    const doubled = unchanged.filter(({ kept }) => !isOwn(kept, target));
    await deleteRun(
      db,
      target,
      doubled.map(({ day }) => day),
    );
    return;
  }
  const own = unchanged.map(({ seenRun: _, ...change }) => ({
    ...change,
    ...(change.kept && { kept: { ...change.kept, base: target.run } }),
  }));
  const { cells } = await readCoverage(db, target.account, target.from, target.to);
  await moveCells(db, orderOf(target), reading ? await reviseDays(db, reading, own, cells) : own);
}

function orderOf({ account, tenant, run, nextSeq }: CollectTarget): CellsTarget {
  return { account, tenant, run, seq: nextSeq() };
}

function isUnchanged(
  cell: Cell | undefined,
  digest: string,
): cell is Cell & { base: number; run: number } {
  return cell?.base !== undefined && cell.run !== undefined && cell.digest === digest;
}
