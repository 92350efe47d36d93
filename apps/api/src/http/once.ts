import { createHash } from 'node:crypto';
import { beginRequest, finishRequest, type StoredAnswer } from '@tributary/database';
import type { Deps } from '../deps.ts';
import type { RequestContext, Route } from './define-route.ts';
import { invalidRequest, ProblemError } from './problem.ts';
import { quote } from './quote.ts';
import { Reply } from './reply.ts';

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';
/** As a pattern that JSON Schema takes too. */
export const IDEMPOTENCY_KEY = '^[\\x21-\\x7e]{1,200}$';
const KEY = new RegExp(IDEMPOTENCY_KEY);
const RETRY_SECONDS = '2';

/**
 * The key of a request that is to be carried out once.
 *
 * @throws ProblemError `invalid_request` for one that is no visible ASCII of at most 200 characters, or comes twice
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const text = String(header);
  if (KEY.test(text)) return text;
  const message = `Invalid value ${quote(text)} in header.${IDEMPOTENCY_HEADER}, expected 1 to 200 visible ASCII characters`;
  throw invalidRequest([{ in: 'header', name: IDEMPOTENCY_HEADER, message }]);
}

interface Once {
  route: Pick<Route, 'method' | 'path'>;
  /** As it was parsed. */
  body: unknown;
  /** Without one the work is simply done. */
  key: string | undefined;
}

/**
 * Does the work of a request once for its key: a repetition gets the same answer. What fails is forgotten, and may be sent
 * again.
 *
 * @throws ProblemError `conflict` while the first one is under way, `idempotency_mismatch` when it was another request
 */
export async function runOnce(
  { db }: Pick<Deps, 'db'>,
  { tenant, now }: Pick<RequestContext, 'tenant' | 'now'>,
  { route, body, key }: Once,
  work: () => Promise<unknown>,
): Promise<unknown> {
  if (key === undefined) return await work();
  const begun = await beginRequest(db, {
    tenant,
    key,
    now,
    fingerprint: fingerprintOf(route, body),
  });
  switch (begun.state) {
    case 'answered':
      return replayed(begun.answer);
    case 'busy':
      throw new ProblemError(
        'conflict',
        `The first request of the key ${quote(key)} is under way`,
        {
          headers: { 'Retry-After': RETRY_SECONDS },
        },
      );
    case 'mismatch':
      throw new ProblemError(
        'idempotency_mismatch',
        `The key ${quote(key)} belongs to a request with another body or path`,
      );
    case 'begun':
  }
  let answer: StoredAnswer | undefined;
  try {
    const sent = await work();
    const reply = sent instanceof Reply ? sent : new Reply({ data: sent });
    const { status, headers, data } = reply;
    answer = { status, headers: { ...headers }, body: JSON.stringify(data) };
    return reply;
  } finally {
    await finishRequest(db, { tenant, key, now, answer });
  }
}

function fingerprintOf({ method, path }: Once['route'], body: unknown): string {
  return createHash('sha256')
    .update(`${method} ${path}\n${JSON.stringify(body)}`)
    .digest('base64url');
}

function replayed({ status, headers, body }: StoredAnswer): Reply {
  return new Reply({
    status,
    headers: { ...headers, 'Idempotency-Replayed': 'true' },
    data: JSON.parse(body),
  });
}
