import type { SocialFacts } from '../world/social-facts.ts';
import { type ActionEntry, type ActionInput, actionsOf, actionValuesOf, money } from './actions.ts';
import type { InsightQuery } from './insight-query.ts';
import type { InsightRow } from './insight-rows.ts';

function ratio(value: number): string {
  return String(Number(value.toFixed(6)));
}

/** The platform's own identifiers and names of the row's entity and of those above it. */
function identity(query: InsightQuery, row: InsightRow): Record<string, string> {
  const { account } = query;
  const known: Record<string, string> = {
    account_id: account.id,
    account_name: account.name,
    account_currency: account.currency,
  };
  for (let node = row.node; node !== undefined; node = node.parent) {
    known[`${node.kind}_id`] = node.id;
    known[`${node.kind}_name`] = node.name;
  }
  return known;
}

function figures(query: InsightQuery, row: InsightRow, facts: SocialFacts): Record<string, string> {
  const [impressions = 0, clicks = 0, linkClicks = 0, minor = 0] = row.metrics;
  const { breakdown, account } = query;
  const spend = minor / 10 ** account.minorDigits;
  const values = breakdown.rows[row.split] ?? [];
  const cell = breakdown.keys.map((key, i) => `${key}=${values[i]}`).join(',');
  const id = row.node?.id ?? account.id;
  const hourly = breakdown.group === 'hour';
  const reach = hourly ? 0 : facts.reach(id, row.period.start, row.period.stop, cell, impressions);
  const known: Record<string, string> = {
    impressions: String(impressions),
    clicks: String(clicks),
    inline_link_clicks: String(linkClicks),
    // Hours carry "0" for what counts people: the platform's way to say that it does not know.
    unique_clicks: hourly ? '0' : String(Math.ceil(clicks * 0.93)),
    spend: money(minor, account.minorDigits),
  };
  if (!query.dropsReach) {
    known.reach = String(reach);
    if (reach > 0) known.frequency = ratio(impressions / reach);
    if (reach > 0) known.cpp = ratio((spend / reach) * 1000);
  }
  if (impressions > 0) {
    known.ctr = ratio((clicks / impressions) * 100);
    known.inline_link_click_ctr = ratio((linkClicks / impressions) * 100);
    known.cpm = ratio((spend / impressions) * 1000);
  }
  if (clicks > 0) known.cpc = ratio(spend / clicks);
  if (linkClicks > 0) known.cost_per_inline_link_click = ratio(spend / linkClicks);
  return known;
}

function actionFields(query: InsightQuery, row: InsightRow): Record<string, ActionEntry[]> {
  const splits = ['action_device', 'action_destination'] as const;
  const [, clicks = 0, linkClicks = 0, minor = 0] = row.metrics;
  const { minorDigits } = query.account;
  const input: ActionInput = {
    purchases: row.purchases,
    linkClicks,
    clicks,
    windows: query.windows,
    splitBy: splits.find((name) => query.actionBreakdowns.includes(name)),
    minorDigits,
  };
  const wants = (name: string): boolean => query.fields.includes(name);
  const spend = minor / 10 ** minorDigits;
  const known: Record<string, ActionEntry[]> = {};
  if (wants('actions')) known.actions = actionsOf(input);
  if (wants('action_values')) known.action_values = actionValuesOf(input);
  if (wants('cost_per_action_type')) {
    known.cost_per_action_type = actionsOf({ ...input, windows: [] }).map((entry) => ({
      ...entry,
      value: ratio(spend / Number(entry.value)),
    }));
  }
  if (wants('purchase_roas') && minor > 0) {
    known.purchase_roas = actionValuesOf({ ...input, windows: [], splitBy: undefined })
      .filter((entry) => entry.action_type === 'omni_purchase')
      .map((entry) => ({ ...entry, value: ratio(Number(entry.value) / spend) }));
  }
  if (wants('outbound_clicks')) {
    known.outbound_clicks =
      linkClicks > 0 ? [{ action_type: 'outbound_click', value: String(linkClicks) }] : [];
  }
  return known;
}

/** A row as it is sent: the asked fields that have a figure, the breakdown's keys and the dates. */
export function rowJson(
  query: InsightQuery,
  row: InsightRow,
  facts: SocialFacts,
): Record<string, unknown> {
  const known: Record<string, string | ActionEntry[]> = {
    ...identity(query, row),
    ...figures(query, row, facts),
    ...actionFields(query, row),
    attribution_setting: '28d_click_1d_view_1d_ev',
    objective: 'OUTCOME_SALES',
    buying_type: 'AUCTION',
  };
  const sent: Record<string, unknown> = {};
  for (const field of query.fields) {
    const value = known[field];
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
