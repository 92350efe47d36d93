import { z } from 'zod';

/** Every error a client can meet: the stable `code` word, its HTTP status and its title. The one table of both. */
export const PROBLEMS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  range_too_large: { status: 400, title: 'The answer would be too large' },
  unauthenticated: { status: 401, title: 'A valid API key is required' },
  forbidden: { status: 403, title: 'The API key may not do this' },
  not_found: { status: 404, title: 'There is nothing at this path' },
  link_not_found: { status: 404, title: 'There is no such link' },
  entity_not_found: { status: 404, title: 'There is no such entity' },
  comment_not_found: { status: 404, title: 'There is no such comment' },
  method_not_allowed: { status: 405, title: 'The path does not know this method' },
  not_acceptable: { status: 406, title: 'The answer does not come in such a form' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  wrong_channel: { status: 409, title: 'The link is of another kind of channel' },
  not_collected: { status: 409, title: 'Nothing of the range is collected yet' },
  conflict: { status: 409, title: 'The request does not fit what is stored' },
  cursor_expired: { status: 410, title: 'The cursor is no longer known' },
  precondition_failed: { status: 412, title: 'It is no longer what the request was made for' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  uri_too_long: { status: 414, title: 'The address is too long' },
  unsupported_media_type: { status: 415, title: 'The body is not UTF-8 JSON' },
  idempotency_mismatch: { status: 422, title: 'The idempotency key belongs to another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Something went wrong here' },
  not_yet_available: { status: 501, title: 'This is not yet available' },
  unavailable: { status: 503, title: 'The service is briefly unavailable' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** One thing that is wrong with a request: where (`query`, `body`, `header`), which name, and what was expected. */
export const InvalidInputSchema = z.strictObject({
  in: z.enum(['query', 'body', 'header', 'path']),
  name: z.string(),
  message: z.string(),
});
export type InvalidInput = z.infer<typeof InvalidInputSchema>;

/** The body of every error, `application/problem+json` (RFC 9457). */
export const ProblemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]), // Object.keys widens the keys
    requestId: z.string(),
    errors: z.array(InvalidInputSchema),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof ProblemSchema>;
