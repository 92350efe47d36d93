import { NetworkError, ProblemError, UnexpectedAnswerError } from './errors.ts';

const FIRST_WAIT_MS = 500;
const WAIT_MAX_MS = 8_000;
/** Added to a time that the API named, so that those who were told the same do not come back at once. */
const SPREAD_MS = 1_000;

/** The wait that `Retry-After` names (RFC 9110, 10.2.3: seconds or a date), in milliseconds. */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/**
 * How long to wait before a request that may be repeated is sent again, in milliseconds.
 *
 * @param attempt how often it was repeated already
 * @param random from 0 to 1
 * @returns undefined for an error that repeating does not help, or a named wait above `waitMaxMs`
 */
export function repeatWait(
  error: unknown,
  { attempt, waitMaxMs, random }: { attempt: number; waitMaxMs: number; random: number },
): number | undefined {
  if (!isPassing(error, attempt)) return undefined;
  const named = error instanceof NetworkError ? undefined : error.retryAfterMs;
  if (named !== undefined) return named > waitMaxMs ? undefined : named + random * SPREAD_MS;
  const wait = Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** attempt, waitMaxMs);
  return wait * (0.5 + random / 2);
}

function isPassing(
  error: unknown,
  attempt: number,
): error is NetworkError | ProblemError | UnexpectedAnswerError {
  if (error instanceof NetworkError) return true;
  if (!(error instanceof ProblemError) && !(error instanceof UnexpectedAnswerError)) return false;
  if (error.status === 429 || error.status === 503) return true;
  // The first try was cut off and its work still goes on under the same idempotency key.
  const isBusy = error instanceof ProblemError && error.code === 'conflict';
  return isBusy && attempt > 0 && error.retryAfterMs !== undefined;
}
