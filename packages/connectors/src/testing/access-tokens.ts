import type { AccessTokens, Grant } from '../connector.ts';

/** Access tokens of one process: fetched when there is none, when it ends within a minute, or when it was refused. */
export function createTestTokens(now: () => number): AccessTokens {
  const grants = new Map<string, Grant>();
  return {
    async get(access, fetch, refused) {
      const known = grants.get(access.link);
      if (known && known.token !== refused && known.expiresAt > now() + 60_000) return known.token;
      const grant = await fetch(access);
      grants.set(access.link, grant);
      return grant.token;
    },
  };
}
