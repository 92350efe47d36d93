import { RetryableError } from '@tributary/runtime';
import { FIRST_FIGURE, type Level, type ObservationRow, type Observed } from '@tributary/shared';
import type { CollectRequest } from '../connector.ts';
import { byDay, mergeRows } from '../rows.ts';
import { budgetKey, type GraphCall, type GraphClient } from './client.ts';
import { effectiveStatusFilter, NODES } from './entities.ts';
import {
  BREAKDOWNS,
  isReported,
  mayMerge,
  normalizeInsight,
  type ReportScope,
} from './normalize.ts';
import { finishReport, pendingReport, type ReportPatience } from './report.ts';
import {
  type ProviderInsight,
  ProviderInsightSchema,
  type SocialAdsCredentials,
  type SocialAdsSettings,
} from './schema.ts';

type Request = CollectRequest<SocialAdsCredentials, SocialAdsSettings>;

const PAGE_ROWS = 500;
/** Expected rows above which a report run is asked for instead of reading page by page while the platform computes. */
const SYNC_ROWS_MAX = 2_000;

const LEVEL_NAMES: Readonly<Record<Level, string>> = {
  a: 'account',
  c: 'campaign',
  g: 'adset',
  d: 'ad',
};
const ID_FIELDS = ['account_id', 'campaign_id', 'adset_id', 'ad_id'];

/** The rows of one source over the window; see {@link Connector.collect}. */
export async function* collectInsights(
  graph: GraphClient,
  request: Request,
  patience: ReportPatience,
): AsyncGenerator<Observed[]> {
  const { source, account, from, to, settings } = request;
  const fill = source.fills[0];
  if (!fill) throw new TypeError(`The source '${source.id}' fills nothing`);
  const conversion = settings.conversion;
  const scope: ReportScope = { account: account.id, from, to, fill, conversion };
  const rows = createRowReader(scope);
  for await (const page of insightPages(graph, insightsCall(request, scope), request, patience)) {
    const observed = rows.read(page);
    if (observed.length > 0) yield observed;
  }
  const merged = rows.merged();
  if (merged.length > 0) yield merged;
}

/** At once where that is likely to work, else through a report run; "too much data" changes over once. */
async function* insightPages(
  graph: GraphClient,
  call: GraphCall,
  request: Request,
  patience: ReportPatience,
): AsyncGenerator<ProviderInsight[]> {
  if (!pendingReport(request) && (request.rowsExpected ?? 0) <= SYNC_ROWS_MAX) {
    let pages = 0;
    try {
      for await (const page of graph.pages(call, ProviderInsightSchema)) {
        pages += 1;
        yield page;
      }
      return;
    } catch (error) {
      // After a page was given out a second reading would give its rows again.
      const tooMuch = error instanceof RetryableError && error.code === 'too_much_data';
      if (!tooMuch || pages > 0) throw error;
    }
  }
  const { limit, ...params } = call.params;
  const id = await finishReport(graph, { ...call, params }, request, patience);
  const result: GraphCall = {
    path: `${id}/insights`,
    params: { limit: limit ?? '' },
    key: call.key,
  };
  yield* graph.pages(result, ProviderInsightSchema);
}

function insightsCall(request: Request, { fill, account }: ReportScope): GraphCall {
  const { level, part, metrics } = fill;
  const fields = [
    ...ID_FIELDS.slice(0, 'acgd'.indexOf(level) + 1),
    'impressions',
    'clicks',
    'spend',
    ...(metrics.includes('reach') ? ['reach'] : []),
    ...(metrics.includes('conversions') ? ['actions', 'action_values'] : []),
  ];
  const params: Record<string, string> = {
    level: LEVEL_NAMES[level],
    time_increment: '1',
    time_range: JSON.stringify({ since: request.from, until: request.to }),
    fields: fields.join(','),
    use_account_attribution_setting: 'true',
    limit: String(PAGE_ROWS),
  };
  if (isReported(part)) params.breakdowns = BREAKDOWNS[part];
  // Without it archived and deleted objects are left out, and the account's totals would not be their sum.
  if (level !== 'a') params.filtering = effectiveStatusFilter(NODES[level]);
  return { path: `act_${account}/insights`, params, key: budgetKey(request, account, 'insights') };
}

/** Turns pages into observations; holds back the rows that may become one with rows of a later page. */
function createRowReader(scope: ReportScope) {
  const keys = new Set<string>();
  const held = new Map<string, { day: string; row: ObservationRow }>();
  const hold = (day: string, row: ObservationRow) => {
    const id = [day, ...row.slice(0, FIRST_FIGURE)].join(' ');
    const earlier = held.get(id);
    held.set(id, { day, row: earlier ? mergeRows(earlier.row, row) : row });
  };
  return {
    read(page: readonly ProviderInsight[]): Observed[] {
      const ready: { day: string; row: ObservationRow }[] = [];
      for (const insight of page) {
        const one = normalizeInsight(insight, scope);
        if (!one) continue;
        if (keys.has(one.key)) throw duplicateRow(one.key);
        keys.add(one.key);
        if (mayMerge(one.row)) hold(one.day, one.row);
        else ready.push(one);
      }
      return byDay(ready, scope.fill.from);
    },
    merged: () => byDay([...held.values()], scope.fill.from),
  };
}

function duplicateRow(key: string): RetryableError {
  return new RetryableError('duplicate_row', `The row '${key}' came twice: nothing of it is used`);
}
