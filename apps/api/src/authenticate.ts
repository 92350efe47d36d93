import type { IncomingHttpHeaders } from 'node:http';
import {
  type ApiKey,
  checkApiKey,
  type Database,
  findApiKey,
  isApiKeyValid,
} from '@tributary/database';
import type { Clock } from '@tributary/runtime';
import type { Authenticate, Caller } from './http/mount.ts';
import { ProblemError } from './http/problem.ts';
import type { KeyHolder } from './limits/admission.ts';
import { createLru } from './lru.ts';

/** A revoked key is refused at most this long after, so the answer about one is kept for less than five seconds. */
const KEPT_MS = 4_000;
const KEYS_MAX = 10_000;

interface Lookup {
  /** Started at, on the clock that never jumps. */
  at: number;
  key: Promise<ApiKey | undefined>;
}

/** One answer for every reason: which keys exist is nobody's business. */
function unauthenticated(): ProblemError {
  return new ProblemError(
    'unauthenticated',
    'Send a valid API key as `Authorization: Bearer <key>` or as `X-API-Key`',
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  );
}

/** Checks keys against the database, many requests with one key asking once. */
export function createKeyAuthentication({
  db,
  clock,
  monotonic = () => performance.now(),
}: {
  db: Database;
  clock: Clock;
  monotonic?: () => number;
}): (headers: IncomingHttpHeaders) => Promise<KeyHolder> {
  const lookups = createLru<Lookup>(KEYS_MAX);

  function lookUp(id: string): Promise<ApiKey | undefined> {
    const at = monotonic();
    const known = lookups.get(id);
    if (known && at - known.at < KEPT_MS) return known.key;
    const lookup = { at, key: findApiKey(db, id) };
    lookups.set(id, lookup);
    // A failed question is no answer: the next request asks again.
    lookup.key.catch(() => lookups.set(id, { ...lookup, at: -Infinity }));
    return lookup.key;
  }

  return async (headers) => {
    const sent = checkApiKey(keyText(headers) ?? '');
    const key = sent && (await lookUp(sent.id));
    if (!sent || !key || !isApiKeyValid(key, sent.digest, clock.now())) throw unauthenticated();
    return { tenant: key.tenant, scopes: new Set(key.scopes), keyId: sent.id };
  };
}

/** Two different keys in one request name no caller. */
function keyText(headers: IncomingHttpHeaders): string | undefined {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  const plain = headers['x-api-key'];
  if (headers.authorization !== undefined && bearer === undefined) return undefined;
  if (bearer !== undefined && plain !== undefined && bearer !== plain) return undefined;
  return bearer ?? (typeof plain === 'string' ? plain : undefined);
}

/** Everybody is the tenant `default`: for a server that only its own machine can reach. */
export function createOpenAuthentication(): Authenticate {
  const caller: Caller = { tenant: 'default', scopes: new Set(['read', 'write', 'refresh']) };
  return async () => caller;
}
