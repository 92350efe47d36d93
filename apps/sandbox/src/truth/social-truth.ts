import { addMonths, datesOf } from '../world/days.ts';
import {
  type AdDay,
  CLICKS,
  IMPRESSIONS,
  type LateEvent,
  METRIC_COUNT,
  NO_HOUR,
  type SocialFacts,
  SPEND,
} from '../world/social-facts.ts';
import type { SegmentGroup } from '../world/social-segments.ts';
import type { SocialAccount, SocialEntity } from '../world/social-tree.ts';

export const TRUTH_LEVELS = ['account', 'campaign', 'adGroup', 'ad'] as const;
export type TruthLevel = (typeof TRUTH_LEVELS)[number];
export const TRUTH_ACTIONS = [
  'omni_purchase',
  'purchase',
  'offsite_conversion.fb_pixel_purchase',
  'onsite_conversion.purchase',
] as const;

export interface TruthQuestion {
  account: SocialAccount;
  level: TruthLevel;
  /** Only this entity; its days without delivery are told too. */
  id: string | undefined;
  start: string;
  end: string;
  /** Epoch milliseconds: the figures as the platform reports them then. */
  at: number;
  action: (typeof TRUTH_ACTIONS)[number];
}

/** Figures as decimal strings, money in the currency's main unit; null where the channel has no such figure there. */
export interface TruthFigures {
  impressions: string;
  clicks: string;
  conversions: string | null;
  amount: string | null;
  spend: string;
  reach: string | null;
}

export interface TruthDay {
  date: string;
  entity: string;
  total: TruthFigures;
  /** Lists in the interface's words; none at level ad. */
  lists: Record<string, ({ value: string } & TruthFigures)[]>;
  /** What a list lacks of the total; lists that lack nothing are absent. */
  unattributed: Record<string, Omit<TruthFigures, 'reach'>>;
}

class Sum {
  impressions = 0;
  clicks = 0;
  spendMinor = 0;
  conversions = 0;
  amountMinor = 0;

  addCells(cells: Int32Array, cell: number): void {
    this.impressions += cells[cell * METRIC_COUNT + IMPRESSIONS] ?? 0;
    this.clicks += cells[cell * METRIC_COUNT + CLICKS] ?? 0;
    this.spendMinor += cells[cell * METRIC_COUNT + SPEND] ?? 0;
  }

  addPurchase(event: LateEvent): void {
    this.conversions += 1;
    this.amountMinor += event.purchase?.valueMinor ?? 0;
  }

  /** This without the sum of the parts. */
  minus(parts: Iterable<Sum>): Sum {
    const rest = Object.assign(new Sum(), this);
    for (const part of parts) {
      rest.impressions -= part.impressions;
      rest.clicks -= part.clicks;
      rest.spendMinor -= part.spendMinor;
      rest.conversions -= part.conversions;
      rest.amountMinor -= part.amountMinor;
    }
    return rest;
  }

  isZero(): boolean {
    return this.impressions + this.clicks + this.spendMinor + this.conversions === 0;
  }
}

interface ListRule {
  group: SegmentGroup | 'hour';
  /** The platform's key for the list; reach belongs to one of its values. */
  key: string;
  /** Our word for the platform's value. */
  word(value: string): string;
  hasConversions: boolean;
  hasReach(word: string): boolean;
}

const same = (value: string): string => value;
const always = (): boolean => true;
const never = (): boolean => false;

const LISTS: Record<string, ListRule> = {
  age: {
    group: 'demo',
    key: 'age',
    word: (value) => value.toLowerCase(),
    hasConversions: true,
    hasReach: always,
  },
  gender: { group: 'demo', key: 'gender', word: same, hasConversions: true, hasReach: always },
  country: { group: 'geo', key: 'country', word: same, hasConversions: true, hasReach: always },
  region: { group: 'geo', key: 'region', word: same, hasConversions: false, hasReach: always },
  device: {
    group: 'place',
    key: 'device_platform',
    // In apps and on the mobile web: one word, so the people reached by each cannot be added.
    word: (value) => (value.startsWith('mobile') ? 'mobile' : value),
    hasConversions: true,
    hasReach: (word) => word !== 'mobile',
  },
  hour: { group: 'hour', key: 'hour', word: same, hasConversions: false, hasReach: never },
};

