import { RetryableError } from '@tributary/runtime';
import type { Level, ObservationRow, Observed, Source } from '@tributary/shared';
import type { CollectRequest } from '../connector.ts';
import type { Portal1DaClient } from './client.ts';
import { normalizePerformance, type PerformanceScope } from './normalize.ts';
import {
  type Portal1DaCredentials,
  type Portal1DaSettings,
  type ProviderPerformance,
  ProviderPerformancePageSchema,
} from './schema.ts';

export type Portal1DaRequest = CollectRequest<Portal1DaCredentials, Portal1DaSettings>;

const PAGE_ROWS = 1_000;
const PAGES_MAX = 2_000;

const AGGREGATIONS = { c: 'campaigns', g: 'adSets', d: 'creatives' } as const satisfies Record<
  Exclude<Level, 'a'>,
  string
>;

/** The rows of one source over the window; see {@link Connector.collect}. */
export async function* collectPerformance(
  client: Portal1DaClient,
  request: Portal1DaRequest,
): AsyncGenerator<Observed[]> {
  const scope: PerformanceScope = {
    ...placeOf(request.source),
    from: request.from,
    to: request.to,
  };
  const keys = new Set<string>();
  for await (const page of performancePages(client, request, scope)) {
    const days = new Map<string, ObservationRow[]>();
    for (const sent of page) {
      const { day, row, key } = normalizePerformance(sent, scope);
      if (keys.has(key)) {
        throw new RetryableError('duplicate_row', `The row '${key}' came twice: nothing is used`);
      }
      keys.add(key);
      const rows = days.get(day);
      if (rows) rows.push(row);
      else days.set(day, [row]);
    }
    const set = `${scope.level}-${scope.part}` as const;
    if (days.size > 0) yield [...days].map(([day, rows]) => ({ day, set, rows }));
  }
}

function placeOf({ id, fills: [fill] }: Source): Pick<PerformanceScope, 'level' | 'part'> {
  const [, level, part] = /^([cgd])-(base|hour)$/.exec(fill?.from ?? '') ?? [];
  if (level === undefined) throw new TypeError(`The API does not give the source '${id}'`);
  return { level, part } as Pick<PerformanceScope, 'level' | 'part'>; // the pattern has checked both
}

/**
 * The listing from its first page on. Its tokens live ten minutes; a dead one ends it as `page_expired`, and the window is
 * listed anew from the start, because the pages of two listings need not fit together.
 */
async function* performancePages(
  client: Portal1DaClient,
  request: Portal1DaRequest,
  scope: PerformanceScope,
): AsyncGenerator<ProviderPerformance[]> {
  const path = `/adAccounts/${request.account.id}/performance/past/${AGGREGATIONS[scope.level]}`;
  const params = {
    startDate: request.from,
    endDate: request.to,
    timeUnit: scope.part === 'hour' ? 'hourly' : 'daily',
    limit: String(PAGE_ROWS),
  };
  const seen = new Set<string>();
  let next: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await client.call(
      { path, params: { ...params, ...(next && { next }) } },
      ProviderPerformancePageSchema,
    );
    yield answer.rows;
    if (!answer.next) return;
    if (seen.has(answer.next)) throw repeated(path, 'names a page token seen before');
    seen.add(answer.next);
    next = answer.next;
  }
  throw repeated(path, `has more than ${PAGES_MAX} pages`);
}

function repeated(path: string, what: string): RetryableError {
  return new RetryableError('repeated_page', `The listing ${path} ${what}: nothing of it is used`);
}
