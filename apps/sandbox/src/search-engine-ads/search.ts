import { type Call, type CallNote, json, type Reply } from '../http/call.ts';
import type { AdsFacts } from '../world/ads-facts.ts';
import type { AdsAccount } from '../world/ads-tree.ts';
import { addMonths } from '../world/days.ts';
import { badResource } from './check-query.ts';
import { invalid, requestIdOf } from './failure.ts';
import { dateRange, parseQuery, type Query } from './gaql.ts';
import { clientRows, placeRows } from './lists.ts';
import type { Operations } from './operations.ts';
import { placeOf, questionOf, tokenOf } from './paging.ts';
import { createRows } from './rows.ts';
import type { SentRow } from './send-rows.ts';

export interface SearchDeps {
  now: () => number;
  accounts: readonly AdsAccount[];
  facts: AdsFacts;
  operations: Operations;
  /** Rows of one page. */
  pageRows: number;
}

const HISTORY_MONTHS = 37;
const KINDS_OF_LISTS = ['customer_client', 'geo_target_constant'];

/** `googleAds:search` and `googleAds:searchStream`; one operation each, whatever its pages. */
export function createSearch({ now, accounts, facts, operations, pageRows }: SearchDeps) {
  const rowsOf = createRows(facts);

  const answer = (query: Query, root: AdsAccount | 'manager', at: number): SentRow[] => {
    if (query.from === 'customer_client') return clientRows(query, root, accounts);
    if (query.from === 'geo_target_constant') return placeRows(query);
    if (root !== 'manager') {
      checkHistory(query, root, at);
      return rowsOf({ account: root, query, at });
    }
    if (query.select.some((field) => field.startsWith('metrics.'))) {
      const text = 'Metrics cannot be requested for a manager account.';
      throw invalid({ queryError: 'REQUESTED_METRICS_FOR_MANAGER' }, text);
    }
    throw badResource(query.from);
  };

  const body = (rows: SentRow[], query: Query, trace: string) => ({
    ...(rows.length > 0 && { results: rows }),
    fieldMask: query.select.map(camelPath).join(','),
    requestId: requestIdOf(trace),
  });

  return (call: Call, note: CallNote, root: AdsAccount | 'manager', isStream: boolean): Reply => {
    const asked = askedOf(call);
    const text = textIn(asked, 'query');
    const pageToken = textIn(asked, 'pageToken');
    const question = questionOf(call, text ?? '');
    const place = placeOf(pageToken, question, now());
    if (place.offset === 0) operations.count();
    const query = parseQuery(text);
    describe(note, query, { root, now: now() });
    if (!isStream && 'pageSize' in asked) {
      const text = 'Setting the page size is not supported.';
      throw invalid({ requestError: 'PAGE_SIZE_NOT_SUPPORTED' }, text);
    }
    const rows = answer(query, root, place.at);
    const trace = `${place.at}/${question}/${place.offset}`;
    const headers = { 'request-id': requestIdOf(trace) };
    if (isStream) {
      const batches = Array.from(
        { length: Math.max(1, Math.ceil(rows.length / pageRows)) },
        (_, i) => body(rows.slice(i * pageRows, (i + 1) * pageRows), query, trace),
      );
      return json(200, batches, headers);
    }
    const end = place.offset + pageRows;
    const page = body(rows.slice(place.offset, end), query, trace);
    const { requestId: _, ...sent } = page;
    const next =
      end < rows.length ? { nextPageToken: tokenOf({ ...place, offset: end }, question) } : {};
    const consumed = { queryResourceConsumption: String(100 + rows.length) };
    return json(200, { ...sent, ...next, ...consumed }, headers);
  };
}

function askedOf(call: Call): Record<string, unknown> {
  try {
    const asked: unknown = JSON.parse(call.body);
    if (typeof asked === 'object' && asked !== null && !Array.isArray(asked)) return { ...asked };
  } catch {
    // The refusal below says it.
  }
  throw invalid({ requestError: 'UNKNOWN' }, 'Invalid JSON payload received.');
}

function textIn(asked: Record<string, unknown>, name: string): string | undefined {
  const value = asked[name];
  if (value === undefined || typeof value === 'string') return value;
  throw invalid({ requestError: 'UNKNOWN' }, `Invalid value at '${name}' (TYPE_STRING).`);
}

/** Since June 2026 days are told for 37 months. */
function checkHistory(query: Query, account: AdsAccount, at: number): void {
  const today = account.zone.dateAt(at);
  const range = dateRange(query, today);
  if (!range || range.start >= addMonths(today, -HISTORY_MONTHS)) return;
  const text = `The date ${range.start} lies before the earliest one that is told.`;
  throw invalid({ dateError: 'EARLIER_THAN_MINIMUM_DATE' }, text);
}

function describe(
  note: CallNote,
  query: Query,
  { root, now }: { root: AdsAccount | 'manager'; now: number },
): void {
  const { select, from } = query;
  const isStatistics = select.some((field) => field.startsWith('metrics.'));
  note.kind = isStatistics && !KINDS_OF_LISTS.includes(from) ? 'insights' : 'tree';
  note.level = from;
  note.breakdowns = select.filter((one) => one.startsWith('segments.') && one !== 'segments.date');
  const range = root === 'manager' ? undefined : dateRange(query, root.zone.dateAt(now));
  note.since = range?.start ?? null;
  note.until = range?.end ?? null;
}

function camelPath(field: string): string {
  return field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
