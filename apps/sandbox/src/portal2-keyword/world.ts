import type { AdsTruthRules } from '../truth/ads-truth.ts';
import { type AdsFacts, type AdsFactsPlan, type Atom, createAdsFacts } from '../world/ads-facts.ts';
import {
  type AdsAccount,
  type AdsKind,
  type AdsNode,
  type AdsTreePlan,
  createAdsTree,
} from '../world/ads-tree.ts';

const CHANNEL = 'PORTAL2_KEYWORD';
const CAMPAIGNS = 4;
const ID_DIGITS: Readonly<Record<AdsKind | 'account', string>> = {
  account: '4',
  campaign: '33',
  adGroup: '44',
  keyword: '55',
  ad: '77',
};

const ACCOUNTS: AdsTreePlan['accounts'] = [
  { name: '찻집 키워드', zone: 'Asia/Seoul', currency: 'KRW' },
  { name: 'Running shop', zone: 'Asia/Seoul', currency: 'KRW' },
  { name: 'Closed shop', zone: 'Asia/Seoul', currency: 'KRW', isClosed: true },
];

const FACTS: AdsFactsPlan = {
  dimensions: {
    device: { PC: 4, MOBILE: 7, '': 1 },
    placement: {
      KAKAO_SEARCH: 8,
      PARTNER_SEARCH: 4,
      KAKAO_CONTENT: 2,
      PARTNER_CONTENT: 1,
      '': 1,
    },
  },
  restatedDays: 7,
  moneyStep: 1_000_000,
  conversionStep: 1_000_000,
};

/** What the platform knows, apart from how it tells it. */
export interface KeywordWorld {
  accounts: readonly AdsAccount[];
  facts: AdsFacts;
}

export function createKeywordWorld(seed: string, scale: number): KeywordWorld {
  const plan: AdsTreePlan = {
    channel: CHANNEL,
    accounts: ACCOUNTS,
    idOf: (kind, n) => `${ID_DIGITS[kind]}${String(n % 100_000_000).padStart(8, '0')}`,
    campaigns: CAMPAIGNS * scale,
    adGroupsPerCampaign: 2,
    adsPerAdGroup: 2,
    keywordsPerAdGroup: 5,
    seasonsFrom: 2026,
  };
  return { accounts: createAdsTree(seed, plan), facts: createAdsFacts(seed, FACTS) };
}

/** The reports tell of talk channel campaigns, the lists do not know them: the last standing one is such a one. */
export function isTalkChannel(node: AdsNode): boolean {
  let campaign = node;
  while (campaign.parent) campaign = campaign.parent;
  return campaign === campaign.account.campaigns.findLast(({ endedOn }) => endedOn === undefined);
}

/** A keyword as it can be known: its text comes from the lists. */
function keywordWord({ keyword, leaf }: Atom): string {
  if (!keyword) return '';
  return isTalkChannel(leaf) ? keyword.id : keyword.name;
}

/** The creative that a link shows: links are what reports count, creatives have the names. */
export function creativeIdOf(link: AdsNode): string {
  return `66${link.id.slice(2)}`;
}

/** One website for each account. */
export function bizChannelIdOf(account: AdsAccount): string {
  return `22${account.id.slice(1)}`;
}

const DEVICES: Readonly<Record<string, string>> = { PC: 'desktop', MOBILE: 'mobile' };
const EVERY_LEVEL = ['account', 'campaign', 'adGroup'] as const;
const same = (raw: string) => raw;

/** What a correct product comes out with: conversions of 7 days, none at the account, whose report knows delivery only. */
export const TRUTH_RULES: AdsTruthRules = {
  lists: {
    device: {
      raw: (atom) => atom.values.device ?? '',
      word: (raw) => DEVICES[raw] ?? 'other',
      levels: EVERY_LEVEL,
    },
    hour: {
      raw: (atom) => String(atom.hour).padStart(2, '0'),
      word: same,
      levels: EVERY_LEVEL,
    },
    placement: { raw: (atom) => atom.values.placement ?? '', word: same, levels: EVERY_LEVEL },
    keyword: { raw: keywordWord, word: same, levels: EVERY_LEVEL },
  },
  supports: (metric, { level }) => metric !== 'reach' && level !== 'account',
};

/** A purchase within a day of its click; all of the world's lie within the 7 days of the longer window. */
export function isWithinOneDay({ hour, fromHour }: Atom): boolean {
  return fromHour - hour <= 24;
}
