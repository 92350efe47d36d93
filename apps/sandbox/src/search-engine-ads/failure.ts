import { json, type Reply } from '../http/call.ts';
import { hash } from '../world/random.ts';

export interface FailureInit {
  status: number;
  /** The canonical word of the status: `PERMISSION_DENIED`. */
  word: string;
  message: string;
  /** One of the platform's own codes: `{ authorizationError: 'CUSTOMER_NOT_ENABLED' }`. */
  errorCode?: Record<string, string>;
  details?: Record<string, unknown>;
  /** What stands before the platform refuses in other words: a reason and a domain. */
  reason?: string;
}

/** A refusal in the platform's shape. */
export class Failure extends Error {
  readonly init: FailureInit;

  constructor(init: FailureInit) {
    super(init.message);
    this.init = init;
  }
}

export function invalid(errorCode: Record<string, string>, message: string): Failure {
  return new Failure({ status: 400, word: 'INVALID_ARGUMENT', message, errorCode });
}

export function denied(authorizationError: string, message: string): Failure {
  const errorCode = { authorizationError };
  return new Failure({ status: 403, word: 'PERMISSION_DENIED', message, errorCode });
}

/** Streams answer an array, also when they fail. */
export function failureReply(init: FailureInit, trace: string, isStream: boolean): Reply {
  const error = errorOf(init, trace);
  return json(init.status, isStream ? [{ error }] : { error });
}

function errorOf(init: FailureInit, trace: string): Record<string, unknown> {
  const { status: code, word: status, message, errorCode, details, reason } = init;
  const failure = {
    '@type': 'type.googleapis.com/google.ads.googleads.v26.errors.GoogleAdsFailure',
    errors: [{ errorCode, message, ...(details && { details }) }],
    requestId: requestIdOf(trace),
  };
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'googleapis.com',
  };
  return {
    code,
    message: errorCode ? GENERAL[status] : message,
    status,
    ...(errorCode && { details: [failure] }),
    ...(reason && { details: [info] }),
  };
}

const GENERAL: Readonly<Record<string, string>> = {
  INVALID_ARGUMENT: 'Request contains an invalid argument.',
  PERMISSION_DENIED: 'The caller does not have permission',
  UNAUTHENTICATED: 'Request is missing required authentication credential.',
  RESOURCE_EXHAUSTED: 'Resource has been exhausted (e.g. check quota).',
  INTERNAL: 'Internal error encountered.',
};

export function requestIdOf(trace: string): string {
  return Buffer.from(`${hash(trace)}${hash(`${trace}/2`)}`).toString('base64url');
}

/** The day's operations are used up, or a scripted throttle. */
export function exhausted(retrySeconds: number, rateScope: 'DEVELOPER' | 'ACCOUNT'): Failure {
  return new Failure({
    status: 429,
    word: 'RESOURCE_EXHAUSTED',
    message: `Too many requests. Retry in ${retrySeconds} seconds.`,
    errorCode: { quotaError: 'RESOURCE_EXHAUSTED' },
    details: {
      quotaErrorDetails: {
        rateScope,
        rateName:
          rateScope === 'DEVELOPER'
            ? 'Number of operations for basic access'
            : 'Requests per account',
        retryDelay: `${retrySeconds}s`,
      },
    },
  });
}

export function expiredToken(): Failure {
  return new Failure({
    status: 401,
    word: 'UNAUTHENTICATED',
    message: 'OAuth token has expired.',
    errorCode: { authenticationError: 'OAUTH_TOKEN_EXPIRED' },
  });
}
