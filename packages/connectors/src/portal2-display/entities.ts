import { RetryableError } from '@tributary/runtime';
import type { Entity, Level } from '@tributary/shared';
import { statusOf } from '../portal2/accounts.ts';
import type { Portal2Client } from '../portal2/client.ts';
import { ProviderListSchema } from './schema.ts';

/** An object of the account with the ids above it; '' below its level. */
export interface Placed {
  campaign: string;
  adGroup: string;
  ad: string;
}

interface EntityList {
  level: Exclude<Level, 'a'>;
  path: string;
  /** The parameter that names the object above; campaigns lie below the account of the header. */
  parent?: string;
}

const CAMPAIGNS: EntityList = { level: 'c', path: 'campaigns' };
const AD_GROUPS: EntityList = { level: 'g', path: 'adGroups', parent: 'campaignId' };
const CREATIVES: EntityList = { level: 'd', path: 'creatives', parent: 'adGroupId' };

/** See {@link Connector.listEntities}. */
export async function* listEntities(
  client: Portal2Client,
  account: string,
): AsyncGenerator<Entity[]> {
  const campaigns = await listBelow(client, account, CAMPAIGNS);
  yield campaigns;
  for (const campaign of campaigns) {
    const adGroups = await listBelow(client, account, AD_GROUPS, campaign.id);
    yield adGroups;
    for (const adGroup of adGroups) {
      yield await listBelow(client, account, CREATIVES, adGroup.id);
    }
  }
}

/** The objects of a level below those of the level above; the deleted ones too, as they have figures. */
export async function listPlaced(
  client: Portal2Client,
  account: string,
  { level, above }: { level: 'c' | 'g' | 'd'; above: readonly Placed[] },
): Promise<Placed[]> {
  if (level === 'c') {
    const campaigns = await listBelow(client, account, CAMPAIGNS);
    return campaigns.map(({ id }) => ({ campaign: id, adGroup: '', ad: '' }));
  }
  const placed: Placed[] = [];
  for (const one of above) {
    const [list, parent] = level === 'g' ? [AD_GROUPS, one.campaign] : [CREATIVES, one.adGroup];
    for (const { id } of await listBelow(client, account, list, parent)) {
      placed.push(level === 'g' ? { ...one, adGroup: id } : { ...one, ad: id });
    }
  }
  return placed;
}

async function listBelow(
  client: Portal2Client,
  account: string,
  list: EntityList,
  parent?: string,
): Promise<Entity[]> {
  const { content } = await client.call(
    {
      path: list.path,
      params: {
        config: 'ON,OFF,DEL',
        ...(list.parent && parent !== undefined && { [list.parent]: parent }),
      },
      account,
      family: 'lists',
    },
    ProviderListSchema,
  );
  const ids = new Set(content.map(({ id }) => id));
  if (ids.size < content.length) {
    const text = `The list ${list.path} names an id twice: nothing of it is used`;
    throw new RetryableError('repeated_page', text);
  }
  return content.map(({ id, name, config }) => ({
    level: list.level,
    id,
    parent: parent ?? account,
    title: name || id,
    status: statusOf(config),
  }));
}
