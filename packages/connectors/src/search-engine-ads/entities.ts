import { RetryableError } from '@tributary/runtime';
import type { Entity, EntityStatus } from '@tributary/shared';
import type { Question, SearchClient } from './client.ts';
import { type ProviderEntityRow, ProviderEntityRowSchema } from './schema.ts';

/** Removed objects are listed too: their statistics stay. */
const QUERIES = {
  c: 'SELECT campaign.id, campaign.name, campaign.status FROM campaign',
  g: 'SELECT campaign.id, ad_group.id, ad_group.name, ad_group.status FROM ad_group',
  d: 'SELECT ad_group.id, ad_group_ad.ad.id, ad_group_ad.ad.name, ad_group_ad.status FROM ad_group_ad',
} as const;
type ListedLevel = keyof typeof QUERIES;

const STATUS: Readonly<Record<string, EntityStatus>> = {
  ENABLED: 'active',
  PAUSED: 'paused',
  REMOVED: 'removed',
};

/** See {@link Connector.listEntities}. */
export async function* listEntities(
  client: SearchClient,
  place: Omit<Question, 'query'>,
): AsyncGenerator<Entity[]> {
  for (const level of ['c', 'g', 'd'] as const) {
    const question = { ...place, query: QUERIES[level] };
    for await (const page of client.pages(question, ProviderEntityRowSchema)) {
      if (page.length > 0) yield page.map((row) => entityOf(row, level, place.account));
    }
  }
}

function entityOf(row: ProviderEntityRow, level: ListedLevel, account: string): Entity {
  const { campaign, adGroup, adGroupAd } = row;
  const nodes = {
    c: { own: campaign, parent: account },
    g: { own: adGroup, parent: campaign?.id },
    d: { own: adGroupAd && { ...adGroupAd.ad, status: adGroupAd.status }, parent: adGroup?.id },
  };
  const { own, parent } = nodes[level];
  if (!own || parent === undefined) {
    const text = `Malformed row of level ${level}: '${JSON.stringify(row)}' lacks an id`;
    throw new RetryableError('malformed_row', text);
  }
  const status = STATUS[own.status ?? ''] ?? 'unknown';
  return { level, id: own.id, parent, title: own.name || own.id, status };
}
