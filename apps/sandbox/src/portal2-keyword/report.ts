import { sumAtoms } from '../truth/ads-truth.ts';
import type { Atom } from '../world/ads-facts.ts';
import {
  type AdsAccount,
  type AdsKind,
  type AdsNode,
  ancestorOf,
  existsOn,
  isRemovedOn,
} from '../world/ads-tree.ts';
import { datesOf } from '../world/days.ts';
import type { DimensionKey, MetricsGroup, ReportLevel, ReportQuery } from './report-query.ts';
import { isWithinOneDay, type KeywordWorld } from './world.ts';

const MICROS = 1_000_000;
/** The ids that lead a row, by level. */
const IDS: Readonly<Record<ReportLevel, readonly AdsKind[]>> = {
  account: [],
  campaign: ['campaign'],
  adGroup: ['campaign', 'adGroup'],
  keyword: ['adGroup', 'keyword'],
  creative: ['adGroup', 'ad'],
};
const ID_NAMES: Readonly<Record<AdsKind, string>> = {
  campaign: 'campaignId',
  adGroup: 'adGroupId',
  keyword: 'keywordId',
  ad: 'creativeLinkId',
};

interface Cell {
  period: { start: string; end: string };
  dimensions: Record<string, number | string>;
  atoms: Atom[];
}

/** The rows of a report; whoever delivered nothing has none, and what is attributed to no value is in none. */
export function reportRows(
  world: KeywordWorld,
  account: AdsAccount,
  query: ReportQuery,
  now: number,
): Record<string, unknown>[] {
  const cells = new Map<string, Cell>();
  const leaves = account.leaves.filter((leaf) => isAskedFor(leaf, query));
  for (const date of datesOf(query.start, query.end)) {
    const period = query.periodOf(date);
    for (const leaf of leaves.filter((one) => existsOn(one, date) && !isRemovedOn(one, date))) {
      for (const atom of world.facts.atoms(leaf, date, now)) {
        const dimensions = dimensionsOf(atom, query);
        if (!dimensions) continue;
        const key = JSON.stringify([period.start, dimensions]);
        const cell = cells.get(key) ?? { period, dimensions, atoms: [] };
        cell.atoms.push(atom);
        cells.set(key, cell);
      }
    }
  }
  // The second account is told in the older spelling: snake case, numbers as text.
  const isOlder = account === world.accounts[1];
  return [...cells.values()].map((cell) => rowOf(cell, query, isOlder));
}

function isAskedFor(leaf: AdsNode, { campaignId, adGroupId }: ReportQuery): boolean {
  const fits = (kind: AdsKind, id: string | undefined) =>
    id === undefined || ancestorOf(leaf, kind)?.id === id;
  return fits('campaign', campaignId) && fits('adGroup', adGroupId);
}

function dimensionsOf(atom: Atom, query: ReportQuery): Cell['dimensions'] | undefined {
  const { level, dimension } = query;
  const nodeOf = (kind: AdsKind) =>
    kind === 'keyword' ? atom.keyword : ancestorOf(atom.leaf, kind);
  const dimensions: Cell['dimensions'] = {};
  if (level === 'account') dimensions.adAccountId = Number(atom.leaf.account.id);
  for (const kind of IDS[level]) {
    const node = nodeOf(kind);
    if (!node) return undefined;
    dimensions[ID_NAMES[kind]] = Number(node.id);
  }
  if (!dimension) return dimensions;
  const value = dimensionValue(atom, dimension);
  return value === '' ? undefined : { ...dimensions, [dimension]: value };
}

function dimensionValue(atom: Atom, dimension: DimensionKey): number | string {
  return dimension === 'hour' ? atom.hour : (atom.values[dimension] ?? '');
}

function rowOf({ period, dimensions, atoms }: Cell, { groups }: ReportQuery, isOlder: boolean) {
  const metrics = Object.assign({}, ...groups.map((group) => METRICS[group](atoms)));
  const start = period.start.replaceAll('-', '');
  const end = period.end.replaceAll('-', '');
  if (!isOlder) return { start, end, dimensions, metrics };
  return { start, end, dimensions: snakeCased(dimensions), metrics: snakeCased(metrics) };
}

const METRICS: Readonly<Record<MetricsGroup, (atoms: readonly Atom[]) => Record<string, number>>> =
  {
    BASIC: (atoms) => {
      const { impressions, clicks, spend } = sumAtoms(atoms);
      return {
        imp: impressions,
        click: clicks,
        ctr: impressions === 0 ? 0 : Math.round((clicks / impressions) * 10_000) / 100,
        spending: spend / MICROS,
      };
    },
    ADDITION: (atoms) => {
      const { rimp, clicks, spend } = sumAtoms(atoms);
      const ppc = clicks === 0 ? 0 : Math.round(spend / MICROS / clicks);
      return { rimp, ppc, rank: 1 + (rimp % 10) };
    },
    PIXEL_SDK_CONVERSION: (atoms) => {
      const week = sumAtoms(atoms);
      const day = sumAtoms(atoms.filter(isWithinOneDay));
      return {
        convCmptReg1d: 0,
        convCmptReg7d: 0,
        convViewCart1d: (2 * day.conversions) / MICROS,
        convViewCart7d: (2 * week.conversions) / MICROS,
        convPurchase1d: day.conversions / MICROS,
        convPurchase7d: week.conversions / MICROS,
        convPurchaseP1d: day.amount / MICROS,
        convPurchaseP7d: week.amount / MICROS,
      };
    },
  };

function snakeCased(record: Record<string, number | string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name.replace(/[A-Z]|\d+d$/g, (part) => `_${part.toLowerCase()}`),
      String(value),
    ]),
  );
}
