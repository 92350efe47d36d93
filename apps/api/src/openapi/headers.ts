import type { Route } from '../http/define-route.ts';

/** Headers that are told once for the whole document. */
export const HEADER_COMPONENTS = {
  RequestId: {
    description: 'Made here for every request; the `requestId` of an error',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  Version: { description: 'For `If-Match`: the `udate` in quotes', schema: { type: 'string' } },
  NextPage: {
    description:
      'The next page: `<?…>; rel="next"`, relative to the address that was asked; absent on the last page',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'What is left of the limit, and the seconds until all of it is there again: `"key";r=599;t=42`. Absent where there is no limit',
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'The limit and its window in seconds: `"key";q=600;w=60`',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds to wait; absent where nothing is planned',
    schema: { type: 'string' },
  },
};

type Responses = Record<string, unknown>;

const refer = (name: keyof typeof HEADER_COMPONENTS) => ({ $ref: `#/components/headers/${name}` });

/** Refused before the key is looked at, or for the key. */
const WITHOUT_KEY = /^(?:401|408|41[345]|431)$/;
/** On answers to a valid key. */
const LIMITED = { RateLimit: refer('RateLimit'), 'RateLimit-Policy': refer('RateLimitPolicy') };
/** On what may be tried again. */
const RETRY = { 'Retry-After': refer('RetryAfter') };

function headersOf(status: string, { paged, versioned }: Route) {
  return {
    'X-Request-Id': refer('RequestId'),
    ...(!WITHOUT_KEY.test(status) && LIMITED),
    ...(/^(?:409|429|503)$/.test(status) && RETRY),
    ...(paged && status === '200' && { Link: refer('NextPage') }),
    ...(versioned && /^20[01]$/.test(status) && { ETag: refer('Version') }),
  };
}

/** The responses of a route with the headers that every one carries, and those of a list in pages. */
export function withCommonHeaders(responses: Responses, route: Route): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { headers = {} } = response as { headers?: object }; // made by this document
      const all = { ...headersOf(status, route), ...headers };
      return [status, { ...(response as object), headers: all }];
    }),
  );
}
