import type { Clock } from '@tributary/runtime';
import type { Portal2Client } from '../portal2/client.ts';
import { asFarAsTold, wholeList } from './lists.ts';
import { ProviderAdGroupsSchema, ProviderKeywordsSchema } from './schema.ts';

/** A keyword's text never changes; what the platform did not tell is asked for again after this. */
const UNTOLD_MS = 6 * 3_600_000;
const KEYWORDS_KEPT = 100_000;

/** What the lists tell of a keyword; the report knows its id. */
export interface Keyword {
  adGroup: string;
  text: string;
}

/** A keyword as a report row names it. */
export interface KeywordId {
  id: string;
  /** Where the report tells it. */
  adGroup: string | undefined;
}

export interface KeywordCampaign {
  link: string;
  account: string;
  campaign: string;
}

/** Texts and ad groups of keywords by their ids. */
export interface KeywordBook {
  /** The keywords that the platform tells of, by id. */
  lookUp(
    client: Portal2Client,
    campaign: KeywordCampaign,
    ids: readonly KeywordId[],
  ): Promise<ReadonlyMap<string, Keyword>>;
}

/** Remembers keywords over calls, so that their lists are read once: there is a list for each ad group. */
export function createKeywordBook(clock: Clock): KeywordBook {
  const known = new Map<string, Keyword | { askAgainAt: number }>();
  return {
    async lookUp(client, campaign, ids) {
      const keyOf = (id: string) => `${campaign.link}/${campaign.account}/${id}`;
      const now = clock.now();
      const found = new Map<string, Keyword>();
      const open = new Map<string, KeywordId>();
      for (const one of ids) {
        const entry = known.get(keyOf(one.id));
        if (entry && 'text' in entry) found.set(one.id, entry);
        else if (!entry || entry.askAgainAt <= now) open.set(one.id, one);
      }
      if (open.size === 0) return found;
      const told = await readKeywords(client, campaign, [...open.values()]);
      if (known.size + told.size > KEYWORDS_KEPT) known.clear();
      for (const id of open.keys()) known.set(keyOf(id), { askAgainAt: now + UNTOLD_MS });
      for (const [id, keyword] of told) {
        known.set(keyOf(id), keyword);
        if (open.has(id)) found.set(id, keyword);
      }
      return found;
    },
  };
}

/** Reads the lists of the ad groups in question; of all in the campaign where the report names none. */
async function readKeywords(
  client: Portal2Client,
  { account, campaign }: KeywordCampaign,
  open: readonly KeywordId[],
): Promise<Map<string, Keyword>> {
  const named = open.map(({ adGroup }) => adGroup);
  const adGroups = named.includes(undefined)
    ? await adGroupsOf(client, account, campaign)
    : [...new Set(named.filter((adGroup) => adGroup !== undefined))];
  const keywords = new Map<string, Keyword>();
  for (const adGroup of adGroups) {
    const call = { path: 'keywords', params: { adGroupId: adGroup }, account };
    const list = await asFarAsTold(wholeList(client, call, ProviderKeywordsSchema));
    for (const { id, text } of list ?? []) keywords.set(id, { adGroup, text });
  }
  return keywords;
}

async function adGroupsOf(client: Portal2Client, account: string, campaign: string) {
  const call = { path: 'adGroups', params: { campaignId: campaign }, account };
  const list = await asFarAsTold(wholeList(client, call, ProviderAdGroupsSchema));
  return (list ?? []).map(({ id }) => id);
}
