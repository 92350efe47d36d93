/** An error whose message may be shown to a person; everything else stays inside. */
export class AppError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    options: { cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** The platform asked to wait: nothing is called for this account and endpoint family before `until` (epoch ms). */
export class RateLimitedError extends AppError {
  readonly until: number;
  constructor(until: number, message: string, options?: { cause?: unknown }) {
    super('rate_limited', message, options);
    this.until = until;
  }
}

/** Worth another attempt later: an outage, a cut answer, a malformed page. */
export class RetryableError extends AppError {}

/** Only a person can mend it: the grant is gone, a scope is missing, the account is closed. */
export class AuthLostError extends AppError {}

/** Will fail the same way every time: our request is wrong or the platform no longer offers this. */
export class FatalError extends AppError {}
