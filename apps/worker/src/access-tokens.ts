import { createHash } from 'node:crypto';
import type { AccessToken, AccessTokens, Grant, LinkAccess } from '@tributary/connectors';
import {
  findLinkById,
  type Link,
  loadCredentials,
  replaceToken,
  type StoredCredentials,
  saveAccessToken,
} from '@tributary/database';
import { AuthLostError } from '@tributary/runtime';
import type { WorkerDeps } from './deps.ts';

/** Longer than a refresh with its wait for the budget may take. */
const LOCK_MS = 75_000;
/** A token that ends sooner is not used any more: a call may take half a minute. */
const GOOD_FOR_MS = 60_000;
const CACHED_MAX = 10_000;

type Deps = Pick<WorkerDeps, 'db' | 'box' | 'tokenLocks' | 'clock' | 'logger'>;
type Fetch = (access: LinkAccess) => Promise<Grant>;

/**
 * Access tokens kept beside the credentials, sealed like them, so that all processes share them and a restart forgets
 * none. Who needs a new one takes the link's lock and reads again before asking the platform.
 */
export function createAccessTokens(deps: Deps): AccessTokens {
  /** By link and credentials: a person's new credentials find no token of the old ones. */
  const known = new Map<string, AccessToken>();
  return {
    async get(access, fetch, refused) {
      const key = cacheKey(access);
      const isGood = (token: AccessToken | undefined): token is AccessToken =>
        token !== undefined &&
        token.token !== refused &&
        token.expiresAt > deps.clock.now() + GOOD_FOR_MS;
      const cached = known.get(key);
      if (isGood(cached)) return cached.token;
      const { access: stored } = await loadStored(deps, access);
      const token = isGood(stored)
        ? stored
        : await deps.tokenLocks.withTokenLock(access.link, LOCK_MS, (lockSignal) =>
            fetchLocked(deps, access, { fetch: fetch as Fetch, isGood, lockSignal }),
          );
      if (known.size >= CACHED_MAX) known.clear();
      known.set(key, token);
      return token.token;
    },
  };
}

function cacheKey({ link, credentials }: LinkAccess): string {
  return createHash('sha256')
    .update(`${link}\n${JSON.stringify(credentials)}`)
    .digest('base64');
}

async function loadStored(
  { db, box }: Deps,
  { link: id }: LinkAccess,
): Promise<StoredCredentials & { link: Link }> {
  const link = await findLinkById(db, id);
  if (!link) throw new AuthLostError('credentials_missing', `Link '${id}' is gone.`);
  return { link, ...(await loadCredentials(db, box, id)) };
}

async function fetchLocked(
  deps: Deps,
  access: LinkAccess,
  {
    fetch,
    isGood,
    lockSignal,
  }: {
    fetch: Fetch;
    isGood(token: AccessToken | undefined): token is AccessToken;
    lockSignal: AbortSignal;
  },
): Promise<AccessToken> {
  const { db, box, clock, logger } = deps;
  const { link, value, sealed: seen, access: stored } = await loadStored(deps, access);
  if (isGood(stored)) return stored; // another process has fetched it meanwhile
  const signal = AbortSignal.any([access.signal, lockSignal]);
  const {
    token,
    expiresAt,
    credentials: next,
  } = await fetch({ ...access, credentials: value, signal });
  const fetched = { token, expiresAt };
  // Stored even when the lock has ended by now: it is compared with what was read, and a grant that is lost is worse.
  if (next === undefined) await saveAccessToken(db, box, link, { seen, access: fetched });
  else await replaceToken(db, box, link, { seen, next, access: fetched, now: clock.now() });
  logger.info({ link: link._id }, 'An access token of a link was refreshed');
  return fetched;
}
