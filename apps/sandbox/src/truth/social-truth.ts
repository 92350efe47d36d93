import { addMonths, datesOf } from '../world/days.ts';
import type { SocialFacts } from '../world/social-facts.ts';
import type { AdDay, LateEvent } from '../world/social-figures.ts';
import type { SocialAccount, SocialEntity } from '../world/social-tree.ts';
import { type AdditiveFigures, Sum, type TruthFigures } from './figures.ts';
import { listEntries, SOCIAL_LISTS } from './social-lists.ts';
import type { TruthLevel } from './truth-teller.ts';

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

export interface TruthDay {
  date: string;
  entity: string;
  total: TruthFigures;
  /** Lists in the interface's words; none at level ad. */
  lists: Record<string, ({ value: string } & TruthFigures)[]>;
  /** What a list lacks of the total; a list that lacks nothing is absent. */
  unattributed: Record<string, AdditiveFigures>;
}

/** The platform tells no reach of breakdowns that are older. */
const REACH_MONTHS = 13;

function entityOf(ad: SocialEntity, level: TruthLevel): string {
  if (level === 'ad') return ad.id;
  if (level === 'adGroup') return ad.parent?.id ?? '';
  return (level === 'campaign' ? ad.parent?.parent?.id : ad.account.id) ?? '';
}

function counts(event: LateEvent, action: TruthQuestion['action']): boolean {
  if (action === 'offsite_conversion.fb_pixel_purchase') return event.purchase?.place === 'pixel';
  if (action === 'onsite_conversion.purchase') return event.purchase?.place === 'onsite';
  return event.purchase !== undefined;
}

function tellDay(
  facts: SocialFacts,
  question: TruthQuestion,
  entity: string,
  date: string,
  days: AdDay[],
): TruthDay {
  const { account, at, level, action } = question;
  const digits = account.minorDigits;
  const isCounted = (event: LateEvent): boolean => counts(event, action);
  const reach = (cell: string, sum: Sum): string =>
    String(facts.reach(entity, date, date, cell, sum.impressions));
  const total = new Sum();
  for (const day of days) {
    total.addCell(day.total, 0);
    for (const event of day.purchases) if (isCounted(event)) total.addPurchase(event);
  }
  const told: TruthDay = {
    date,
    entity,
    total: { ...total.told(digits, true), reach: reach('', total) },
    lists: {},
    unattributed: {},
  };
  const isOld = date < addMonths(account.zone.dateAt(at), -REACH_MONTHS);
  for (const [name, rule] of Object.entries(level === 'ad' ? {} : SOCIAL_LISTS)) {
    const entries = listEntries(rule, facts.segments(account), days, isCounted);
    told.lists[name] = entries.map(({ value, sum, reachCell }) => ({
      value,
      ...sum.told(digits, rule.hasConversions),
      reach: reachCell === undefined || isOld ? null : reach(reachCell, sum),
    }));
    const rest = total.minus(entries.map(({ sum }) => sum));
    if (!rule.hasConversions) rest.conversions = 0;
    if (!rest.isZero()) told.unattributed[name] = rest.told(digits, rule.hasConversions);
  }
  return told;
}

/** What a correct product must come out with, added up from the facts of single ads and apart from any dialect. */
export function tellSocialTruth(facts: SocialFacts, question: TruthQuestion): TruthDay[] {
  const { account, level, id, start, end, at } = question;
  return datesOf(start, end).flatMap((date) => {
    const byEntity = new Map<string, AdDay[]>(id === undefined ? [] : [[id, []]]);
    for (const ad of account.ads) {
      const entity = entityOf(ad, level);
      const day = id === undefined || entity === id ? facts.adDay(ad, date, at) : undefined;
      if (day !== undefined) byEntity.set(entity, [...(byEntity.get(entity) ?? []), day]);
    }
    return [...byEntity]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([entity, days]) => tellDay(facts, question, entity, date, days));
  });
}
