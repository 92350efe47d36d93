import { RetryableError } from '@tributary/runtime';
import { FIRST_FIGURE, type Observed } from '@tributary/shared';
import type { CollectRequest } from '../connector.ts';
import { byDay, mergeRows, type NormalizedRow } from '../rows.ts';
import type { Question, SearchClient } from './client.ts';
import { normalizeRow, type Scope } from './normalize.ts';
import type { createPlaces } from './places.ts';
import { statisticsQuery } from './queries.ts';
import { ProviderRowSchema } from './schema.ts';

/** Position of the value in a row. */
const VALUE = 3;

interface Collecting {
  login: string | undefined;
  places: ReturnType<typeof createPlaces>;
}

/** The rows of one source over the window; see {@link Connector.collect}. */
export async function* collectSearch(
  client: SearchClient,
  request: CollectRequest,
  { login, places }: Collecting,
): AsyncGenerator<Observed[]> {
  const { source, account, from, to } = request;
  const fill = source.fills[0];
  if (!fill) throw new TypeError(`The source '${source.id}' fills nothing`);
  const scope: Scope = { account: account.id, from, to, fill };
  const place: Omit<Question, 'query'> = { account: account.id, login };
  const question = { ...place, query: statisticsQuery(fill, from, to) };
  const keys = new Set<string>();
  const merger = createMerger();
  for await (const page of client.pages(question, ProviderRowSchema)) {
    const rows = page.map((row) => normalizeRow(row, scope));
    for (const { key } of rows) {
      if (keys.has(key)) throw duplicateRow(key);
      keys.add(key);
    }
    if (fill.part === 'region') await namePlaces(rows, (ids) => places(client, place, ids));
    const ready = byDay(merger.add(rows), fill.from);
    if (ready.length > 0) yield ready;
  }
  const rest = byDay(merger.rest(), fill.from);
  if (rest.length > 0) yield rest;
}

async function namePlaces(
  rows: readonly NormalizedRow[],
  names: (ids: string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<void> {
  const ids = rows.map(({ row }) => row[VALUE]).filter((id) => id !== 'unknown');
  const known = await names(ids);
  for (const { row } of rows) row[VALUE] = known.get(row[VALUE]) ?? row[VALUE];
}

type DayRow = Omit<NormalizedRow, 'key'>;

/**
 * Adds up rows that share day, ids and word: two match types of one keyword, targeted and untargeted visits of one
 * region. They stand beside each other in an answer, so only the last row of a page waits for the next one; what comes
 * later all the same becomes a row of its own, which sealing adds.
 */
function createMerger() {
  let held = new Map<string, DayRow>();
  return {
    add(rows: readonly NormalizedRow[]): DayRow[] {
      const merged = held;
      let last = '';
      for (const { day, row } of rows) {
        if (row.slice(FIRST_FIGURE).every((figure) => !figure)) continue;
        last = JSON.stringify([day, ...row.slice(0, FIRST_FIGURE)]);
        const earlier = merged.get(last);
        merged.set(last, { day, row: earlier ? mergeRows(earlier.row, row) : row });
      }
      const waiting = merged.get(last);
      if (!waiting) return [];
      merged.delete(last);
      held = new Map([[last, waiting]]);
      return [...merged.values()];
    },
    rest: () => [...held.values()],
  };
}

function duplicateRow(key: string): RetryableError {
  return new RetryableError('duplicate_row', `The row '${key}' came twice: nothing of it is used`);
}
