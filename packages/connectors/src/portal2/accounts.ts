import { AuthLostError, RetryableError } from '@tributary/runtime';
import { CHANNELS, type ChannelAccount, type EntityStatus } from '@tributary/shared';
import type { Portal2Access, Portal2Client, Portal2Deps } from './client.ts';
import { ProviderAccountPageSchema, type ProviderConfig } from './schema.ts';

const PAGE_ROWS = '100';
const PAGES_MAX = 1_000;

/** What the platforms' switch means; what is not listed is unknown. */
const STATUS: Readonly<Record<ProviderConfig, EntityStatus>> = {
  ON: 'active',
  OFF: 'paused',
  DEL: 'removed',
};

/** The status of an account, campaign, ad group or ad by its `config`. */
export function statusOf(config: string | null | undefined): EntityStatus {
  const known = Object.entries(STATUS).find(([word]) => word === config);
  return known?.[1] ?? 'unknown';
}

/**
 * The ad accounts that a business token reaches. The platforms name neither zone nor currency: the link's settings say,
 * else the channel. The display platform's days are Korean ones, and its `TODAY` is no other day.
 *
 * @throws AuthLostError `no_account` when it is none, or none of the wanted ones
 */
export async function listAccounts(
  { type }: Pick<Portal2Deps, 'type'>,
  client: Portal2Client,
  { settings }: Portal2Access,
): Promise<ChannelAccount[]> {
  const { defaultZone, defaultCurrency } = CHANNELS[type];
  const { adAccountIds: wanted, timezone = defaultZone, currency = defaultCurrency } = settings;
  const zone = type === 'PORTAL2_DISPLAY' ? defaultZone : timezone;
  const accounts = new Map<string, ChannelAccount>();
  for await (const { id, name, config } of accountPages(client)) {
    const account = { id, title: name || id, zone, currency, status: statusOf(config) };
    if (!wanted || wanted.includes(id)) accounts.set(id, account);
  }
  if (accounts.size > 0) return [...accounts.values()];
  const which = wanted ? `none of the ad accounts ${wanted.join(', ')}` : 'no ad account';
  const advice = 'Invite its user to an ad account, or name another one in adAccountIds.';
  throw new AuthLostError('no_account', `The business token reaches ${which}. ${advice}`);
}

/** All accounts, page by page. An empty page may have a next one; a list that is not whole is refused. */
async function* accountPages(client: Portal2Client) {
  const seen = new Set<string>();
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const params = { page: String(page), size: PAGE_ROWS };
    const answer = await client.call(
      { path: 'adAccounts/pages', params, family: 'lists' },
      ProviderAccountPageSchema,
    );
    for (const account of answer.content) {
      if (seen.has(account.id)) throw broken('repeated_page', `names ${account.id} twice`);
      seen.add(account.id);
    }
    yield* answer.content;
    if (page + 1 < answer.totalPages) continue;
    if (seen.size === answer.totalElements) return;
    throw broken('malformed_answer', `has ${seen.size} of ${answer.totalElements} accounts`);
  }
  throw broken('repeated_page', `has more than ${PAGES_MAX} pages`);
}

function broken(code: string, what: string): RetryableError {
  return new RetryableError(code, `The list adAccounts/pages ${what}: nothing of it is used`);
}
