import { ProblemError } from '../http/problem.ts';

/** What a limit says to one request. */
export interface Allowance {
  isAllowed: boolean;
  /** The limit's name to clients. */
  policy: 'key' | 'address';
  /** Requests a minute. */
  limit: number;
  remaining: number;
  /** Until all of the limit is there again. */
  resetSeconds: number;
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10. */
export function rateLimitHeaders({ policy, limit, remaining, resetSeconds }: Allowance) {
  return {
    'RateLimit-Policy': `"${policy}";q=${limit};w=60`,
    RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
  };
}

export function rateLimited(allowance: Allowance): ProblemError {
  const { limit, policy, resetSeconds } = allowance;
  const what = policy === 'key' ? 'requests of this API key' : 'failed keys from this address';
  const detail = `More than ${limit} ${what} in a minute; try again in ${resetSeconds} s`;
  return new ProblemError('rate_limited', detail, {
    headers: { ...rateLimitHeaders(allowance), 'Retry-After': String(resetSeconds) },
  });
}
