import {
  type Cell,
  type Day,
  lostBits,
  packFilled,
  SUSPECT_RETRY_MS,
  type Suspicion,
} from '@tributary/shared';
import type { CollectTarget } from './commit.ts';
import type { CellChange } from './coverage.ts';
import type { StoredDay } from './observations.ts';
import type { NewReading } from './revisions.ts';

/** A day that an answer left out is asked for again after this. */
const NOT_GIVEN_RETRY_MS = 6 * 60 * 60_000;

type ChangeTarget = Pick<CollectTarget, 'source' | 'fetchedAt'>;
type CellContent = Pick<Cell, 'filled' | 'lost' | 'revised'>;

/** What the rows fill and lack, and what the cell remembers of its former rows. */
export function contentOf(
  reading: Pick<NewReading, 'source'> | undefined,
  { filled }: StoredDay,
  cell: Cell | undefined,
): CellContent {
  const revised = cell?.revised ?? [];
  if (!reading || reading.source.fills.length === 0) return { revised };
  const packed = packFilled(reading.source, filled);
  return { filled: packed, lost: lostBits(cell, packed), revised };
}

/** Rows that are stored: this run's, or (`base` older) those that were found unchanged. */
export function storedChange(
  { source, fetchedAt }: ChangeTarget,
  day: Day,
  { answer, content, base }: { answer: StoredDay; content: CellContent; base: number },
): CellChange {
  const { chunks, digest, spend } = answer;
  const kept = {
    base,
    fetchedAt,
    digest,
    chunks,
    ...(spend !== undefined && { spend }),
    ...content,
  };
  return { day, source, kept, work: { state: 'ok', triedAt: fetchedAt } };
}

/** The platform tells every day and left this one out. */
export function notGivenChange({ source, fetchedAt }: ChangeTarget, day: Day): CellChange {
  return {
    day,
    source,
    work: {
      state: 'failed',
      triedAt: fetchedAt,
      retryAt: fetchedAt + NOT_GIVEN_RETRY_MS,
      code: 'day_not_given',
      detail: 'The answer leaves this day out; it is asked for again',
    },
  };
}

/** The cell keeps what it holds and asks again: see {@link suspect}. */
export function suspectedChange(
  { source, fetchedAt }: ChangeTarget,
  day: Day,
  { answer, suspicion }: { answer: StoredDay; suspicion: Suspicion },
): CellChange {
  const detail = `The platform answered with ${answer.rows} rows, far less than it had given for this day before`;
  return {
    day,
    source,
    work: {
      state: 'suspect',
      triedAt: fetchedAt,
      retryAt: fetchedAt + SUSPECT_RETRY_MS,
      code: 'suspicious_answer',
      detail,
      suspicion,
    },
  };
}
