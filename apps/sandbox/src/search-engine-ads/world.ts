import { createAdsFacts } from '../world/ads-facts.ts';
import { type AdsKind, type AdsNode, createAdsTree } from '../world/ads-tree.ts';

/** The manager account above all clients; it has no campaigns and no metrics. */
export const MANAGER_ID = '9000000001';
export const MANAGER_NAME = 'Sandbox manager';

/** A place that the platform has an id for. `canonicalName` tells apart what bears the same name. */
export interface Place {
  name: string;
  canonicalName: string;
  countryCode: string;
  /** The criterion of its country. */
  country: string;
}

const KOREA = { countryCode: 'KR', country: '2410' };
const STATES = { countryCode: 'US', country: '2840' };

export const PLACES: Readonly<Record<string, Place>> = {
  '1009871': { name: 'Seoul', canonicalName: 'Seoul,South Korea', ...KOREA },
  '1009844': { name: 'Busan', canonicalName: 'Busan,South Korea', ...KOREA },
  '21167': { name: 'New York', canonicalName: 'New York,United States', ...STATES },
  '21137': { name: 'California', canonicalName: 'California,United States', ...STATES },
  '20762': {
    name: 'Limburg',
    canonicalName: 'Limburg,Netherlands',
    countryCode: 'NL',
    country: '2528',
  },
  '20053': {
    name: 'Limburg',
    canonicalName: 'Limburg,Flanders,Belgium',
    countryCode: 'BE',
    country: '2056',
  },
};
/** A region that reports still tell of, but that no lookup knows any more. */
export const NAMELESS_PLACE = '9198001';
/** A user whose country is known and whose region is not: the row comes without the segment. */
export const NO_REGION = 'none';

const FIRST_DIGITS: Readonly<Record<AdsKind | 'account', number>> = {
  account: 1_000_000_000,
  campaign: 20_000_000_000,
  adGroup: 140_000_000_000,
  ad: 700_000_000_000,
  keyword: 300_000_000_000,
};

const PLAN = {
  channel: 'SEARCH_ENGINE_ADS',
  accounts: [
    { name: '서울 가게', zone: 'Asia/Seoul', currency: 'KRW' },
    { name: 'New York store', zone: 'America/New_York', currency: 'USD' },
    { name: 'Old store', zone: 'America/New_York', currency: 'USD', isClosed: true },
  ],
  idOf: (kind: AdsKind | 'account', n: number) =>
    String(FIRST_DIGITS[kind] + (n % (kind === 'account' ? 900_000_000 : 4_000_000_000))),
  adGroupsPerCampaign: 2,
  adsPerAdGroup: 2,
  keywordsPerAdGroup: 4,
};
const CAMPAIGNS = 4;

const FACTS_PLAN = {
  dimensions: {
    device: { MOBILE: 60, DESKTOP: 28, TABLET: 6, CONNECTED_TV: 4, OTHER: 2 },
    age: {
      AGE_RANGE_18_24: 16,
      AGE_RANGE_25_34: 26,
      AGE_RANGE_35_44: 20,
      AGE_RANGE_45_54: 12,
      AGE_RANGE_55_64: 7,
      AGE_RANGE_65_UP: 5,
      AGE_RANGE_UNDETERMINED: 10,
      '': 4,
    },
    gender: { MALE: 44, FEMALE: 42, UNDETERMINED: 10, '': 4 },
    region: {
      ...Object.fromEntries(Object.keys(PLACES).map((id) => [id, 15])),
      [NAMELESS_PLACE]: 3,
      [NO_REGION]: 4,
      '': 3,
    },
    isTargeted: { true: 70, false: 30 },
    /** Where somebody was interested in, besides where they were. */
    interest: { '': 70, '1009871': 20, '21167': 10 },
  },
  restatedDays: 30,
  moneyStep: 10_000,
  conversionStep: 10_000,
};

export interface SearchWorld {
  accounts: ReturnType<typeof createAdsTree>;
  facts: ReturnType<typeof createAdsFacts>;
}

/** The clients of the manager; one campaign of each (Performance Max) has no ad groups. */
export function createSearchWorld(seed: string, scale: number): SearchWorld {
  const campaigns = (CAMPAIGNS - 1) * scale + 1;
  return {
    accounts: createAdsTree(seed, { ...PLAN, campaigns, campaignsWithoutAdGroups: 1 }),
    facts: createAdsFacts(seed, FACTS_PLAN),
  };
}

const MATCH_TYPES = ['BROAD', 'PHRASE', 'EXACT', 'EXACT'] as const;

/** A keyword as the platform spells it: the last one of an ad group is the first one again with another match type. */
export function keywordOf(node: AdsNode): { text: string; matchType: string } {
  const siblings = node.parent?.children.filter(({ kind }) => kind === 'keyword') ?? [];
  const index = siblings.indexOf(node);
  const named = index === PLAN.keywordsPerAdGroup - 1 ? siblings[0] : node;
  return { text: named?.name ?? node.name, matchType: MATCH_TYPES[index] ?? 'BROAD' };
}
