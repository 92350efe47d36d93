import { z } from 'zod';
import type { SearchAdClient } from './client.ts';
import {
  ProviderAdGroupSchema,
  ProviderDictionarySchema,
  ProviderKeywordSchema,
} from './schema.ts';

const IDS_PER_CALL = 100;
const KNOWN_MAX = 200_000;

/**
 * What the files name by id only. None of it ever changes at the platform (a keyword's text and an ad group's campaign
 * are fixed), so it is asked for once per process.
 */
export interface Names {
  /** Names of keywords by id; without an entry the platform tells none. */
  keywords(client: SearchAdClient, ids: Iterable<string>): Promise<ReadonlyMap<string, string>>;
  /** Campaigns of ad groups by id; without an entry the platform no longer knows the ad group. */
  campaigns(client: SearchAdClient, groups: Iterable<string>): Promise<ReadonlyMap<string, string>>;
  /** What a file told by the way. */
  learnCampaign(group: string, campaign: string): void;
  /** Names of regions by the reports' code; without an entry the platform tells none. */
  regions(client: SearchAdClient): Promise<ReadonlyMap<string, string>>;
}

export function createNames(): Names {
  const keywords = new Map<string, string | undefined>();
  const campaigns = new Map<string, string | undefined>();
  let regions: ReadonlyMap<string, string> | undefined;
  return {
    keywords: (client, ids) =>
      lookUp(keywords, ids, async (missing) => {
        const path = '/ncc/keywords';
        const found = await byIds(client, path, missing, ProviderKeywordSchema);
        return found.map(({ nccKeywordId, keyword }) => [nccKeywordId, keyword || undefined]);
      }),
    campaigns: (client, groups) =>
      lookUp(campaigns, groups, async (missing) => {
        const found = await byIds(client, '/ncc/adgroups', missing, ProviderAdGroupSchema);
        return found.map(({ nccAdgroupId, nccCampaignId }) => [nccAdgroupId, nccCampaignId]);
      }),
    learnCampaign(group, campaign) {
      remember(campaigns, group, campaign);
    },
    async regions(client) {
      regions ??= await readRegions(client);
      return regions;
    },
  };
}

function byIds<T>(
  client: SearchAdClient,
  path: string,
  ids: readonly string[],
  row: z.ZodType<T>,
): Promise<T[]> {
  const query = { ids: ids.join(',') };
  return client.call({ path, query, family: 'lists' }, z.array(row));
}

async function readRegions(client: SearchAdClient): Promise<ReadonlyMap<string, string>> {
  const call = { path: '/ncc/criterion-dictionary/RL', family: 'lists' } as const;
  const entries = await client.call(call, ProviderDictionarySchema);
  return new Map(
    entries.flatMap(({ dictionaryCode, name }) =>
      name ? [[dictionaryCode.replace(/^RL/, ''), name] as const] : [],
    ),
  );
}

type Found = readonly (readonly [id: string, told: string | undefined])[];

/** Asks for what is not known, a hundred ids a call; remembers also what the platform does not tell. */
async function lookUp(
  known: Map<string, string | undefined>,
  ids: Iterable<string>,
  ask: (missing: readonly string[]) => Promise<Found>,
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)];
  const answer = new Map<string, string>();
  const missing: string[] = [];
  for (const id of wanted) {
    const told = known.get(id);
    if (told !== undefined) answer.set(id, told);
    else if (!known.has(id)) missing.push(id);
  }
  for (let at = 0; at < missing.length; at += IDS_PER_CALL) {
    const asked = missing.slice(at, at + IDS_PER_CALL);
    const found = new Map(await ask(asked));
    for (const id of asked) {
      const told = found.get(id);
      remember(known, id, told);
      if (told !== undefined) answer.set(id, told);
    }
  }
  return answer;
}

function remember(known: Map<string, string | undefined>, id: string, told: string | undefined) {
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(id, told);
}
