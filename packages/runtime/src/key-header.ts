import type { IncomingHttpHeaders } from 'node:http';

/**
 * The API key of a request: `Authorization: Bearer <key>` or `X-API-Key`. Undefined without one, and when the two
 * differ, for two different keys name no caller.
 */
export function readKeyHeader(headers: IncomingHttpHeaders): string | undefined {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  const plain = headers['x-api-key'];
  if (headers.authorization !== undefined && bearer === undefined) return undefined;
  if (bearer !== undefined && plain !== undefined && bearer !== plain) return undefined;
  return bearer ?? (typeof plain === 'string' ? plain : undefined);
}
