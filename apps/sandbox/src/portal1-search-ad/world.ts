import type { AdsTruthRules } from '../truth/ads-truth.ts';
import { type AdsFacts, type Atom, createAdsFacts } from '../world/ads-facts.ts';
import { type AdsAccount, type AdsNode, ancestorOf, createAdsTree } from '../world/ads-tree.ts';
import { daysBetween } from '../world/days.ts';
import { hash } from '../world/random.ts';

const ID_FORMS = { campaign: 'cmp', adGroup: 'grp', ad: 'nad', keyword: 'nkw' } as const;
const STANDING_CAMPAIGNS = 3;
/** The customers' numbers, whatever the seed: a client has to name one. */
const CUSTOMERS = ['1713808', '2712282', '2093302'];
/** Days for which hours and regions of conversions are kept. */
export const CONVERSION_DETAIL_DAYS = 45;

/** The names of the region codes; the other codes have none. */
export const REGION_NAMES: Readonly<Record<string, string>> = {
  '01': '강원특별자치도',
  '02': '경기도',
  '08': '부산광역시',
  '09': '서울특별시',
  '11': '인천광역시',
};

/** 00 = abroad, 99 = somewhere in Korea, -1 = nobody knows, 18 = a code that the dictionary lacks. */
const REGIONS = {
  '09': 34,
  '02': 28,
  '08': 9,
  '11': 8,
  '01': 4,
  '18': 3,
  '00': 3,
  '99': 6,
  '-1': 3,
  '': 2,
};

/** The second account rests as a whole: the first days of September 2026 have no figures at all. */
const QUIET_FROM = 36;

export interface SearchAdWorld {
  /** Two that the key reaches, and one that it does not. */
  accounts: readonly AdsAccount[];
  foreign: AdsAccount;
  facts: AdsFacts;
}

export function createWorld(seed: string, scale: number): SearchAdWorld {
  const zone = { zone: 'Asia/Seoul', currency: 'KRW' };
  const accounts = createAdsTree(seed, {
    channel: 'PORTAL1_SEARCH_AD',
    accounts: [
      { name: '검색 상점', ...zone },
      { name: 'Second shop', ...zone },
      { name: 'Foreign shop', ...zone },
    ],
    idOf: (kind, n) =>
      kind === 'account' ? `${n}` : `${ID_FORMS[kind]}-a001-01-${String(n).padStart(15, '0')}`,
    campaigns: STANDING_CAMPAIGNS * scale,
    adGroupsPerCampaign: 2,
    adsPerAdGroup: 2,
    keywordsPerAdGroup: 5,
  });
  const facts = createAdsFacts(`${seed}/search-ad`, {
    dimensions: {
      age: {
        AG0013: 1,
        AG1418: 5,
        AG1924: 14,
        AG2529: 20,
        AG3034: 19,
        AG4044: 15,
        AG60XX: 9,
        AGXXXX: 9,
        '': 8,
      },
      gender: { GNM: 42, GNF: 45, GNU: 8, '': 5 },
      region: REGIONS,
      device: { M: 70, P: 30 },
      media: { '27758': 60, '8753': 25, '96499': 15 },
      method: { '1': 70, '2': 30 },
    },
    restatedDays: 3,
    moneyStep: 100_000,
    conversionStep: 1_000_000,
  });
  for (const [index, account] of accounts.entries()) account.id = CUSTOMERS[index] ?? account.id;
  const [first, second, foreign] = accounts;
  if (!first || !second || !foreign) throw new Error('The plan names three accounts');
  for (const campaign of second.campaigns) {
    if (campaign.endedOn === undefined) campaign.restsFrom = QUIET_FROM;
  }
  return { accounts: [first, second], foreign, facts };
}

/** The last standing campaign of an account: a kind of advertising to which no targets apply. */
export function isBrandSearch(campaign: AdsNode): boolean {
  const standing = campaign.account.campaigns.filter(({ endedOn }) => endedOn === undefined);
  return standing.at(-1) === campaign;
}

/** What the platform no longer tells the name of. */
export function isNameless(keyword: AdsNode): boolean {
  return hash(`nameless/${keyword.id}`) % 13 === 0;
}

/** True while hours and regions of a day's conversions can still be had. */
export function hasConversionDetail(date: string, today: string): boolean {
  return daysBetween(date, today) <= CONVERSION_DETAIL_DAYS;
}

function targetOf(atom: Atom, name: 'age' | 'gender'): string {
  const campaign = ancestorOf(atom.leaf, 'campaign');
  return campaign !== undefined && isBrandSearch(campaign) ? '' : (atom.values[name] ?? '');
}

/** The criterion codes of an atom; '' where none applies. */
export const ageOf = (atom: Atom): string => targetOf(atom, 'age');
export const genderOf = (atom: Atom): string => targetOf(atom, 'gender');

function ageWord(code: string): string {
  const [from, to] = [code.slice(2, 4), code.slice(4, 6)];
  if (from === 'XX') return 'unknown';
  return to === 'XX' ? `${Number(from)}+` : `${Number(from)}-${Number(to)}`;
}

/** What a correct product does with this platform's figures. */
export function truthRules({ accounts }: SearchAdWorld): AdsTruthRules {
  const levels = ['campaign', 'adGroup'] as const;
  const names = new Map(
    accounts.flatMap(({ keywords }) =>
      keywords.filter((one) => !isNameless(one)).map(({ id, name }) => [id, name]),
    ),
  );
  const genders: Record<string, string> = { GNM: 'male', GNF: 'female', GNU: 'unknown' };
  const regionWord = (code: string) => (code === '-1' ? 'unknown' : (REGION_NAMES[code] ?? code));
  const zone = accounts[0]?.zone;
  return {
    lists: {
      age: { raw: ageOf, word: ageWord, levels },
      gender: { raw: genderOf, word: (code) => genders[code] ?? code, levels },
      keyword: { raw: (atom) => atom.keyword?.id ?? '', word: (id) => names.get(id) ?? id, levels },
      region: { raw: (atom) => atom.values.region ?? '', word: regionWord, levels },
      device: {
        raw: (atom) => atom.values.device ?? '',
        word: (code) => (code === 'P' ? 'desktop' : 'mobile'),
        levels,
      },
      hour: { raw: ({ hour }) => String(hour).padStart(2, '0'), word: (hour) => hour, levels },
    },
    supports(metric, { list, date, at }) {
      if (metric === 'reach' || metric === 'rimp') return false;
      const isDetail = list === 'hour' || list === 'region';
      return !isDetail || zone === undefined || hasConversionDetail(date, zone.dateAt(at));
    },
  };
}
