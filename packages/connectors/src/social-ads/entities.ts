import { AuthLostError, RetryableError } from '@tributary/runtime';
import type { ChannelAccount, Entity, EntityStatus, Level } from '@tributary/shared';
import { budgetKey, type GraphAccess, type GraphClient } from './client.ts';
import {
  type ProviderAccount,
  ProviderAccountSchema,
  type ProviderEntity,
  ProviderEntitySchema,
} from './schema.ts';

const PAGE_ROWS = '200';

/** The platform's account states; what is not listed is unknown. */
const ACCOUNT_STATUS: Readonly<Record<number, EntityStatus>> = {
  1: 'active',
  2: 'paused', // disabled by the platform
  3: 'paused', // unsettled
  7: 'paused', // pending risk review
  8: 'paused', // pending settlement
  9: 'active', // in grace period
  100: 'closed', // pending closure
  101: 'closed',
  201: 'active',
  202: 'closed',
};

const ENTITY_STATUS = {
  ACTIVE: 'active',
  IN_PROCESS: 'active',
  WITH_ISSUES: 'active',
  PAUSED: 'paused',
  CAMPAIGN_PAUSED: 'paused',
  ADSET_PAUSED: 'paused',
  PENDING_REVIEW: 'paused',
  DISAPPROVED: 'paused',
  PREAPPROVED: 'paused',
  PENDING_BILLING_INFO: 'paused',
  ARCHIVED: 'removed',
  DELETED: 'removed',
} as const satisfies Record<string, EntityStatus>;
type EffectiveStatus = keyof typeof ENTITY_STATUS;

interface Node {
  level: Exclude<Level, 'a'>;
  edge: string;
  /** The platform's name of one, as filters spell it. */
  name: string;
  parent?: 'campaign_id' | 'adset_id';
  /** The states that this node can have; a filter on another is refused. */
  statuses: readonly EffectiveStatus[];
}

const COMMON = ['ACTIVE', 'PAUSED', 'DELETED', 'ARCHIVED', 'IN_PROCESS', 'WITH_ISSUES'] as const;
const REVIEW = ['PENDING_REVIEW', 'DISAPPROVED', 'PREAPPROVED', 'PENDING_BILLING_INFO'] as const;

export const NODES: Readonly<Record<Exclude<Level, 'a'>, Node>> = {
  c: { level: 'c', edge: 'campaigns', name: 'campaign', statuses: COMMON },
  g: {
    level: 'g',
    edge: 'adsets',
    name: 'adset',
    parent: 'campaign_id',
    statuses: [...COMMON, 'CAMPAIGN_PAUSED'],
  },
  d: {
    level: 'd',
    edge: 'ads',
    name: 'ad',
    parent: 'adset_id',
    statuses: [...COMMON, 'CAMPAIGN_PAUSED', 'ADSET_PAUSED', ...REVIEW],
  },
};

/** The filter that brings archived and deleted objects along. */
export function effectiveStatusFilter({ name, statuses }: Node): string {
  return JSON.stringify([{ field: `${name}.effective_status`, operator: 'IN', value: statuses }]);
}

/** See {@link Connector.listAccounts}. */
export async function listAccounts(
  graph: GraphClient,
  access: GraphAccess,
): Promise<ChannelAccount[]> {
  const call = {
    path: 'me/adaccounts',
    params: {
      fields: 'id,account_id,name,currency,timezone_name,account_status',
      limit: PAGE_ROWS,
    },
    key: budgetKey(access, '-', 'lists'),
  };
  const wanted = access.settings.accountIds?.map(bareId);
  const accounts = new Map<string, ChannelAccount>();
  for await (const page of graph.pages(call, ProviderAccountSchema)) {
    for (const account of page.map(accountOf)) {
      if (!wanted || wanted.includes(account.id)) accounts.set(account.id, account);
    }
  }
  if (accounts.size > 0) return [...accounts.values()];
  const which = wanted ? `none of the ad accounts ${wanted.join(', ')}` : 'no ad account';
  const advice = 'Share an ad account with its user, or name another one in accountIds.';
  throw new AuthLostError('no_account', `The access token reaches ${which}. ${advice}`);
}

/** See {@link Connector.listEntities}. */
export async function* listEntities(
  graph: GraphClient,
  access: GraphAccess,
  account: string,
): AsyncGenerator<Entity[]> {
  for (const node of [NODES.c, NODES.g, NODES.d]) {
    const fields = ['id', 'name', 'effective_status', ...(node.parent ? [node.parent] : [])];
    const call = {
      path: `act_${account}/${node.edge}`,
      params: {
        fields: fields.join(','),
        filtering: effectiveStatusFilter(node),
        limit: PAGE_ROWS,
      },
      key: budgetKey(access, account, 'lists'),
    };
    for await (const page of graph.pages(call, ProviderEntitySchema)) {
      if (page.length > 0) yield page.map((entity) => entityOf(entity, node, account));
    }
  }
}

function accountOf(account: ProviderAccount): ChannelAccount {
  const id = account.account_id ?? bareId(account.id);
  return {
    id,
    title: account.name || id,
    zone: account.timezone_name,
    currency: account.currency,
    status: ACCOUNT_STATUS[account.account_status] ?? 'unknown',
  };
}

function entityOf(entity: ProviderEntity, node: Node, account: string): Entity {
  const parent = node.parent ? entity[node.parent] : account;
  if (parent === undefined) {
    const text = `Malformed ${node.name} '${entity.id}': no ${node.parent}`;
    throw new RetryableError('malformed_row', text);
  }
  return {
    level: node.level,
    id: entity.id,
    parent,
    title: entity.name || entity.id,
    status: statusOf(entity.effective_status),
  };
}

function statusOf(word: string | undefined): EntityStatus {
  const known = Object.entries(ENTITY_STATUS).find(([name]) => name === word);
  return known?.[1] ?? 'unknown';
}

function bareId(id: string): string {
  return id.replace(/^act_/, '');
}
