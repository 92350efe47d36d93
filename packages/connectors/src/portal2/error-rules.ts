import type { Refusal } from '../refusal.ts';
import type { ProviderError } from './schema.ts';

/** One row of a platform's table of errors: which refusal it is, and what to do about it. */
export interface ErrorRule extends Refusal {
  codes: readonly number[];
  /** Without: any HTTP status. One code may mean several things, told apart by the status. */
  statuses?: readonly number[];
  /** Without: any detail code. */
  detailCodes?: readonly number[];
  /** What the platform's words must contain. */
  message?: RegExp;
}

const LATER = 'It is tried again later.';
const RECONNECT = 'Connect the link again with a new business token.';

/**
 * The codes that both platforms of the company share; a platform's own rows come first.
 * Facts: the company's pages on error codes of its REST API, of business authentication and of both advertising APIs, and
 * recorded answers (`ip mismatched`, `target biz token is not supplied`).
 */
export const COMMON_RULES: readonly ErrorRule[] = [
  {
    codes: [-401],
    message: /ip mismatched/i,
    kind: 'fatal',
    word: 'address_refused',
    advice: 'The app lists the addresses that may call: add this one. The token is still good.',
  },
  {
    codes: [-401],
    message: /biz token/i,
    kind: 'authLost',
    word: 'not_a_business_token',
    advice: `A token of an ordinary login is refused. ${RECONNECT}`,
  },
  { codes: [-401, -903], kind: 'authLost', word: 'grant_rejected', advice: RECONNECT },
  {
    codes: [-402],
    kind: 'authLost',
    word: 'scope_missing',
    advice:
      'The user has not agreed to the scope of the advertising API: ask for it and connect again.',
  },
  {
    codes: [-5],
    kind: 'authLost',
    word: 'permission_missing',
    advice: 'The app or its user may not read this ad account: have the permission given.',
  },
  {
    codes: [-3, -101],
    kind: 'authLost',
    word: 'app_not_ready',
    advice:
      'The API is switched off for the app, or its user left it: see the settings of the app.',
  },
  {
    codes: [-4, -12],
    kind: 'authLost',
    word: 'policy_block',
    advice: 'The platform blocks the app or its user: ask its support.',
  },
  { codes: [-10, -11], kind: 'throttled', word: 'rate_limited', advice: LATER },
  { codes: [-1, -7, -603, -9798], kind: 'retryable', word: 'platform_error', advice: LATER },
  {
    codes: [-2, -6, -8, -9],
    kind: 'fatal',
    word: 'bad_request',
    advice: 'The platform refuses this request as it is; its API may have changed.',
  },
];

const UNKNOWN: ErrorRule = {
  codes: [],
  kind: 'retryable',
  word: 'platform_error',
  advice: 'The code is unknown; it is tried again later.',
};

/** The first row that fits a refusal. */
export function ruleOf(
  rules: readonly ErrorRule[],
  status: number,
  { code, msg, extras }: ProviderError,
): ErrorRule {
  const said = `${msg ?? ''} ${extras?.detailMsg ?? ''}`;
  const detail = extras?.detailCode;
  const fits = (rule: ErrorRule) =>
    rule.codes.includes(code) &&
    (rule.statuses?.includes(status) ?? true) &&
    (rule.detailCodes === undefined ||
      (detail !== undefined && rule.detailCodes.includes(detail))) &&
    (rule.message?.test(said) ?? true);
  return rules.find(fits) ?? UNKNOWN;
}
