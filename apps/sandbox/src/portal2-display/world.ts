import { type AdsFacts, type AdsFactsPlan, type Atom, createAdsFacts } from '../world/ads-facts.ts';
import { type AdsAccount, type AdsNode, ancestorOf, createAdsTree } from '../world/ads-tree.ts';

const ZONE = 'Asia/Seoul';
const CAMPAIGNS = 4;

const FACTS: AdsFactsPlan = {
  dimensions: {
    device: { Android: 6, iOS: 3, PC: 2, '': 0.3 },
    placement: { 카카오톡: 6, 다음: 2, 카카오스토리: 1, 카카오서비스: 1, 네트워크: 2, '': 0.3 },
    age: {
      '15~19': 1,
      '20~24': 2,
      '25~29': 3,
      '30~34': 3,
      '35~39': 2,
      '40~44': 2,
      '45~49': 1,
      '50~54': 1,
      '55~59': 1,
      '60~64': 0.5,
      '65~69': 0.5,
      '70~': 0.3,
      알수없음: 0.5,
      '': 0.3,
    },
    gender: { M: 4, F: 5, 알수없음: 0.5, '': 0.3 },
    region: { 서울: 5, 경기: 4, 부산: 2, 인천: 1, 제주: 1, 해외: 0.5, '': 0.3 },
  },
  restatedDays: 7,
  moneyStep: 1_000_000,
  conversionStep: 1_000_000,
};

/** The two kinds of campaigns that the demo accounts have. */
export type CampaignType = 'DISPLAY' | 'TALK_BIZ_BOARD';

export interface DisplayWorld {
  accounts: readonly AdsAccount[];
  facts: AdsFacts;
}

export function createDisplayWorld(seed: string, scale: number): DisplayWorld {
  const account = { zone: ZONE, currency: 'KRW' };
  const accounts = createAdsTree(seed, {
    channel: 'PORTAL2_DISPLAY',
    accounts: [
      { ...account, name: '모먼트 데모 스토어' },
      { ...account, name: '모먼트 데모 여행 "봄"' },
      { ...account, name: '종료된 계정', isClosed: true },
    ],
    idOf: (kind, n) =>
      kind === 'account' ? String(100_000 + (n % 900_000)) : String(1_000_000_000 + n),
    campaigns: CAMPAIGNS * scale,
    adGroupsPerCampaign: 2,
    adsPerAdGroup: 2,
    keywordsPerAdGroup: 0,
    seasonsFrom: 2026,
  });
  return { accounts, facts: createAdsFacts(seed, FACTS) };
}

/** Every fourth campaign, from the second on, is sold on the talk list's board. */
export function campaignTypeOf(campaign: AdsNode): CampaignType {
  return campaign.account.campaigns.indexOf(campaign) % CAMPAIGNS === 1
    ? 'TALK_BIZ_BOARD'
    : 'DISPLAY';
}

/** Where the platform's dimensions come from in an atom. */
export const DIMENSIONS = {
  DEVICE_TYPE: { key: 'device_type', list: 'device' },
  PLACEMENT: { key: 'placement', list: 'placement' },
  AGE: { key: 'age', list: 'age' },
  GENDER: { key: 'gender', list: 'gender' },
  LOCATION: { key: 'location', list: 'region' },
  HOUR: { key: 'hour', list: 'hour' },
} as const;
export type Dimension = keyof typeof DIMENSIONS;

/** The platform's value of a list for an atom; '' = it attributes it to none. Hours are known of every campaign. */
export function dimensionValue(atom: Atom, list: string): string {
  if (list === 'hour') return hourText(atom.hour);
  const campaign = ancestorOf(atom.leaf, 'campaign');
  if (campaign && campaignTypeOf(campaign) !== 'DISPLAY') return '';
  return atom.values[list] ?? '';
}

function hourText(hour: number): string {
  const text = String(hour).padStart(2, '0');
  return `${text}:00~${text}:59`;
}

/** Whether a conversion came within a day of its click. */
export function isWithinADay({ fromHour, hour }: Atom): boolean {
  return fromHour - hour - 1 < 24;
}
