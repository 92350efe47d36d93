import { sumAtoms } from '../truth/ads-truth.ts';
import type { Atom } from '../world/ads-facts.ts';
import { type AdsAccount, type AdsKind, ancestorOf } from '../world/ads-tree.ts';
import type { ReportLevel, ReportQuery } from './report-query.ts';
import { DIMENSIONS, type DisplayWorld, dimensionValue, isWithinADay } from './world.ts';

const MICROS = 1_000_000;

const ID_KEYS: Readonly<Record<ReportLevel, { key: string; kind?: AdsKind }>> = {
  AD_ACCOUNT: { key: 'ad_account_id' },
  CAMPAIGN: { key: 'campaign_id', kind: 'campaign' },
  AD_GROUP: { key: 'ad_group_id', kind: 'adGroup' },
  CREATIVE: { key: 'creative_id', kind: 'ad' },
};

function idAt(atom: Atom, level: ReportLevel): string | undefined {
  const { kind } = ID_KEYS[level];
  return kind ? ancestorOf(atom.leaf, kind)?.id : atom.leaf.account.id;
}

/** The rows of a report: one for each day, object and value with something to tell. */
export function reportRows(
  { facts }: DisplayWorld,
  account: AdsAccount,
  { query, asked, now }: { query: ReportQuery; asked: ReportLevel; now: number },
): Record<string, unknown>[] {
  const { ids, level, dimension } = query;
  const list = dimension && DIMENSIONS[dimension];
  return query.dates.flatMap((date) => {
    const groups = new Map<string, { id: string; value: string; atoms: Atom[] }>();
    for (const atom of account.leaves.flatMap((leaf) => facts.atoms(leaf, date, now))) {
      const id = idAt(atom, level);
      if (id === undefined || !ids.includes(idAt(atom, asked) ?? '')) continue;
      const value = list ? dimensionValue(atom, list.list) : '';
      // What the platform attributes to none is left out, but for places: those rows come without a name.
      if (list && value === '' && dimension !== 'LOCATION') continue;
      const group = groups.get(`${id}/${value}`) ?? { id, value, atoms: [] };
      group.atoms.push(atom);
      groups.set(`${id}/${value}`, group);
    }
    return [...groups.values()].map(({ id, value, atoms }) => {
      const { impressions } = sumAtoms(atoms);
      const cell = list ? `${list.list}=${value}` : '';
      const reach = facts.reach(id, date, date, cell, impressions);
      return {
        start: date,
        end: date,
        dimensions: { [ID_KEYS[level].key]: id, ...(list && { [list.key]: value }) },
        metrics: metricsOf(atoms, reach, query.metricsGroups),
      };
    });
  });
}

function metricsOf(atoms: readonly Atom[], reach: number, groups: readonly string[]) {
  const { impressions, clicks, spend } = sumAtoms(atoms);
  const cost = spend / MICROS;
  const ratio = (over: number, under: number) => (under === 0 ? 0 : over / under);
  return {
    ...(groups.includes('BASIC') && {
      imp: impressions,
      click: clicks,
      ctr: ratio(clicks * 100, impressions),
      cost,
    }),
    ...(groups.includes('ADDITION') && {
      reach,
      cost_per_reach: ratio(cost, reach),
      cost_per_click: ratio(cost, clicks),
      cost_per_imp: ratio(cost * 1_000, impressions),
    }),
    ...(groups.includes('PIXEL_SDK_CONVERSION') && {
      ...purchases(atoms, '7d'),
      ...purchases(atoms.filter(isWithinADay), '1d'),
      conv_signup_1d: 0,
      conv_signup_7d: 0,
    }),
  };
}

function purchases(atoms: readonly Atom[], days: string) {
  const { conversions, amount } = sumAtoms(atoms);
  return {
    [`conv_purchase_${days}`]: conversions / MICROS,
    [`conv_purchase_p_${days}`]: amount / MICROS,
  };
}
