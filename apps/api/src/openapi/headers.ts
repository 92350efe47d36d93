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
};

type Responses = Record<string, unknown>;

const refer = (name: keyof typeof COMMON_HEADERS) => ({ $ref: `#/components/headers/${name}` });

/** The responses of a route with the headers that every one carries, and those of a list in pages. */
export function withCommonHeaders(responses: Responses, { paged }: Route): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { headers = {} } = response as { headers?: object }; // made by this document
      const own = paged && status === '200' ? { Link: refer('NextPage') } : {};
      const all = { 'X-Request-Id': refer('RequestId'), ...own, ...headers };
      return [status, { ...(response as object), headers: all }];
    }),
  );
}
