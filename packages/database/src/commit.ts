import {
  type Cell,
  type Day,
  eachDay,
  type Millis,
  monthOf,
  type Observed,
} from '@tributary/shared';
import {
  type CellChange,
  type CellsTarget,
  moveCells,
  readCoverage,
  touchCells,
} from './coverage.ts';
import type { Database } from './database.ts';
import { createChunkWriter, deleteRun } from './observations.ts';

/** Digest of a day for which the platform sent no rows. */
const NO_ROWS = { chunks: 0, digest: '0-0' } as const;

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
  nextSeq(): number;
}

/** What one day's commit came to. */
export type DayOutcome = 'new' | 'changed' | 'unchanged';

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
  stored: ReadonlyMap<Day, { chunks: number; digest: string }>,
): Promise<Map<Day, DayOutcome>> {
  const { cells } = await readCoverage(db, target.account, target.from, target.to);
  const outcomes = new Map<Day, DayOutcome>();
  const moved: CellChange[] = [];
  const unchanged: (CellChange & { seenRun: number })[] = [];
  for (const day of eachDay(target.from, target.to)) {
    const { chunks, digest } = stored.get(day) ?? NO_ROWS;
    const cell = cells.get(day)?.get(target.source);
    const fresh = changeOf(target, { day, base: target.run, chunks, digest });
    if (isUnchanged(cell, digest)) {
      unchanged.push({
        ...changeOf(target, { day, base: cell.base, chunks, digest }),
        seenRun: cell.run,
      });
      outcomes.set(day, 'unchanged');
    } else {
      moved.push(fresh);
      outcomes.set(day, cell?.base === undefined ? 'new' : 'changed');
    }
  }
  await moveCells(db, orderOf(target), moved);
  await commitUnchanged(db, target, unchanged);
  return outcomes;
}

/**
 * Unchanged days keep the older chunks and lose their own, but only while the cells still stand where they were
 * compared; a cell that somebody moved in between is committed like a changed one.
 */
async function commitUnchanged(
  db: Database,
  target: CollectTarget,
  unchanged: readonly (CellChange & { seenRun: number })[],
): Promise<void> {
  if (unchanged.length === 0) return;
  if (await touchCells(db, orderOf(target), unchanged)) {
    // A repetition within one run finds its own chunks: the cell points to those.
    const doubled = unchanged.filter(({ kept }) => kept?.base !== target.run);
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
  await moveCells(db, orderOf(target), own);
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

function changeOf(
  { source, fetchedAt }: CollectTarget,
  { day, ...kept }: { day: Day; base: number; chunks: number; digest: string },
): CellChange {
  return { day, source, kept: { ...kept, fetchedAt }, work: { state: 'ok', triedAt: fetchedAt } };
}
