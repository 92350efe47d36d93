import type { IncomingHttpHeaders } from 'node:http';
import { createKeyCheck } from '@tributary/database';
import { readKeyHeader } from '@tributary/runtime';
import type { Authenticate, Caller } from './http/mount.ts';
import { ProblemError } from './http/problem.ts';
import type { KeyHolder } from './limits/admission.ts';

/** One answer for every reason: which keys exist is nobody's business. */
function unauthenticated(): ProblemError {
  return new ProblemError(
    'unauthenticated',
    'Send a valid API key as `Authorization: Bearer <key>` or as `X-API-Key`',
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  );
}

/** Who holds the key of a request. */
export function createKeyAuthentication(
  options: Parameters<typeof createKeyCheck>[0],
): (headers: IncomingHttpHeaders) => Promise<KeyHolder> {
  const checkKey = createKeyCheck(options);
  return async (headers) => {
    const key = await checkKey(readKeyHeader(headers));
    if (!key) throw unauthenticated();
    return { tenant: key.tenant, scopes: new Set(key.scopes), keyId: key._id };
  };
}

/** Everybody is the tenant `default`: for a server that only its own machine can reach. */
export function createOpenAuthentication(): Authenticate {
  const caller: Caller = { tenant: 'default', scopes: new Set(['read', 'write', 'refresh']) };
  return async () => caller;
}
