const REF = '#/components/headers/';

/** On every answer to a request with a valid key. */
export const RATE_LIMIT_HEADERS = {
  RateLimit: { $ref: `${REF}RateLimit` },
  'RateLimit-Policy': { $ref: `${REF}RateLimit-Policy` },
};

/** On what may be tried again. */
export const RETRY_HEADERS = { 'Retry-After': { $ref: `${REF}Retry-After` } };

export const HEADER_COMPONENTS = {
  RateLimit: {
    description:
      'What is left of the limit, and the seconds until all of it is there again: `"key";r=599;t=42`. Absent where there is no limit',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'The limit and its window in seconds: `"key";q=600;w=60`',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'string' } },
};
