import { type LookupAddress, lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { FatalError, isPrivateAddress } from '@tributary/runtime';

export interface FeedUrlRules {
  /** For a feed inside the operator's own network: private addresses and plain http are allowed then. */
  allowPrivateAddresses: boolean;
  /** Name resolution; default: the system's. */
  lookup?: LookupFunction;
}

const RESOLVE_TIMEOUT_MS = 5_000;

/**
 * Checks the URL of a feed when a link is saved: its form, and every address that its name has now. The guarded agent
 * checks again at every connection, because a name may mean another address by then.
 *
 * @throws FatalError `feed_url_refused`, naming why
 */
export async function checkFeedUrl(text: string, rules: FeedUrlRules): Promise<URL> {
  const url = URL.parse(text);
  if (!url) throw refused('it is not a URL');
  checkFeedUrlForm(url, rules);
  const host = hostOf(url);
  if (!isIP(host) && !rules.allowPrivateAddresses) await resolveChecked(host, rules);
  return url;
}

/**
 * What can be said of a feed's URL without the network.
 *
 * @throws FatalError `feed_url_refused`
 */
export function checkFeedUrlForm(url: URL, { allowPrivateAddresses }: FeedUrlRules): void {
  if (url.protocol !== 'https:' && !(allowPrivateAddresses && url.protocol === 'http:')) {
    throw refused(`its scheme is '${url.protocol}', expected https:`);
  }
  if (url.username || url.password) throw refused('it carries credentials; use feedToken');
  if (url.hash) throw refused('it carries a fragment');
  const host = hostOf(url);
  if (isIP(host) && !allowPrivateAddresses && isPrivateAddress(host)) throw privateAddress(host);
}

/** A name resolution that answers only when every address is public; used for each new connection. */
export function createGuardedLookup(rules: FeedUrlRules): LookupFunction {
  const lookup: LookupFunction = rules.lookup ?? resolve;
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const addresses =
        typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      const bad = rules.allowPrivateAddresses ? undefined : firstPrivate(addresses);
      const first = addresses[0];
      if (bad !== undefined) return callback(privateAddress(bad), '');
      if (!first) return callback(refused(`'${host}' has no address`), '');
      if (options.all) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}

function resolveChecked(host: string, rules: FeedUrlRules): Promise<void> {
  return new Promise((done, fail) => {
    const late = () => fail(refused(`'${host}' could not be resolved in ${RESOLVE_TIMEOUT_MS} ms`));
    const timer = setTimeout(late, RESOLVE_TIMEOUT_MS);
    createGuardedLookup(rules)(host, { all: true }, (error) => {
      clearTimeout(timer);
      if (!error) done();
      else fail(error instanceof FatalError ? error : refused(`'${host}' could not be resolved`));
    });
  });
}

function firstPrivate(addresses: readonly LookupAddress[]): string | undefined {
  return addresses.find(({ address }) => isPrivateAddress(address))?.address;
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function privateAddress(address: string): FatalError {
  return refused(`'${address}' is a private, local or reserved address`);
}

function refused(why: string): FatalError {
  return new FatalError('feed_url_refused', `The feed's URL is refused: ${why}`);
}
