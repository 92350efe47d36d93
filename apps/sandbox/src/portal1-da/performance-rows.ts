import { decimalOfMicros, sumAtoms } from '../truth/ads-truth.ts';
import type { Atom } from '../world/ads-facts.ts';
import { type AdsKind, ancestorOf, isSwitchedOn } from '../world/ads-tree.ts';
import { datesOf } from '../world/days.ts';
import type { DisplayWorld } from '../world/display.ts';
import type { Aggregation, PerformanceQuery } from './performance-query.ts';

type Row = Record<string, unknown>;

const KINDS: Readonly<Record<Aggregation, AdsKind>> = {
  campaigns: 'campaign',
  adSets: 'adGroup',
  creatives: 'ad',
};

/** All rows of a question as they are told at a moment: by date, hour and number, ascending. */
export function performanceRows(
  world: DisplayWorld,
  query: Omit<PerformanceQuery, 'limit'>,
  at: number,
): Row[] {
  const account = world.accounts.find(({ id }) => id === query.account);
  if (account === undefined) return [];
  // Recorded answers differ: the second account tells dates without dashes, hours and figures as text.
  const spell = account === world.managed ? textRow : (row: Row) => row;
  return datesOf(query.startDate, query.endDate).flatMap((date) => {
    const groups = new Map<string, Atom[]>();
    for (const node of account[`${KINDS[query.aggregation]}s`]) {
      // Whatever runs has its row, also on a day without delivery.
      if (query.timeUnit === 'daily' && isSwitchedOn(node, date)) groups.set(keyOf(0, node.id), []);
    }
    for (const leaf of account.leaves) {
      const node = ancestorOf(leaf, KINDS[query.aggregation]);
      if (node === undefined) continue;
      for (const atom of world.facts.atoms(leaf, date, at)) {
        const key = keyOf(query.timeUnit === 'hourly' ? atom.hour : 0, node.id);
        groups.set(key, [...(groups.get(key) ?? []), atom]);
      }
    }
    return [...groups]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, atoms]) => spell(rowJson(key, atoms, { ...query, date, at, world })));
  });
}

function keyOf(hour: number, id: string): string {
  return `${String(hour).padStart(2, '0')}/${id}`;
}

interface RowContext extends Omit<PerformanceQuery, 'limit'> {
  date: string;
  at: number;
  world: DisplayWorld;
}

function rowJson(key: string, atoms: Atom[], context: RowContext): Row {
  const { aggregation, timeUnit, date, at, world } = context;
  const [hour = '', id = ''] = key.split('/');
  const account = world.accounts.find((one) => one.id === context.account);
  const node = account?.[`${KINDS[aggregation]}s`].find((one) => one.id === id);
  const no = (kind: AdsKind) => (node && ancestorOf(node, kind)?.id) ?? null;
  const sums = sumAtoms(atoms);
  return {
    targetDate: date,
    ...(timeUnit === 'hourly' && { hour: Number(hour) }),
    campaignNo: numberOrNull(no('campaign')),
    adSetNo: numberOrNull(no('adGroup')),
    creativeNo: numberOrNull(no('ad')),
    impCount: sums.impressions,
    clickCount: sums.clicks,
    // What the advertiser pays, with the tax: the name is the seller's.
    sales: Number(decimalOfMicros(sums.spend)),
    convCount: sums.conversions / 1_000_000,
    convSales: Number(decimalOfMicros(sums.amount)),
    vplayCount: 0,
    updatedAt: new Date(at).toISOString(),
  };
}

function numberOrNull(id: string | null): number | null {
  return id === null ? null : Number(id);
}

function textRow(row: Row): Row {
  const texts = Object.entries(row).map(([name, value]) => [name, textOf(name, value)]);
  return Object.fromEntries(texts);
}

function textOf(name: string, value: unknown): unknown {
  if (name === 'targetDate' && typeof value === 'string') return value.replaceAll('-', '');
  if (typeof value !== 'number') return value;
  return name === 'hour' ? String(value).padStart(2, '0') : String(value);
}
