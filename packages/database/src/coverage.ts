import {
  type Cell,
  type Day,
  eachMonth,
  type Millis,
  monthOf,
  type Replacement,
  type Report,
  SEAL_VERSION,
  type SealedDays,
  type SealedMark,
  type SealedPart,
  type Suspicion,
} from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Database, READ } from './database.ts';
import { retryDuplicate } from './duplicate-key.ts';
import { readFigures, type StoredFigures, storeFigures } from './stat-days.ts';

/** What is kept of a source and day. Compared field by field, so the run decides: an older one never wins. */
interface KeptDoc {
  /** run that looked last */
  r: number;
  /** run whose chunks hold the rows */
  b: number;
  /** fetched at */
  t: Millis;
  /** digest */
  g: string;
  /** number of chunks */
  n: number;
  /** spend of the totals, micros */
  m?: number;
  /** what the rows fill */
  f?: number;
  /** what earlier rows filled and these do not */
  l?: number;
  /** commits that changed settled totals */
  v?: readonly Replacement[];
}

/** How the newest attempt went; `u` orders the attempts of one turn. */
interface WorkDoc {
  r: number;
  u: number;
  t: Millis;
  s: Cell['state'];
  a?: number;
  q?: Millis;
  e?: string;
  m?: string;
  x?: Suspicion;
  p?: Report;
}

interface CellDoc {
  o?: KeptDoc;
  w?: WorkDoc;
}

/**
 * Compared field by field: the version of the sealing, how far the readings were that it was sealed from, and whether it
 * is done (1) or under way (0).
 */
interface MarkDoc {
  v: number;
  r: number;
  s: 0 | 1;
  tag: string;
  over?: SealedMark['over'];
  sums?: StoredFigures;
}

type DayDoc = Record<string, CellDoc> & {
  sealed?: Partial<Record<SealedPart, MarkDoc>>;
};

/** `<link>.<account>.<yyyy-mm>` */
export interface CoverageDoc {
  _id: string;
  tenant: string;
  d: Record<string, DayDoc>;
}

/** What is stored of an account over some days. */
export interface Coverage {
  cells: Map<Day, Map<string, Cell>>;
  sealed: SealedDays;
}

export function coverage({ db }: Database): Collection<CoverageDoc> {
  return db.collection<CoverageDoc>('coverage');
}

/** The cells and seals of an account over an inclusive range. */
export async function readCoverage(
  db: Database,
  account: string,
  from: Day,
  to: Day,
): Promise<Coverage> {
  const months = await coverage(db)
    .find({ _id: { $gte: `${account}.${monthOf(from)}`, $lte: `${account}.${monthOf(to)}` } }, READ)
    .sort({ _id: 1 })
    .batchSize(eachMonth(from, to).length + 1)
    .toArray();
  const cells: Coverage['cells'] = new Map();
  const sealed = new Map<Day, Partial<Record<SealedPart, SealedMark>>>();
  for (const month of months) {
    for (const [dayOfMonth, stored] of Object.entries(month.d).sort(([a], [b]) =>
      a < b ? -1 : 1,
    )) {
      const day = `${month._id.slice(-7)}-${dayOfMonth}`;
      if (day < from || day > to) continue;
      const { sealed: marks, ...sources } = stored;
      cells.set(day, cellsOf(sources));
      if (marks) sealed.set(day, marksOf(marks));
    }
  }
  return { cells, sealed };
}

function cellsOf(sources: Record<string, CellDoc>): Map<string, Cell> {
  return new Map(
    Object.entries(sources).map(([source, { o, w }]) => [
      source,
      {
        state: w?.s ?? 'ok',
        triedAt: w?.t ?? o?.t ?? 0,
        ...(o && { run: o.r, base: o.b, fetchedAt: o.t, digest: o.g, chunks: o.n }),
        ...(o?.m !== undefined && { spend: o.m }),
        ...(o?.f !== undefined && { filled: o.f }),
        ...(o?.l !== undefined && { lost: o.l }),
        ...(o?.v && { revised: o.v }),
        ...(w?.a !== undefined && { tries: w.a }),
        ...(w?.q !== undefined && { retryAt: w.q }),
        ...(w?.e !== undefined && { code: w.e }),
        ...(w?.m !== undefined && { detail: w.m }),
        ...(w?.x && { suspicion: w.x }),
        ...(w?.p && { report: w.p }),
      },
    ]),
  );
}

function marksOf(marks: Partial<Record<SealedPart, MarkDoc>>) {
  return Object.fromEntries(
    Object.entries(marks).map(([part, { r, s, tag, over, sums }]) => [
      part,
      {
        run: r,
        tag,
        ...(s === 0 && { isUnderWay: true as const }),
        ...(over && { over }),
        ...(sums && { sums: readFigures(sums) }),
      },
    ]),
  );
}

/** The order of one write among all of an account: the turn's run, and a count within the turn. */
export interface WorkOrder {
  run: number;
  seq: number;
}