function decimal(minor: number, digits: number): string {
  const text = String(minor).padStart(digits + 1, '0');
  return digits === 0
    ? text
    : `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, '');
}

function entityOf(ad: SocialEntity, level: TruthLevel): string {
  if (level === 'ad') return ad.id;
  const adset = ad.parent;
  if (level === 'adGroup') return adset?.id ?? '';
  return (level === 'campaign' ? adset?.parent?.id : ad.account.id) ?? '';
}

/** Writes down what a correct product must come out with, from the facts of single ads and apart from any dialect. */
export function createSocialTruth(facts: SocialFacts) {
  const counts = (event: LateEvent, action: TruthQuestion['action']): boolean => {
    if (action === 'offsite_conversion.fb_pixel_purchase') return event.purchase?.place === 'pixel';
    if (action === 'onsite_conversion.purchase') return event.purchase?.place === 'onsite';
    return event.purchase !== undefined;
  };

  const valueAt = (account: SocialAccount, rule: ListRule, cell: number): string | undefined => {
    if (rule.group !== 'hour') return facts.segments(account)[rule.group][cell]?.values[rule.key];
    return cell === NO_HOUR ? undefined : String(cell).padStart(2, '0');
  };

  const listSums = (question: TruthQuestion, rule: ListRule, days: AdDay[]): Map<string, Sum> => {
    const sums = new Map<string, Sum>();
    const sumOf = (cell: number): Sum | undefined => {
      const value = valueAt(question.account, rule, cell);
      if (value === undefined) return undefined;
      const sum = sums.get(rule.word(value)) ?? new Sum();
      sums.set(rule.word(value), sum);
      return sum;
    };
    for (const day of days) {
      const cells = day.cells[rule.group];
      for (let cell = 0; cell * METRIC_COUNT < cells.length; cell += 1)
        sumOf(cell)?.addCells(cells, cell);
      if (!rule.hasConversions) continue;
      for (const event of day.purchases) {
        if (counts(event, question.action)) sumOf(event.cell[rule.group])?.addPurchase(event);
      }
    }
    for (const [word, sum] of sums) if (sum.isZero()) sums.delete(word);
    return sums;
  };

  const additive = (
    sum: Sum,
    digits: number,
    hasConversions: boolean,
  ): Omit<TruthFigures, 'reach'> => ({
    impressions: String(sum.impressions),
    clicks: String(sum.clicks),
    conversions: hasConversions ? String(sum.conversions) : null,
    amount: hasConversions ? decimal(sum.amountMinor, digits) : null,
    spend: decimal(sum.spendMinor, digits),
  });

  const dayOf = (
    question: TruthQuestion,
    entity: string,
    date: string,
    days: AdDay[],
  ): TruthDay => {
    const { account, at, level } = question;
    const digits = account.minorDigits;
    const total = new Sum();
    for (const day of days) {
      total.addCells(day.total, 0);
      for (const event of day.purchases)
        if (counts(event, question.action)) total.addPurchase(event);
    }
    const reach = (cell: string, sum: Sum): string =>
      String(facts.reach(entity, date, date, cell, sum.impressions));
    const told: TruthDay = {
      date,
      entity,
      total: { ...additive(total, digits, true), reach: reach('', total) },
      lists: {},
      unattributed: {},
    };
    // The platform tells no reach of breakdowns that are older than 13 months.
    const isOld = date < addMonths(account.zone.dateAt(at), -13);
    for (const [name, rule] of Object.entries(level === 'ad' ? {} : LISTS)) {
      const sums = listSums(question, rule, days);
      told.lists[name] = [...sums].sort().map(([value, sum]) => {
        // The platform's spelling differs from ours in one value that has a reach of its own.
        const raw = value === 'unknown' && name === 'age' ? 'Unknown' : value;
        const hasReach = rule.hasReach(value) && !isOld;
        return {
          value,
          ...additive(sum, digits, rule.hasConversions),
          reach: hasReach ? reach(`${rule.key}=${raw}`, sum) : null,
        };
      });
      const rest = total.minus(sums.values());
      if (!rule.hasConversions) rest.conversions = 0;
      if (!rest.isZero()) told.unattributed[name] = additive(rest, digits, rule.hasConversions);
    }
    return told;
  };

  return (question: TruthQuestion): TruthDay[] => {
    const { account, level, id, start, end, at } = question;
    return datesOf(start, end).flatMap((date) => {
      const byEntity = new Map<string, AdDay[]>();
      if (id !== undefined) byEntity.set(id, []);
      for (const ad of account.ads) {
        const entity = entityOf(ad, level);
        if (id !== undefined && entity !== id) continue;
        const day = facts.adDay(ad, date, at);
        if (day !== undefined) byEntity.set(entity, [...(byEntity.get(entity) ?? []), day]);
      }
      return [...byEntity]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([entity, days]) => dayOf(question, entity, date, days));
    });
  };
}
