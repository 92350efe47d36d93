/** A platform may name things of any length, and what fails is stored with its message. */
const MESSAGE_MAX = 4_000;
/** What a person can do stands at the end. */
const ENDING = 900;

/** An error whose message may be shown to a person; everything else stays inside. */
export class AppError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    options: { cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(shortened(message), { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.details = options.details ?? {};
  }
}

function shortened(message: string): string {
  if (message.length <= MESSAGE_MAX) return message;
  return `${message.slice(0, MESSAGE_MAX - ENDING - 3)} … ${message.slice(-ENDING)}`;
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
