import type { AdsFacts, Atom } from '../world/ads-facts.ts';
import { type AdsAccount, type AdsKind, ancestorOf } from '../world/ads-tree.ts';
import { datesOf, type Zone } from '../world/days.ts';
import type { TruthLevel } from './truth-teller.ts';

/** A metric that a channel may lack at a place. */
export type OptionalMetric = 'conversions' | 'amount' | 'reach' | 'rimp';

/** Where a figure stands. */
export interface TruthPlace {
  level: TruthLevel;
  /** A list of the interface; undefined = the total. */
  list: string | undefined;
  date: string;
  /** Epoch milliseconds of the question. */
  at: number;
}

/** How one of the interface's lists comes out of the atoms. */
export interface AdsListRule {
  /** The platform's value of an atom; '' = attributed to none. */
  raw(atom: Atom): string;
  /** Our word for the platform's value; several values may fall together. */
  word(raw: string): string;
  /** The levels at which the platform gives it, directly or summed from below. */
  levels: readonly TruthLevel[];
  /** Told of ad groups only: what has none is in no entry. */
  ofAdGroups?: boolean;
  /** False while the platform has not published the list of a day; absent = it is told from the start. */
  isTold?(zone: Zone, date: string, at: number): boolean;
}

/** What a correct product does with a channel's figures, written from the interface's tables. */
export interface AdsTruthRules {
  /** In the interface's order. */
  lists: Readonly<Record<string, AdsListRule>>;
  supports(metric: OptionalMetric, place: TruthPlace): boolean;
}

export interface AdsTruthQuestion {
  account: AdsAccount;
  level: TruthLevel;
  /** Only this entity; its days without delivery are told too. */
  id: string | undefined;
  start: string;
  end: string;
  at: number;
}

/** Figures as decimal strings, money in the currency's main unit; null where the channel has none there. */
export type AdsTruthFigures = Record<
  'impressions' | 'clicks' | 'conversions' | 'amount' | 'spend' | 'rimp' | 'reach',
  string | null
>;

export interface AdsTruthDay {
  date: string;
  entity: string;
  total: AdsTruthFigures;
  /** Lists in the interface's words; none at level ad. */
  lists: Record<string, ({ value: string } & AdsTruthFigures)[]>;
  /** What a list lacks of the total; a list that lacks nothing is absent. */
  unattributed: Record<string, AdsTruthFigures>;
}

const KINDS: Readonly<Record<Exclude<TruthLevel, 'account'>, AdsKind>> = {
  campaign: 'campaign',
  adGroup: 'adGroup',
  ad: 'ad',
};
const SUMMED = ['impressions', 'clicks', 'conversions', 'amount', 'spend', 'rimp'] as const;
const IN_MICROS: ReadonlySet<string> = new Set(['conversions', 'amount', 'spend']);

type Sums = Record<(typeof SUMMED)[number], number>;

/** The sums of some atoms; money and conversions in micros. */
export function sumAtoms(atoms: readonly Atom[]): Sums {
  const sums: Sums = { impressions: 0, clicks: 0, conversions: 0, amount: 0, spend: 0, rimp: 0 };
  for (const atom of atoms) for (const metric of SUMMED) sums[metric] += atom[metric];
  return sums;
}

