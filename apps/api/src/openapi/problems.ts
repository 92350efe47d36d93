import { PROBLEMS, type ProblemCode } from '@tributary/shared';
import type { Route } from '../http/define-route.ts';

const EVERYWHERE: readonly ProblemCode[] = [
  'invalid_request',
  'unauthenticated',
  'forbidden',
  'request_timeout',
  'payload_too_large',
  'uri_too_long',
  'rate_limited',
  'headers_too_large',
  'internal',
  'unavailable',
];
const ONCE: readonly ProblemCode[] = ['conflict', 'idempotency_mismatch'];
const WITH_CSV: readonly ProblemCode[] = ['not_acceptable'];
const CHANGING: readonly ProblemCode[] = ['precondition_failed'];
const WITH_BODY: readonly ProblemCode[] = ['unsupported_media_type'];

/** Every error that a route can answer with, by HTTP status. */
function problemsOf({
  method,
  problems = [],
  body,
  csv,
  idempotent,
}: Route): Map<number, ProblemCode[]> {
  const codes = new Set([
    ...EVERYWHERE,
    ...(method === 'GET' ? [] : CHANGING),
    ...(body ? WITH_BODY : []),
    ...(csv ? WITH_CSV : []),
    ...(idempotent ? ONCE : []),
    ...problems,
  ]);
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

/** The response objects of some errors. */
export function problemResponses(route: Route): Record<string, unknown> {
  return Object.fromEntries(
    [...problemsOf(route)].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('. '),
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    ]),
  );
}
