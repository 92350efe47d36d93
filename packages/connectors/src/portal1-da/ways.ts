import { AuthLostError } from '@tributary/runtime';
import type { Portal1DaAccess, Portal1DaClient } from './client.ts';
import { type Reach, readManaged, readOwned } from './reach.ts';

const LINKS_MAX = 10_000;

/** How an ad account is reached: through a manager account, or undefined = as a member. */
interface Way {
  manager: string | undefined;
}

/** Ways to ad accounts, found once per process and found anew when the platform refuses one. */
export interface Ways {
  remember(link: string, reach: Reach): void;
  /** The client for one ad account's calls; what is refused for its way is asked once more by the right one. */
  to(client: Portal1DaClient, access: Portal1DaAccess, account: string): Portal1DaClient;
}

export function createWays(): Ways {
  const links = new Map<string, Map<string, Way>>();
  const waysOf = (link: string) => {
    const ways = links.get(link) ?? new Map<string, Way>();
    if (!links.has(link) && links.size >= LINKS_MAX) links.clear();
    links.set(link, ways);
    return ways;
  };
  const remember: Ways['remember'] = (link, { owned, managed }) => {
    const ways = waysOf(link);
    for (const [no, manager] of managed) ways.set(no, { manager });
    for (const no of owned.keys()) ways.set(no, { manager: undefined });
  };
  const find = async (client: Portal1DaClient, access: Portal1DaAccess, account: string) => {
    const owned = await readOwned(client);
    const managed = owned.has(account) ? new Map() : await readManaged(client, access);
    remember(access.link, { owned, managed });
    // An account that nothing tells of is asked for plainly: the platform says what is wrong with it.
    return waysOf(access.link).get(account) ?? { manager: undefined };
  };
  return {
    remember,
    to: (client, access, account) => ({
      async call(one, schema) {
        const remembered = waysOf(access.link).get(account);
        const way = remembered ?? (await find(client, access, account));
        try {
          return await client.call({ ...one, ...way }, schema);
        } catch (error) {
          const isRefused = error instanceof AuthLostError && error.code === 'scope_missing';
          if (!isRefused || !remembered) throw error;
          waysOf(access.link).delete(account);
          const other = await find(client, access, account);
          if (other.manager === remembered.manager) throw error;
          return await client.call({ ...one, ...other }, schema);
        }
      },
    }),
  };
}
