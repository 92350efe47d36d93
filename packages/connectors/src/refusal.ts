import { AuthLostError, FatalError, RateLimitedError, RetryableError } from '@tributary/runtime';

/** What to do about a platform's error. */
export interface Refusal {
  /** `stale` = the access token is refused and may only be old; after a new one it is a lost grant. */
  kind: 'throttled' | 'stale' | 'retryable' | 'authLost' | 'fatal';
  /** Our stable word for it. */
  word: string;
  /** What a person can do. */
  advice: string;
}

const ERRORS = {
  stale: AuthLostError,
  authLost: AuthLostError,
  fatal: FatalError,
  retryable: RetryableError,
} as const;

/**
 * The platform's error as ours.
 *
 * @param words the platform's own words, free of secrets
 * @param until when a throttle ends (epoch ms)
 */
export function errorOf({ kind, word, advice }: Refusal, words: string, until: number): Error {
  const said = /[.!?…]$/.test(words) ? words : `${words}.`;
  const message = `${said} ${advice}`;
  if (kind === 'throttled') return new RateLimitedError(until, message);
  return new ERRORS[kind](word, message);
}
