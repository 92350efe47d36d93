import { RetryableError } from '@tributary/runtime';
import { CHANNELS, type ChannelAccount, type Entity, type EntityStatus } from '@tributary/shared';
import { z } from 'zod';
import type { SearchAdAccess, SearchAdCall, SearchAdClient } from './client.ts';
import {
  type ProviderAdAccount,
  ProviderAdAccountsSchema,
  ProviderAdGroupSchema,
  ProviderAdSchema,
  ProviderCampaignSchema,
  ProviderHeadlineSchema,
} from './schema.ts';

const PAGE_ROWS = 1_000;
const PAGES_MAX = 1_000;

const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  ['ELIGIBLE', 'active'],
  ['LIMITED_ELIGIBLE', 'active'],
  ['PAUSED', 'paused'],
  ['DELETED', 'removed'],
]);

/**
 * The one account that the credentials name; see {@link Connector.listAccounts}. Its days are Korean ones whatever zone the
 * account shows, because the reports' are.
 */
export async function listAccounts(
  client: SearchAdClient,
  { credentials: { customerId }, settings }: SearchAdAccess,
): Promise<ChannelAccount[]> {
  const found = await findAdAccount(client, customerId);
  // An account may be reached without being listed: then its campaigns prove it.
  if (!found) await firstPage(client);
  const { defaultZone: zone, defaultCurrency } = CHANNELS.PORTAL1_SEARCH_AD;
  const currency = found?.currency ?? '';
  return [
    {
      id: customerId,
      title: found?.name || customerId,
      zone,
      currency: /^[A-Z]{3}$/.test(currency) ? currency : (settings.currency ?? defaultCurrency),
      status: found?.deleted ? 'closed' : found?.disabled ? 'paused' : 'active',
    },
  ];
}

async function findAdAccount(
  client: SearchAdClient,
  customerId: string,
): Promise<ProviderAdAccount | undefined> {
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = { page: String(page), size: String(PAGE_ROWS) };
    const call = { path: '/ad-accounts', query, family: 'lists' } as const;
    const { content, totalPages } = await client.call(call, ProviderAdAccountsSchema);
    const found = content.find(({ adAccount }) => adAccount.masterCustomerId === customerId);
    if (found || page + 1 >= totalPages) return found?.adAccount;
  }
  throw new RetryableError(
    'repeated_page',
    `The list of accounts has more than ${PAGES_MAX} pages`,
  );
}

async function firstPage(client: SearchAdClient): Promise<void> {
  const query = { recordSize: '1', selector: 'NEXT' };
  await client.call(
    { path: '/ncc/campaigns', query, family: 'lists' },
    z.array(ProviderCampaignSchema),
  );
}

/** See {@link Connector.listEntities}. What was removed is in no list. */
export async function* listEntities(
  client: SearchAdClient,
  account: string,
): AsyncGenerator<Entity[]> {
  const campaigns: string[] = [];
  for await (const page of pages(
    client,
    '/ncc/campaigns',
    {},
    ProviderCampaignSchema,
    campaignId,
  )) {
    campaigns.push(...page.map(campaignId));
    yield page.map((one) => entity('c', campaignId(one), account, one));
  }
  for (const nccCampaignId of campaigns) {
    const above = { nccCampaignId };
    for await (const groups of pages(
      client,
      '/ncc/adgroups',
      above,
      ProviderAdGroupSchema,
      groupId,
    )) {
      yield groups.map((one) => entity('g', groupId(one), one.nccCampaignId, one));
      for (const { nccAdgroupId } of groups) yield await listAds(client, nccAdgroupId);
    }
  }
}

const campaignId = ({ nccCampaignId }: { nccCampaignId: string }) => nccCampaignId;
const groupId = ({ nccAdgroupId }: { nccAdgroupId: string }) => nccAdgroupId;

/** All ads of an ad group at once: this list has no pages. */
async function listAds(client: SearchAdClient, nccAdgroupId: string): Promise<Entity[]> {
  const call: SearchAdCall = { path: '/ncc/ads', query: { nccAdgroupId }, family: 'lists' };
  const ads = await client.call(call, z.array(ProviderAdSchema));
  return ads.map(({ nccAdId, ad, status }) => {
    const shown = ProviderHeadlineSchema.safeParse(ad);
    const name = shown.success ? shown.data.headline : undefined;
    return entity('d', nccAdId, nccAdgroupId, { name, status });
  });
}

function entity(
  level: Entity['level'],
  id: string,
  parent: string,
  { name, status }: { name?: string | null | undefined; status?: string | null | undefined },
): Entity {
  return { level, id, parent, title: name || id, status: STATUSES.get(status ?? '') ?? 'unknown' };
}

/** Key-set paging: a page begins after the last id of the one before, and one that is not full is the last. */
async function* pages<T>(
  client: SearchAdClient,
  path: string,
  above: Record<string, string>,
  row: z.ZodType<T>,
  idOf: (row: T) => string,
): AsyncGenerator<T[]> {
  const seen = new Set<string>();
  let base: Record<string, string> = {};
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = { ...above, ...base, recordSize: String(PAGE_ROWS), selector: 'NEXT' };
    const rows = await client.call({ path, query, family: 'lists' }, z.array(row));
    const known = rows.map(idOf).find((id) => seen.has(id));
    if (known !== undefined) throw repeated(path, `names '${known}' again`);
    for (const one of rows) seen.add(idOf(one));
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (rows.length < PAGE_ROWS || last === undefined) return;
    base = { baseSearchId: idOf(last) };
  }
  throw repeated(path, `has more than ${PAGES_MAX} pages`);
}

function repeated(path: string, what: string): RetryableError {
  return new RetryableError('repeated_page', `The list ${path} ${what}: nothing of it is used`);
}
