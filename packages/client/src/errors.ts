import type { Problem } from './operations.ts';

/** The stable words of errors; a newer API may know more of them than this list. */
export type ProblemCode = Problem['code'] | (string & Record<never, never>);

/** The API answered with a problem (RFC 9457). */
export class ProblemError extends Error {
  override readonly name: string = 'ProblemError';
  readonly code: ProblemCode;
  readonly status: number;
  readonly detail: string;
  /** Every mistake of a request that is not valid. */
  readonly errors: Problem['errors'];
  readonly requestId: string | undefined;
  /** Milliseconds to wait before asking again, where the API named a time. */
  readonly retryAfterMs: number | undefined;

  constructor(
    { code, status, detail, errors, requestId }: Omit<Problem, 'type' | 'title'>,
    retryAfterMs?: number,
  ) {
    super(`${code} (${status}): ${detail}`);
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.errors = errors;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Changes behind the cursor are no longer kept: read everything again, then follow the feed without a cursor. */
export class CursorExpiredError extends ProblemError {
  override readonly name = 'CursorExpiredError';
}

/** No answer, or not all of it, came back; `cause` is what `fetch` said. A request that changes something may have been carried out. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** The answer, or what was waited for, was not there in time. A request that changes something may have been carried out. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** The answer is not one of the API's: something in between answered, or the base address is another service's. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';
  readonly status: number;
  readonly contentType: string | null;
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    answer: { status: number; contentType: string | null; retryAfterMs?: number | undefined },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = answer.status;
    this.contentType = answer.contentType;
    this.retryAfterMs = answer.retryAfterMs;
  }
}
