import type { Refusal } from '../refusal.ts';
import type { ProviderError } from './schema.ts';

interface ErrorRule extends Refusal {
  /** The platform's codes, and the last words of its problem types. */
  codes: readonly (number | string)[];
}

const LATER = 'It is tried again later.';
const NEW_KEY = 'Look up the access licence and the secret key and connect the link again.';

/**
 * The platform's errors and what they mean for us; the HTTP status tells nothing: a wrong signature, a wrong clock and a
 * missing permission are 403 all alike.
 * Facts: the platform's error code table, its notices, and answers quoted in its public issues.
 */
const ERROR_RULES: readonly ErrorRule[] = [
  { codes: [429, 1016], kind: 'throttled', word: 'rate_limited', advice: LATER },
  {
    codes: ['invalid-timestamp'],
    kind: 'retryable',
    word: 'clock_skew',
    advice: "This machine's clock differs from the platform's: set it by a time server.",
  },
  {
    codes: ['invalid-apikey', 'auth-failed', 'invalid-signature'],
    kind: 'authLost',
    word: 'grant_rejected',
    advice: NEW_KEY,
  },
  {
    codes: [1006, 1018],
    kind: 'authLost',
    word: 'scope_missing',
    advice:
      "The licence's owner needs access to the ad account customerId: grant it and connect again.",
  },
  {
    codes: [1001],
    kind: 'retryable',
    word: 'object_missing',
    advice: 'The platform no longer knows what was asked for.',
  },
  {
    codes: [20007],
    kind: 'retryable',
    word: 'not_ready',
    advice: "The platform has not finished the day's figures yet.",
  },
  {
    codes: [10004],
    kind: 'fatal',
    word: 'out_of_history',
    advice: 'The platform no longer tells this day.',
  },
  {
    codes: [1002, 1007, 1008, 1010, 1011, 2024, 11001],
    kind: 'fatal',
    word: 'bad_request',
    advice: 'The platform refuses this request as it is; it may have changed.',
  },
  { codes: [500, 503], kind: 'retryable', word: 'platform_error', advice: LATER },
];

const UNKNOWN: ErrorRule = {
  codes: [],
  kind: 'retryable',
  word: 'platform_error',
  advice: 'The code is unknown; it is tried again later.',
};

/** The code of an error, or the last word of its problem type. */
export function codeOf({ code, type = '' }: ProviderError): number | string {
  return code ?? type.slice(type.lastIndexOf(':') + 1);
}

export function ruleOf(error: ProviderError): ErrorRule {
  const code = codeOf(error);
  return ERROR_RULES.find(({ codes }) => codes.includes(code)) ?? UNKNOWN;
}
