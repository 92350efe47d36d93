import { AuthLostError, type Clock } from '@tributary/runtime';
import { CHANNELS, type ChannelAccount, type EntityStatus } from '@tributary/shared';
import type { SearchAccess, SearchClient } from './client.ts';
import { type ProviderClient, ProviderClientRowSchema } from './schema.ts';

const CLIENTS =
  'SELECT customer_client.id, customer_client.descriptive_name, customer_client.manager, ' +
  'customer_client.status, customer_client.currency_code, customer_client.time_zone ' +
  'FROM customer_client';

const STATUS: Readonly<Record<string, EntityStatus>> = {
  ENABLED: 'active',
  SUSPENDED: 'paused',
  CANCELED: 'closed',
  CLOSED: 'closed',
};

/** Trouble of one account, which the others do not share. */
const OF_ONE_ACCOUNT: ReadonlySet<string> = new Set([
  'account_closed',
  'scope_missing',
  'object_missing',
]);

interface Reached {
  account: ChannelAccount;
  /** The manager above it; undefined = reached directly. */
  login: string | undefined;
}

/** See {@link Connector.listAccounts}. */
export async function listAccounts(
  client: SearchClient,
  access: SearchAccess,
): Promise<ChannelAccount[]> {
  const wanted = access.settings.customerIds?.map(digitsOf);
  const reached = await walk(client, access);
  const accounts = reached
    .map(({ account }) => account)
    .filter(({ id }) => !wanted || wanted.includes(id));
  if (accounts.length > 0) return accounts;
  const which = wanted ? `none of the accounts ${wanted.join(', ')}` : 'no account';
  const advice =
    'Give its user access to an account, or correct loginCustomerId and settings.customerIds.';
  throw new AuthLostError('no_account', `The grant reaches ${which}. ${advice}`);
}

const LINKS_MAX = 1_000;
const REMEMBERED_MS = 24 * 60 * 60_000;

/** Refusals of an account that is asked through a wrong manager. */
const OF_A_WAY: ReadonlySet<string> = new Set(['scope_missing', 'login_customer_refused']);

/** The managers through which the accounts of links are reached, where no credentials name one. */
export interface Logins {
  /**
   * Asks an account through its manager. The way is remembered for a day; when the platform refuses it at once it is
   * found anew, as accounts change managers and people connect with another user.
   */
  through<T>(
    client: SearchClient,
    access: SearchAccess & { account: { id: string } },
    ask: (login: string | undefined) => AsyncIterable<T>,
  ): AsyncIterable<T>;
}

type Ways = ReadonlyMap<string, string | undefined>;

export function createLogins(clock: Clock): Logins {
  const known = new Map<string, { until: number; ways: Ways }>();
  const keyOf = ({ link, credentials: { clientId } }: SearchAccess) => `${link}/${clientId}`;
  const remembered = (access: SearchAccess): Ways | undefined => {
    const seen = known.get(keyOf(access));
    return seen && seen.until > clock.now() ? seen.ways : undefined;
  };
  const find = async (client: SearchClient, access: SearchAccess): Promise<Ways> => {
    const reached = await walk(client, access);
    const ways = new Map(reached.map(({ account: { id }, login }) => [id, login]));
    if (known.size >= LINKS_MAX) known.clear();
    known.set(keyOf(access), { until: clock.now() + REMEMBERED_MS, ways });
    return ways;
  };
  return {
    async *through(client, access, ask) {
      const { id } = access.account;
      const { loginCustomerId } = access.credentials;
      if (loginCustomerId) {
        const login = digitsOf(loginCustomerId);
        return yield* ask(login === id ? undefined : login);
      }
      const ways = remembered(access);
      if (!ways?.has(id)) return yield* ask((await find(client, access)).get(id));
      const login = ways.get(id);
      let hasBegun = false;
      try {
        for await (const page of ask(login)) {
          hasBegun = true;
          yield page;
        }
      } catch (error) {
        const isRefused = error instanceof AuthLostError && OF_A_WAY.has(error.code);
        if (hasBegun || !isRefused) throw error;
        const other = (await find(client, access)).get(id);
        if (other === login) throw error;
        yield* ask(other);
      }
    },
  };
}

/** All accounts but managers, each once: one that refuses is told as closed or left out and hides no other. */
async function walk(client: SearchClient, access: SearchAccess): Promise<Reached[]> {
  const { loginCustomerId } = access.credentials;
  const roots = loginCustomerId ? [digitsOf(loginCustomerId)] : await client.accessible();
  const found = new Map<string, Reached>();
  let refusal: AuthLostError | undefined;
  for (const root of roots) {
    try {
      for await (const page of client.pages(
        { account: root, login: root, query: CLIENTS },
        ProviderClientRowSchema,
      )) {
        for (const { customerClient } of page) {
          const { id, manager } = customerClient;
          if (manager || found.has(id)) continue;
          const login = id === root ? undefined : root;
          found.set(id, { account: accountOf(customerClient, access), login });
        }
      }
    } catch (error) {
      if (!(error instanceof AuthLostError) || !OF_ONE_ACCOUNT.has(error.code)) throw error;
      refusal ??= error;
      if (error.code !== 'account_closed' || found.has(root)) continue;
      const closed = { id: root, manager: false, status: 'CANCELED' };
      found.set(root, { account: accountOf(closed, access), login: undefined });
    }
  }
  if (found.size === 0 && refusal) throw refusal;
  return [...found.values()];
}

function accountOf(client: ProviderClient, { settings }: SearchAccess): ChannelAccount {
  const { defaultZone, defaultCurrency } = CHANNELS.SEARCH_ENGINE_ADS;
  return {
    id: client.id,
    title: client.descriptiveName || client.id,
    zone: client.timeZone || (settings.timezone ?? defaultZone),
    currency: client.currencyCode || (settings.currency ?? defaultCurrency),
    status: STATUS[client.status ?? ''] ?? 'unknown',
  };
}

/** People write the id as 123-456-7890; the platform takes digits only. */
function digitsOf(id: string): string {
  return id.replaceAll('-', '');
}
