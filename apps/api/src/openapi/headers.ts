import type { Route } from '../http/define-route.ts';

/** Headers that are told once for the whole document. */
export const COMMON_HEADERS = {
  RequestId: {
    description: 'Made here for every request; the `requestId` of an error',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  NextPage: {
    description:
      'The next page: `<?…>; rel="next"`, relative to the address that was asked; absent on the last page',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'Requests that the limit of the key still allows, and the seconds until all of it is there again: `"key";r=599;t=42`. On answers to a valid key where there is a limit',
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'The limit and its window in seconds: `"key";q=600;w=60`',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds to wait', schema: { type: 'string' } },
};

/** Refused before the key is looked at, or for the key. */
const WITHOUT_KEY: ReadonlySet<string> = new Set(['401', '408', '413', '414', '415', '431']);
const WORTH_A_RETRY: ReadonlySet<string> = new Set(['429', '503']);

type Responses = Record<string, unknown>;

const refer = (name: keyof typeof COMMON_HEADERS) => ({ $ref: `#/components/headers/${name}` });

/** The responses of a route with the headers that every one carries, and those of a list in pages. */
export function withCommonHeaders(responses: Responses, { paged }: Route): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { headers = {} } = response as { headers?: object }; // made by this document
      const own = paged && status === '200' ? { Link: refer('NextPage') } : {};
      const limits = WITHOUT_KEY.has(status)
        ? {}
        : { RateLimit: refer('RateLimit'), 'RateLimit-Policy': refer('RateLimitPolicy') };
      const retry = WORTH_A_RETRY.has(status) ? { 'Retry-After': refer('RetryAfter') } : {};
      const all = { 'X-Request-Id': refer('RequestId'), ...limits, ...retry, ...own, ...headers };
      return [status, { ...(response as object), headers: all }];
    }),
  );
}
