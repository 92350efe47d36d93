import {
  type Account,
  type AuthorizedLink,
  commitImport,
  type ImportStage,
  type StagedDay,
} from '@tributary/database';
import { CHANNELS, type Day, IMPORT_ERRORS_SHOWN_MAX, type ImportResult } from '@tributary/shared';
import type { Deps } from '../deps.ts';
import { createFaults, type Faults } from './faults.ts';
import { createRowReader } from './read-rows.ts';
import type { SourceRow } from './source-row.ts';

/** Rows of one account and day, which are sealed together. */
const DAY_ROWS_MAX = 200_000;
const BATCH_ROWS = 500;

export interface ImportFile {
  link: AuthorizedLink;
  /** Those that rows may belong to. */
  accounts: readonly Account[];
  rows: AsyncIterable<SourceRow>;
  stage: ImportStage;
  now: number;
  /** @throws ProblemError when the link is no longer there: nothing is stored then */
  checkLink(): Promise<void>;
}

/**
 * Reads a file to its end, putting aside what can be taken, and then commits the days of which every row could be. Until
 * the end nothing is stored: what a cut file lacks may belong to any day.
 *
 * @throws ProblemError for a file that cannot be read
 */
export async function importFile(
  { db }: Pick<Deps, 'db'>,
  file: ImportFile,
): Promise<ImportResult> {
  const faults = createFaults();
  const rows = await stageRows(db, file, faults);
  const staged = await file.stage.finish();
  await findDuplicates(file.stage, staged, faults);
  await file.checkLink();
  const results = new Map<Day, 'stored' | 'unchanged'>();
  for (const account of file.accounts) {
    const days = staged.filter((one) => one.account === account._id && !faults.isRejected(one.day));
    const own = await commitImport(db, file.stage, { account, days, now: file.now });
    for (const [day, result] of own) {
      if (result === 'stored' || !results.has(day)) results.set(day, result);
    }
  }
  return resultOf({ rows, results, faults, staged });
}

async function stageRows(db: Deps['db'], file: ImportFile, faults: Faults): Promise<number> {
  const { link, accounts, stage, now } = file;
  const reader = createRowReader(db, { link, accounts, channel: CHANNELS[link.type], now });
  let count = 0;
  for await (const batch of batches(file.rows)) {
    count += batch.length;
    for (const read of await reader.read(batch)) {
      if ('message' in read) faults.add(read);
      else if (!faults.isRejected(read.day)) {
        const stored = await stage.add(read, read);
        if (stored === DAY_ROWS_MAX + 1) {
          const message = `The day '${read.day}' has more than ${DAY_ROWS_MAX} rows`;
          faults.add({ row: read.number, field: 'date', message, day: read.day });
        }
      }
    }
  }
  return count;
}

async function* batches(rows: AsyncIterable<SourceRow>): AsyncGenerator<SourceRow[]> {
  let batch: SourceRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Two rows of one key are a mistake and never added: nobody knows which of them is right. */
async function findDuplicates(
  stage: ImportStage,
  staged: readonly StagedDay[],
  faults: Faults,
): Promise<void> {
  for (const place of staged.filter(({ day }) => !faults.isRejected(day))) {
    const seen = new Map<string, number>();
    for (const { key, number } of await stage.read(place)) {
      const first = seen.get(key);
      if (first === undefined) seen.set(key, number);
      else faults.add({ row: number, message: `The same row as row ${first}`, day: place.day });
    }
  }
}

function resultOf({
  rows,
  results,
  faults,
  staged,
}: {
  rows: number;
  results: ReadonlyMap<Day, 'stored' | 'unchanged'>;
  faults: Faults;
  staged: readonly StagedDay[];
}): ImportResult {
  const days = new Set([...faults.days, ...staged.map(({ day }) => day)]);
  const rejected = [...days].filter((day) => faults.isRejected(day)).sort();
  const count = (wanted: string) => [...results.values()].filter((one) => one === wanted).length;
  return {
    rows,
    days: {
      stored: count('stored'),
      unchanged: count('unchanged'),
      rejected: rejected.length,
    },
    rejectedDays: rejected.slice(0, IMPORT_ERRORS_SHOWN_MAX),
    errorCount: faults.count(),
    errors: faults.shown(),
  };
}
