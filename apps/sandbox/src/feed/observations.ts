import { sumAtoms } from '../truth/ads-truth.ts';
import type { Atom } from '../world/ads-facts.ts';
import { type AdsAccount, ancestorOf } from '../world/ads-tree.ts';
import { toldDates } from '../world/blog.ts';
import type { DisplayWorld } from '../world/display.ts';

export const OBSERVATION_LEVELS = ['adAccount', 'campaign', 'adGroup', 'ad'] as const;
export type ObservationLevel = (typeof OBSERVATION_LEVELS)[number];

export interface ObservationsQuery {
  start: string;
  end: string;
  account?: string | undefined;
  level?: ObservationLevel | undefined;
  /** A list; without it the totals and all lists. */
  dimension?: string | undefined;
}

/** One row of the feed; money in won. */
export interface Observation {
  date: string;
  level: ObservationLevel;
  entityId: string;
  dimension?: string;
  value?: string;
  impressions: number;
  clicks: number;
  spend: number;
  conversions: number;
  amount: number;
}

/** What the owner's exporter tells at a moment: the days from 24 months ago to yesterday. */
export function observations(
  world: DisplayWorld,
  query: ObservationsQuery,
  now: number,
): Observation[] {
  const accounts = world.accounts.filter(
    ({ id, isClosed }) => !isClosed && (query.account === undefined || query.account === id),
  );
  const levels = OBSERVATION_LEVELS.filter(
    (level) => query.level === undefined || query.level === level,
  );
  return accounts.flatMap((account) =>
    toldDates(query.start, query.end, account.zone.dateAt(now)).flatMap((date) => {
      const atoms = account.leaves.flatMap((leaf) => world.facts.atoms(leaf, date, now));
      return levels.flatMap((level) =>
        levelRows(atoms, { account, date, level, dimension: query.dimension }),
      );
    }),
  );
}

interface LevelDay extends Pick<ObservationsQuery, 'dimension'> {
  account: AdsAccount;
  date: string;
  level: ObservationLevel;
}

function levelRows(atoms: readonly Atom[], { account, date, level, dimension }: LevelDay) {
  const groups = new Map<string, { head: Omit<Observation, Figure>; atoms: Atom[] }>();
  const add = (head: Omit<Observation, Figure>, atom: Atom) => {
    const key = JSON.stringify(head);
    const group = groups.get(key) ?? { head, atoms: [] };
    groups.set(key, group);
    group.atoms.push(atom);
  };
  for (const atom of atoms) {
    const entityId = level === 'adAccount' ? account.id : ancestorOf(atom.leaf, level)?.id;
    if (entityId === undefined) continue;
    const head = { date, level, entityId };
    if (dimension === undefined) add(head, atom);
    for (const [list, value] of level === 'ad' ? [] : Object.entries(atom.values)) {
      const isAsked = dimension === undefined || dimension === list;
      if (isAsked && value !== '') add({ ...head, dimension: list, value }, atom);
    }
  }
  return [...groups.values()].map(({ head, atoms: own }) => ({ ...head, ...figuresOf(own) }));
}

type Figure = 'impressions' | 'clicks' | 'spend' | 'conversions' | 'amount';

function figuresOf(atoms: readonly Atom[]): Pick<Observation, Figure> {
  const { impressions, clicks, spend, conversions, amount } = sumAtoms(atoms);
  return {
    impressions,
    clicks,
    spend: spend / 1_000_000,
    conversions: conversions / 1_000_000,
    amount: amount / 1_000_000,
  };
}
