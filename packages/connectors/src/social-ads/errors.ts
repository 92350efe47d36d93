import type { Refusal } from '../refusal.ts';
import type { ProviderError } from './schema.ts';

interface ErrorRule extends Refusal {
  codes: readonly number[];
  /** Without: any subcode. */
  subcodes?: readonly number[];
  message?: RegExp;
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const RECONNECT = 'Connect the link again with a new access token.';
const LATER = 'It is tried again later.';
const SMALLER = 'A smaller range or a report run is needed.';

/**
 * The platform's error codes and what they mean for us; the first row that fits wins. HTTP status and error type tell
 * nothing: throttles come as 400 and as OAuthException too.
 * Facts: the platform's pages on error handling, rate limiting and insights error codes, and recorded answers.
 */
const ERROR_RULES: readonly ErrorRule[] = [
  { codes: [100], subcodes: [1504018], kind: 'retryable', word: 'too_much_data', advice: SMALLER },
  { codes: [2], subcodes: [1504038], kind: 'retryable', word: 'too_much_data', advice: SMALLER },
  {
    codes: [1, 2, 100],
    message: /reduce the amount of data/i,
    kind: 'retryable',
    word: 'too_much_data',
    advice: SMALLER,
  },
  {
    codes: [2],
    subcodes: [1504041],
    kind: 'fatal',
    word: 'bad_breakdown',
    advice: 'The platform no longer offers this combination of breakdowns.',
  },
  {
    codes: [100],
    subcodes: [33],
    kind: 'authLost',
    word: 'object_missing',
    advice: 'Check that the ad account still exists and that the token may read it.',
  },
  { codes: [100], subcodes: [99], kind: 'retryable', word: 'platform_error', advice: LATER },
  { codes: [-2], kind: 'retryable', word: 'report_failed', advice: 'The report is made anew.' },
  {
    codes: [4, 17, 32, 341, 613, ...range(80000, 80008)],
    kind: 'throttled',
    word: 'rate_limited',
    advice: LATER,
  },
  {
    codes: [190],
    subcodes: [458],
    kind: 'authLost',
    word: 'app_removed',
    advice: 'The app was removed by its user: allow it again and connect with a new access token.',
  },
  {
    codes: [190],
    subcodes: [459],
    kind: 'authLost',
    word: 'checkpoint',
    advice: `The user must log in on the platform and pass its check. ${RECONNECT}`,
  },
  {
    codes: [190],
    subcodes: [460],
    kind: 'authLost',
    word: 'password_changed',
    advice: `The user's password was changed, which ends all tokens. ${RECONNECT}`,
  },
  {
    codes: [190],
    subcodes: [463],
    kind: 'authLost',
    word: 'token_expired',
    advice: `The access token has expired. ${RECONNECT}`,
  },
  { codes: [190, 102], kind: 'authLost', word: 'grant_rejected', advice: RECONNECT },
  {
    codes: [10, ...range(200, 299)],
    kind: 'authLost',
    word: 'scope_missing',
    advice: 'The token lacks a permission: grant ads_read for this ad account and connect again.',
  },
  {
    codes: [368],
    kind: 'authLost',
    word: 'policy_block',
    advice: 'The platform blocks this user or app for its policies: see its support inbox.',
  },
  {
    codes: [3018],
    kind: 'fatal',
    word: 'out_of_history',
    advice: 'The days are older than the 37 months that the platform keeps.',
  },
  {
    codes: [100],
    kind: 'fatal',
    word: 'bad_request',
    advice: 'The platform refuses this request as it is; the version may have changed.',
  },
  { codes: [1, 2], kind: 'retryable', word: 'platform_error', advice: LATER },
];

const UNKNOWN: ErrorRule = {
  codes: [],
  kind: 'retryable',
  word: 'platform_error',
  advice: 'The code is unknown; it is tried again later.',
};

export function ruleOf(error: ProviderError): ErrorRule {
  const { code, error_subcode: subcode, message = '' } = error;
  const fits = (rule: ErrorRule) =>
    rule.codes.includes(code) &&
    (rule.subcodes === undefined || (subcode !== undefined && rule.subcodes.includes(subcode))) &&
    (rule.message === undefined || rule.message.test(message));
  return ERROR_RULES.find(fits) ?? UNKNOWN;
}
