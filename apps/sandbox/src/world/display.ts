import { type AdsFacts, createAdsFacts } from './ads-facts.ts';
import { type AdsAccount, type AdsTreePlan, createAdsTree } from './ads-tree.ts';

const DISPLAY_ZONE = 'Asia/Seoul';

/** The display channel's advertising, of which its API and its owner's feed tell alike. */
export interface DisplayWorld {
  /** The login is a member of it. */
  owned: AdsAccount;
  /** Reached through a manager account only. */
  managed: AdsAccount;
  /** Reached through the same manager account, and disabled. */
  closed: AdsAccount;
  accounts: readonly AdsAccount[];
  facts: AdsFacts;
}

const KOREA = { zone: DISPLAY_ZONE, currency: 'KRW' };

function treePlan(scale: number): AdsTreePlan {
  return {
    channel: 'PORTAL1_DA',
    accounts: [
      { name: '봄 상점', ...KOREA },
      { name: '대행 상점', ...KOREA },
      { name: '해지한 상점', ...KOREA, isClosed: true },
    ],
    idOf: (_kind, n) => String(100_000_000 + (n % 900_000_000)),
    campaigns: 4 * scale,
    adGroupsPerCampaign: 2,
    adsPerAdGroup: 2,
    keywordsPerAdGroup: 0,
    // A shopping campaign has asset groups: no list and no report of ad sets or creatives tells of it.
    campaignsWithoutAdGroups: 1,
  };
}

/** Values of each list as the owner's exporter spells them; '' = attributed to none. */
const DIMENSIONS = {
  age: { '18-24': 14, '25-34': 31, '35-44': 25, '45-54': 17, '55-64': 7, unknown: 4, '': 2 },
  gender: { female: 52, male: 43, unknown: 3, '': 2 },
  devicePlatform: { 'MOBILE ANDROID': 48, 'MOBILE IOS': 35, PC: 17 },
  publisherGroup: { 네이버: 71, 밴드: 16, 제휴: 13 },
  placementGroup: { 메인: 44, 서브: 30, 동영상: 20, '': 6 },
};

/** Lays out the accounts and figures of a seed; money with the tax in it has tenths of a won. */
export function createDisplayWorld(seed: string, scale: number): DisplayWorld {
  const accounts = createAdsTree(seed, treePlan(scale));
  const [owned, managed, closed] = accounts;
  if (!owned || !managed || !closed) throw new Error('The plan names three accounts');
  const facts = createAdsFacts(seed, {
    dimensions: DIMENSIONS,
    restatedDays: 7,
    moneyStep: 100_000,
    conversionStep: 1_000_000,
  });
  return { owned, managed, closed, accounts, facts };
}
