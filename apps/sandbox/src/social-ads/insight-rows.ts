import { datesOf } from '../world/days.ts';
import type { SocialFacts } from '../world/social-facts.ts';
import { type LateEvent, METRIC_COUNT } from '../world/social-figures.ts';
import {
  ancestorOf,
  effectiveStatusOn,
  existsOn,
  type SocialEntity,
} from '../world/social-tree.ts';
import { badParameter } from './graph-error.ts';
import type { Filter, InsightQuery, Period } from './insight-query.ts';

/** One row before it is written out. */
export interface InsightRow {
  /** The entity of the row's level; undefined at account level. */
  node: SocialEntity | undefined;
  period: Period;
  /** Which of the breakdown's rows it is. */
  split: number;
  metrics: number[];
  purchases: LateEvent[];
}

type Test = (ad: SocialEntity) => boolean;

function listOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(String);
}

function compareText(operator: string, value: unknown): ((text: string) => boolean) | undefined {
  const list = listOf(value);
  const tests: Record<string, (text: string) => boolean> = {
    IN: (text) => list.includes(text),
    EQUAL: (text) => list[0] === text,
    NOT_IN: (text) => !list.includes(text),
    NOT_EQUAL: (text) => list[0] !== text,
    CONTAIN: (text) => text.toLowerCase().includes((list[0] ?? '').toLowerCase()),
  };
  return tests[operator.toUpperCase()];
}

/** Filters on ids, names and statuses of entities; those on figures are applied to finished rows. */
function entityTest(filter: Filter, today: string): Test | undefined {
  const match = /^(campaign|adset|ad)\.(id|name|effective_status|delivery_status)$/.exec(
    filter.field,
  );
  if (match === null) return undefined;
  const compare = compareText(filter.operator, filter.value);
  if (compare === undefined)
    throw badParameter(`filtering operator '${filter.operator}' is not valid`);
  const [, kind, what] = match;
  return (ad) => {
    const node = ancestorOf(ad, kind as SocialEntity['kind']);
    if (what === 'id') return compare(node.id);
    return compare(what === 'name' ? node.name : effectiveStatusOn(node, today));
  };
}

const FIGURES = ['impressions', 'clicks', 'inline_link_clicks', 'spend'];

function figure(query: InsightQuery, row: InsightRow, name: string): number {
  const value = row.metrics[FIGURES.indexOf(name)] ?? 0;
  return name === 'spend' ? value / 10 ** query.account.minorDigits : value;
}

function rowTest(query: InsightQuery, filter: Filter): (row: InsightRow) => boolean {
  const bound = Number(listOf(filter.value)[0]);
  const operator = filter.operator.toUpperCase();
  if (!FIGURES.includes(filter.field) || !['GREATER_THAN', 'LESS_THAN'].includes(operator)) {
    throw badParameter(`filtering ${filter.field} ${filter.operator} is not valid`);
  }
  const sign = operator === 'GREATER_THAN' ? 1 : -1;
  return (row) => (figure(query, row, filter.field) - bound) * sign > 0;
}

/**
 * The ads whose delivery a query counts. Rows of archived and deleted entities are left out unless a filter on a
 * status asks for them, while the totals of those above them always hold what they delivered.
 */
function adsOf(query: InsightQuery, today: string): SocialEntity[] {
  const { account, node, level, filters } = query;
  const tests = filters
    .map((filter) => entityTest(filter, today))
    .filter((test) => test !== undefined);
  const asksForStatus = filters.some((filter) => filter.field.endsWith('_status'));
  return account.ads.filter((ad) => {
    if (!existsOn(ad, query.until) || !existsOn(ad, today)) return false;
    if (ad.endedOn !== undefined && ad.endedOn <= query.since) return false;
    if (node !== undefined && ancestorOf(ad, node.kind) !== node) return false;
    if (!asksForStatus && level !== 'account' && node?.kind !== level) {
      const status = effectiveStatusOn(ancestorOf(ad, level), today);
      if (status === 'ARCHIVED' || status === 'DELETED') return false;
    }
    return tests.every((test) => test(ad));
  });
}

function addAdDay(
  query: InsightQuery,
  ad: SocialEntity,
  date: string,
  now: number,
  facts: SocialFacts,
  rowOf: (split: number) => InsightRow,
) {
  const day = facts.adDay(ad, date, now);
  if (day === undefined) return;
  const { group, rowOfCell } = query.breakdown;
  if (group === 'none') {
    const row = rowOf(0);
    for (const [m, value] of day.total.entries()) row.metrics[m] = (row.metrics[m] ?? 0) + value;
    row.purchases.push(...day.purchases);
    return;
  }
  const cells = day.cells[group];
  for (const [cell, split] of rowOfCell.entries()) {
    const at = cell * METRIC_COUNT;
    const [impressions = 0, clicks = 0, linkClicks = 0, spend = 0] = cells.subarray(
      at,
      at + METRIC_COUNT,
    );
    if (split < 0 || impressions + clicks + linkClicks + spend === 0) continue;
    const { metrics } = rowOf(split);
    metrics[0] = (metrics[0] ?? 0) + impressions;
    metrics[1] = (metrics[1] ?? 0) + clicks;
    metrics[2] = (metrics[2] ?? 0) + linkClicks;
    metrics[3] = (metrics[3] ?? 0) + spend;
  }
  if (!query.breakdown.offPlatform) return;
  for (const purchase of day.purchases) {
    const split = rowOfCell[purchase.cell[group]] ?? -1;
    if (split >= 0) rowOf(split).purchases.push(purchase);
  }
}

/** All rows of a query as reported at `now`, in the order in which they are paged. */
export function computeRows(query: InsightQuery, facts: SocialFacts, now: number): InsightRow[] {
  if (query.breakdown.silent) return [];
  const today = query.account.zone.dateAt(now);
  const figureTests = query.filters
    .filter((filter) => entityTest(filter, today) === undefined)
    .map((filter) => rowTest(query, filter));
  const rows = new Map<string, InsightRow>();
  for (const ad of adsOf(query, today)) {
    const node = query.level === 'account' ? undefined : ancestorOf(ad, query.level);
    for (const period of query.periods) {
      const own: (InsightRow | undefined)[] = [];
      const rowOf = (split: number): InsightRow => {
        const key = `${node?.id ?? ''}/${period.start}/${split}`;
        const row = own[split] ??
          rows.get(key) ?? { node, period, split, metrics: [0, 0, 0, 0], purchases: [] };
        if (own[split] === undefined) rows.set(key, row);
        own[split] = row;
        return row;
      };
      const from = ad.createdOn > period.start ? ad.createdOn : period.start;
      const dates = from === period.stop ? [from] : datesOf(from, period.stop);
      for (const date of dates) addAdDay(query, ad, date, now, facts, rowOf);
    }
  }
  const list = [...rows.values()].filter((row) => figureTests.every((test) => test(row)));
  const [, sortBy = '', direction] = /^(.*)_(ascending|descending)$/.exec(query.sort ?? '') ?? [];
  if (FIGURES.includes(sortBy)) {
    const sign = direction === 'ascending' ? 1 : -1;
    list.sort((a, b) => (figure(query, a, sortBy) - figure(query, b, sortBy)) * sign);
  }
  return list;
}