/** What a turn found out about one source and day. */
export interface CellChange {
  day: Day;
  source: string;
  /** New rows are stored under this turn's run, or (`base` older) were found unchanged. */
  kept?: Required<Pick<Cell, 'base' | 'fetchedAt' | 'digest' | 'chunks'>> &
    Pick<Cell, 'spend' | 'filled' | 'lost' | 'revised'>;
  work: Pick<
    Cell,
    'state' | 'triedAt' | 'tries' | 'retryAt' | 'code' | 'detail' | 'suspicion' | 'report'
  >;
}

function workDoc({ run, seq }: WorkOrder, { work }: CellChange): WorkDoc {
  return {
    r: run,
    u: seq,
    t: work.triedAt,
    s: work.state,
    ...(work.tries !== undefined && { a: work.tries }),
    ...(work.retryAt !== undefined && { q: work.retryAt }),
    ...(work.code !== undefined && { e: work.code }),
    ...(work.detail !== undefined && { m: work.detail }),
    ...(work.suspicion && { x: work.suspicion }),
    ...(work.report && { p: work.report }),
  };
}

function keptDoc({ run }: WorkOrder, kept: NonNullable<CellChange['kept']>): KeptDoc {
  const { base, fetchedAt, digest, chunks, spend, filled, lost, revised } = kept;
  return {
    r: run,
    b: base,
    t: fetchedAt,
    g: digest,
    n: chunks,
    ...(spend !== undefined && { m: spend }),
    ...(filled !== undefined && { f: filled }),
    ...(lost !== undefined && lost !== 0 && { l: lost }),
    ...(revised && revised.length > 0 && { v: revised }),
  };
}

export interface CellsTarget extends WorkOrder {
  account: string;
  tenant: string;
}

/**
 * Moves cells of one month to this turn's findings: the commit point. Field-level `$max` compares runs first, so
 * whatever the order of arrival the newest run stays.
 */
export async function moveCells(
  db: Database,
  target: CellsTarget,
  changes: readonly CellChange[],
): Promise<void> {
  const [first] = changes;
  if (!first) return;
  await upsertMonth(db, target, monthOf(first.day), maxOf(target, changes));
}

function maxOf(order: WorkOrder, changes: readonly CellChange[]): Record<string, unknown> {
  const max: Record<string, unknown> = {};
  for (const change of changes) {
    const path = `d.${change.day.slice(8)}.${change.source}`;
    max[`${path}.w`] = workDoc(order, change);
    if (change.kept) max[`${path}.o`] = keptDoc(order, change.kept);
  }
  return max;
}

/**
 * Moves cells whose answer was unchanged: they keep pointing at the older run's chunks. Succeeds only while every cell
 * still stands as it was compared (`seenRun`); false = somebody moved one, and the own chunks have to be kept.
 */
export async function touchCells(
  db: Database,
  target: CellsTarget,
  changes: readonly (CellChange & { seenRun: number })[],
): Promise<boolean> {
  const [first] = changes;
  if (!first) return true;
  const unmoved = Object.fromEntries(
    changes.map(({ day, source, seenRun }) => [`d.${day.slice(8)}.${source}.o.r`, seenRun]),
  );
  const { matchedCount } = await coverage(db).updateOne(
    { _id: `${target.account}.${monthOf(first.day)}`, ...unmoved },
    { $max: maxOf(target, changes) },
  );
  return matchedCount === 1;
}

/**
 * Stores what was sealed. The readings order the marks and not the turn that made them: of two turns at once the older
 * may be the one that saw the newer cells.
 */
export async function markSealed(
  db: Database,
  target: Pick<CellsTarget, 'account' | 'tenant'>,
  marks: readonly { day: Day; part: SealedPart; mark: SealedMark }[],
): Promise<void> {
  for (const month of new Set(marks.map(({ day }) => monthOf(day)))) {
    const ofMonth = marks.filter(({ day }) => monthOf(day) === month);
    const max = Object.fromEntries(
      ofMonth.map(({ day, part, mark: { run, isUnderWay, sums, ...rest } }) => [
        `d.${day.slice(8)}.sealed.${part}`,
        {
          v: SEAL_VERSION,
          r: run,
          s: isUnderWay ? 0 : 1,
          ...rest,
          ...(sums && { sums: storeFigures(sums) }),
        } satisfies MarkDoc,
      ]),
    );
    await upsertMonth(db, target, month, max);
  }
}

async function upsertMonth(
  db: Database,
  { account, tenant }: Pick<CellsTarget, 'account' | 'tenant'>,
  month: string,
  max: Record<string, unknown>,
): Promise<void> {
  await retryDuplicate(() =>
    coverage(db).updateOne(
      { _id: `${account}.${month}` },
      { $max: max, $setOnInsert: { tenant } },
      { upsert: true },
    ),
  );
}
