import { AuthLostError, RetryableError } from '@tributary/runtime';
import {
  CHANNELS,
  type ChannelAccount,
  type Entity,
  type EntityStatus,
  type Level,
} from '@tributary/shared';
import type { Portal1DaAccess, Portal1DaClient } from './client.ts';
import { listPages } from './pages.ts';
import { isShut, readManaged, readOwned } from './reach.ts';
import {
  type ProviderAccount,
  ProviderAccountSchema,
  type ProviderEntity,
  ProviderEntitySchema,
} from './schema.ts';
import type { Ways } from './ways.ts';

const LISTS = [
  { level: 'c', path: 'campaigns' },
  { level: 'g', path: 'adSets' },
  { level: 'd', path: 'creatives' },
] as const satisfies { level: Level; path: string }[];

/** See {@link Connector.listAccounts}: those of the login, then those of its manager accounts. */
export async function listAccounts(
  client: Portal1DaClient,
  access: Portal1DaAccess,
  ways: Ways,
): Promise<ChannelAccount[]> {
  const owned = await readOwned(client);
  const managed = await readManaged(client, access);
  ways.remember(access.link, { owned, managed });
  const wanted = access.settings.adAccountIds;
  const isWanted = (no: string) => !wanted || wanted.includes(no);
  const accounts = [...owned.values()].filter(({ no }) => isWanted(no)).map(accountOf);
  for (const [no, manager] of managed) {
    if (isWanted(no) && !owned.has(no)) accounts.push(await readAccount(client, no, manager));
  }
  if (accounts.length > 0) return accounts;
  const which = wanted ? `none of the ad accounts ${wanted.join(', ')}` : 'no ad account';
  const advice = 'Give it access to an ad account or its manager, or name others in adAccountIds.';
  throw new AuthLostError('no_account', `The login reaches ${which}. ${advice}`);
}

/** A manager account tells numbers only. An account that it lists and may not open is closed to us. */
async function readAccount(
  client: Portal1DaClient,
  no: string,
  manager: string,
): Promise<ChannelAccount> {
  try {
    const call = { path: `/adAccounts/${no}`, manager };
    return accountOf(await client.call(call, ProviderAccountSchema));
  } catch (error) {
    if (!isShut(error)) throw error;
    return accountOf({ no, disabled: true });
  }
}

/** Days are Korean ones and money is won, whatever the settings say. */
function accountOf({ no, name, disabled }: ProviderAccount): ChannelAccount {
  const { defaultZone: zone, defaultCurrency: currency } = CHANNELS.PORTAL1_DA;
  return { id: no, title: name || no, zone, currency, status: disabled ? 'closed' : 'active' };
}

/** See {@link Connector.listEntities}; the platform tells deleted objects apart from the others. */
export async function* listEntities(
  client: Portal1DaClient,
  account: string,
): AsyncGenerator<Entity[]> {
  for (const { level, path } of LISTS) {
    for (const isDeleted of [false, true]) {
      const params = { deleteOnly: String(isDeleted) };
      const call = { path: `/adAccounts/${account}/${path}`, params };
      for await (const page of listPages(client, call, ProviderEntitySchema)) {
        const entities = page.flatMap((one) => entityOf(one, { level, account, isDeleted }));
        if (entities.length > 0) yield entities;
      }
    }
  }
}

interface Place {
  level: 'c' | 'g' | 'd';
  account: string;
  isDeleted: boolean;
}

/** Nothing for a creative of an asset group: that has no ad set it could belong to. */
function entityOf(entity: ProviderEntity, { level, account, isDeleted }: Place): Entity[] {
  const { no: id, name, campaignNo, adSetNo } = entity;
  const parent = { c: account, g: campaignNo, d: adSetNo }[level];
  if (parent === undefined || parent === null) {
    if (level === 'd') return [];
    throw new RetryableError('malformed_row', `Malformed ad set '${id}': no campaignNo`);
  }
  const isRemoved = isDeleted || entity.deleted === true;
  const status = isRemoved ? 'removed' : statusOf(entity.activated);
  return [{ level, id, parent, title: name || id, status }];
}

function statusOf(activated: boolean | null | undefined): EntityStatus {
  if (activated === true) return 'active';
  return activated === false ? 'paused' : 'unknown';
}
