import type { SocialFacts } from '../world/social-facts.ts';
import type { SocialKind } from '../world/social-tree.ts';
import {
  type ActionEntry,
  type ActionInput,
  actionsOf,
  actionValuesOf,
  money,
  type SplitBy,
} from './actions.ts';
import type { InsightQuery } from './insight-query.ts';
import type { InsightRow } from './insight-rows.ts';

/** A row with all that its fields are made of. */
interface RowContext {
  query: InsightQuery;
  row: InsightRow;
  impressions: number;
  clicks: number;
  linkClicks: number;
  /** In the account's main unit, for ratios only. */
  spend: number;
  reach: number;
  actions: ActionInput;
}

type Field = (context: RowContext) => string | ActionEntry[] | undefined;

const SPLITS: readonly SplitBy[] = ['action_device', 'action_destination'];

function ratio(part: number, whole: number, times = 1): string | undefined {
  return whole === 0 ? undefined : String(Math.round((part / whole) * times * 1e6) / 1e6);
}

function node(kind: SocialKind, name: 'id' | 'name'): Field {
  return ({ row }) => {
    let up = row.node;
    while (up !== undefined && up.kind !== kind) up = up.parent;
    return up?.[name];
  };
}

/** Hours carry "0" for what counts people: the platform's way to say that it does not know. */
function isHourly({ query }: RowContext): boolean {
  return query.breakdown.group === 'hour';
}

const FIELDS: Record<string, Field> = {
  account_id: ({ query }) => query.account.id,
  account_name: ({ query }) => query.account.name,
  account_currency: ({ query }) => query.account.currency,
  campaign_id: node('campaign', 'id'),
  campaign_name: node('campaign', 'name'),
  adset_id: node('adset', 'id'),
  adset_name: node('adset', 'name'),
  ad_id: node('ad', 'id'),
  ad_name: node('ad', 'name'),
  attribution_setting: () => '28d_click_1d_view_1d_ev',
  objective: () => 'OUTCOME_SALES',
  buying_type: () => 'AUCTION',
  impressions: ({ impressions }) => String(impressions),
  clicks: ({ clicks }) => String(clicks),
  inline_link_clicks: ({ linkClicks }) => String(linkClicks),
  unique_clicks: (context) => (isHourly(context) ? '0' : String(Math.ceil(context.clicks * 0.93))),
  spend: ({ row, query }) => money(row.metrics[3] ?? 0, query.account.minorDigits),
  reach: ({ query, reach }) => (query.dropsReach ? undefined : String(reach)),
  frequency: ({ query, impressions, reach }) =>
    query.dropsReach ? undefined : ratio(impressions, reach),
  cpp: ({ query, spend, reach }) => (query.dropsReach ? undefined : ratio(spend, reach, 1_000)),
  ctr: ({ clicks, impressions }) => ratio(clicks, impressions, 100),
  inline_link_click_ctr: ({ linkClicks, impressions }) => ratio(linkClicks, impressions, 100),
  cpm: ({ spend, impressions }) => ratio(spend, impressions, 1_000),
  cpc: ({ spend, clicks }) => ratio(spend, clicks),
  cost_per_inline_link_click: ({ spend, linkClicks }) => ratio(spend, linkClicks),
  actions: ({ actions }) => actionsOf(actions),
  action_values: ({ actions }) => actionValuesOf(actions),
  cost_per_action_type: ({ actions, spend }) =>
    actionsOf({ ...actions, windows: [] }).map((entry) => ({
      ...entry,
      value: ratio(spend, Number(entry.value)) ?? '0',
    })),
  purchase_roas: ({ actions, spend }) =>
    actionValuesOf({ ...actions, windows: [], splitBy: undefined })
      .filter((entry) => entry.action_type === 'omni_purchase' && spend > 0)
      .map((entry) => ({ ...entry, value: ratio(Number(entry.value), spend) ?? '0' })),
  outbound_clicks: ({ linkClicks }) =>
    linkClicks === 0 ? [] : [{ action_type: 'outbound_click', value: String(linkClicks) }],
};

function contextOf(query: InsightQuery, row: InsightRow, facts: SocialFacts): RowContext {
  const [impressions = 0, clicks = 0, linkClicks = 0, minor = 0] = row.metrics;
  const { breakdown, account } = query;
  const values = breakdown.rows[row.split] ?? [];
  const cell = breakdown.keys.map((key, i) => `${key}=${values[i]}`).join(',');
  const { start, stop } = row.period;
  const actions = {
    purchases: row.purchases,
    linkClicks,
    clicks,
    windows: query.windows,
    splitBy: SPLITS.find((name) => query.actionBreakdowns.includes(name)),
    minorDigits: account.minorDigits,
  };
  const isCounted = breakdown.group !== 'hour';
  const id = row.node?.id ?? account.id;
  return {
    query,
    row,
    impressions,
    clicks,
    linkClicks,
    spend: minor / 10 ** account.minorDigits,
    reach: isCounted ? facts.reach(id, start, stop, cell, impressions) : 0,
    actions,
  };
}

/** A row as it is sent: the asked fields that have a figure, the dates and the breakdown's keys. */
export function rowJson(
  query: InsightQuery,
  row: InsightRow,
  facts: SocialFacts,
): Record<string, unknown> {
  const context = contextOf(query, row, facts);
  const sent: Record<string, unknown> = {};
  for (const field of query.fields) {
    const value = FIELDS[field]?.(context);
    if (value !== undefined && value.length > 0) sent[field] = value;
  }
  sent.date_start = row.period.start;
  sent.date_stop = row.period.stop;
  const values = query.breakdown.rows[row.split];
  for (const [i, key] of query.breakdown.keys.entries()) {
    if (values?.[i] !== undefined) sent[key] = values[i];
  }
  return sent;
}