/** 1425000 micros are "1.425". */
export function decimalOfMicros(micros: number): string {
  const text = String(Math.abs(micros)).padStart(7, '0');
  const plain = `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/\.?0+$/, '');
  return micros < 0 ? `-${plain}` : plain;
}

function isZero(sums: Sums): boolean {
  return SUMMED.every((metric) => sums[metric] === 0);
}

function entityOf(atom: Atom, level: TruthLevel): string | undefined {
  return level === 'account' ? atom.leaf.account.id : ancestorOf(atom.leaf, KINDS[level])?.id;
}

/** What a correct product must come out with, added up from atoms and apart from any dialect. */
export function tellAdsTruth(
  facts: AdsFacts,
  rules: AdsTruthRules,
  question: AdsTruthQuestion,
): AdsTruthDay[] {
  const { account, level, id, start, end, at } = question;
  const teller = createTeller(facts, rules, question);
  return datesOf(start, end).flatMap((date) => {
    const byEntity = new Map<string, Atom[]>(id === undefined ? [] : [[id, []]]);
    for (const leaf of account.leaves) {
      for (const atom of facts.atoms(leaf, date, at)) {
        const entity = entityOf(atom, level);
        if (entity === undefined || (id !== undefined && entity !== id)) continue;
        const atoms = byEntity.get(entity) ?? [];
        atoms.push(atom);
        byEntity.set(entity, atoms);
      }
    }
    return [...byEntity]
      .filter(([entity, atoms]) => entity === id || !isZero(sumAtoms(atoms)))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([entity, atoms]) => teller.day(entity, date, atoms));
  });
}

function createTeller(
  facts: AdsFacts,
  rules: AdsTruthRules,
  { account, level, at }: Pick<AdsTruthQuestion, 'account' | 'level' | 'at'>,
) {
  const figures = (sums: Sums, place: TruthPlace, reach: string | null): AdsTruthFigures => {
    const told = (metric: keyof Sums) =>
      IN_MICROS.has(metric) ? decimalOfMicros(sums[metric]) : String(sums[metric]);
    const optional = (metric: OptionalMetric & keyof Sums) =>
      rules.supports(metric, place) ? told(metric) : null;
    return {
      impressions: told('impressions'),
      clicks: told('clicks'),
      conversions: optional('conversions'),
      amount: optional('amount'),
      spend: told('spend'),
      rimp: optional('rimp'),
      reach: rules.supports('reach', place) ? reach : null,
    };
  };

  const list = (name: string, rule: AdsListRule, entity: string, date: string, atoms: Atom[]) => {
    const place = { level, list: name, date, at };
    const values = new Map<string, { atoms: Atom[]; raws: Set<string> }>();
    for (const atom of atoms) {
      const raw = rule.raw(atom);
      if (raw === '' || (rule.ofAdGroups && ancestorOf(atom.leaf, 'adGroup') === undefined))
        continue;
      const word = rule.word(raw);
      const value = values.get(word) ?? { atoms: [], raws: new Set() };
      value.atoms.push(atom);
      value.raws.add(raw);
      values.set(word, value);
    }
    return [...values]
      .map(([value, { atoms: own, raws }]) => {
        const sums = sumAtoms(own);
        // Of several of the platform's values in one word nobody knows how many people they reached together.
        const [raw, ...others] = raws;
        const cell = `${name}=${raw}`;
        const reach =
          others.length > 0
            ? null
            : String(facts.reach(entity, date, date, cell, sums.impressions));
        return { sums, entry: { value, ...figures(sums, place, reach) } };
      })
      .filter(({ entry }) =>
        Object.entries(entry).some(
          ([key, figure]) => key !== 'value' && figure !== null && figure !== '0',
        ),
      )
      .toSorted((a, b) => (a.entry.value < b.entry.value ? -1 : 1));
  };

  return {
    day(entity: string, date: string, atoms: Atom[]): AdsTruthDay {
      const total = sumAtoms(atoms);
      const place = { level, list: undefined, date, at };
      const told: AdsTruthDay = {
        date,
        entity,
        total: figures(
          total,
          place,
          String(facts.reach(entity, date, date, '', total.impressions)),
        ),
        lists: {},
        unattributed: {},
      };
      if (level === 'ad') return told;
      for (const [name, rule] of Object.entries(rules.lists)) {
        const isGiven =
          rule.levels.includes(level) && rule.isTold?.(account.zone, date, at) !== false;
        const entries = isGiven ? list(name, rule, entity, date, atoms) : [];
        told.lists[name] = entries.map(({ entry }) => entry);
        if (!isGiven) continue;
        const listPlace = { ...place, list: name };
        const rest = { ...total };
        for (const metric of SUMMED) {
          const isKnown =
            metric === 'impressions' ||
            metric === 'clicks' ||
            metric === 'spend' ||
            (rules.supports(metric, listPlace) && rules.supports(metric, place));
          for (const { sums } of entries) rest[metric] -= sums[metric];
          if (!isKnown) rest[metric] = 0;
        }
        if (!isZero(rest)) told.unattributed[name] = figures(rest, listPlace, null);
      }
      return told;
    },
  };
}
