import { type Day, IMPORT_ERRORS_SHOWN_MAX, type ImportResult } from '@tributary/shared';
import { invalidFile } from './source-row.ts';

const FAULTS_MAX = 100_000;

/** A row that cannot be taken; without a day that can be read it may belong to any. */
export interface Fault {
  row: number;
  field?: string | undefined;
  message: string;
  day: Day | undefined;
}

/** What is wrong with a file: every fault is counted, the first ones are kept in words. */
export interface Faults {
  /** @throws ProblemError `invalid_request` when there are so many that it is another kind of file */
  add(fault: Fault): void;
  isRejected(day: Day): boolean;
  /** Days of faulty rows. */
  days: ReadonlySet<Day>;
  count(): number;
  /** In the order of the rows. */
  shown(): ImportResult['errors'];
}

export function createFaults(): Faults {
  const days = new Set<Day>();
  const errors: ImportResult['errors'] = [];
  let count = 0;
  let isEveryDayRejected = false;
  return {
    add({ row, field, message, day }) {
      count += 1;
      if (count > FAULTS_MAX) {
        throw invalidFile(`More than ${FAULTS_MAX} rows cannot be taken: ${message} (row ${row})`);
      }
      if (day === undefined) isEveryDayRejected = true;
      else days.add(day);
      if (errors.length < IMPORT_ERRORS_SHOWN_MAX) {
        errors.push({ row, ...(field !== undefined && field !== '' && { field }), message });
      }
    },
    isRejected: (day) => isEveryDayRejected || days.has(day),
    days,
    count: () => count,
    shown: () => errors.toSorted((a, b) => a.row - b.row),
  };
}
