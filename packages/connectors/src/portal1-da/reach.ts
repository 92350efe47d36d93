import { AuthLostError } from '@tributary/runtime';
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

/**
 * The ad accounts below the login's manager accounts, or below the one that the credentials name. Of several managers one
 * that refuses is left out: it hides no other.
 */
export async function readManaged(
  client: Portal1DaClient,
  { credentials: { accessManagerId } }: Portal1DaAccess,
): Promise<Reach['managed']> {
  if (accessManagerId !== undefined) return await readBelow(client, accessManagerId);
  const managed: Reach['managed'] = new Map();
  for (const manager of await ownManagers(client)) {
    const below = await readBelow(client, manager).catch((error: unknown) => {
      if (isShut(error)) return new Map<string, string>();
      throw error;
    });
    for (const no of below.keys()) if (!managed.has(no)) managed.set(no, manager);
  }
  return managed;
}

async function readBelow(client: Portal1DaClient, manager: string): Promise<Reach['managed']> {
  const call = { path: `/managerAccounts/${manager}`, manager };
  const numbers = accountsBelow(await client.call(call, ProviderManagerSchema));
  return new Map(numbers.map((no) => [no, manager]));
}

/** True when one account may not be opened or is gone, which says nothing of the others. */
export function isShut(error: unknown): boolean {
  return error instanceof AuthLostError && ['scope_missing', 'object_missing'].includes(error.code);
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
