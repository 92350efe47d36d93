import type { Portal1DaAccess, Portal1DaClient } from './client.ts';
import { listPages } from './pages.ts';
import {
  type ProviderAccount,
  ProviderAccountSchema,
  type ProviderManager,
  ProviderManagerSchema,
} from './schema.ts';

/** What a login reaches: ad accounts it is a member of, and those that it sees through a manager account. */
export interface Reach {
  owned: Map<string, ProviderAccount>;
  /** The manager account by the number of the ad account. */
  managed: Map<string, string>;
}

/** The ad accounts that the login is a member of; a manager's header would be refused for them. */
export async function readOwned(client: Portal1DaClient): Promise<Reach['owned']> {
  const owned: Reach['owned'] = new Map();
  for await (const page of listPages(client, { path: '/adAccounts' }, ProviderAccountSchema)) {
    for (const account of page) owned.set(account.no, account);
  }
  return owned;
}

/** The ad accounts below the login's manager accounts, or below the one that the credentials name. */
export async function readManaged(
  client: Portal1DaClient,
  { credentials: { accessManagerId } }: Portal1DaAccess,
): Promise<Reach['managed']> {
  const managed: Reach['managed'] = new Map();
  const managers = accessManagerId === undefined ? await ownManagers(client) : [accessManagerId];
  for (const manager of managers) {
    const call = { path: `/managerAccounts/${manager}`, manager };
    for (const no of accountsBelow(await client.call(call, ProviderManagerSchema))) {
      if (!managed.has(no)) managed.set(no, manager);
    }
  }
  return managed;
}

async function ownManagers(client: Portal1DaClient): Promise<string[]> {
  const managers: string[] = [];
  for await (const page of listPages(client, { path: '/managerAccounts' }, ProviderAccountSchema)) {
    managers.push(...page.filter(({ disabled }) => !disabled).map(({ no }) => no));
  }
  return managers;
}

function accountsBelow({ childAdAccountNos, childManagerAccounts }: ProviderManager): string[] {
  return [...(childAdAccountNos ?? []), ...(childManagerAccounts ?? []).flatMap(accountsBelow)];
}
