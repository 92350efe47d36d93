import { COMMON_RULES, type ErrorRule } from '../portal2/error-rules.ts';

/**
 * The platform's table of errors: its own codes, then those of the company. `-820` carries a detail code; the small ones
 * are those of HTTP. Source: the platform's page on error codes.
 */
export const KEYWORD_RULES: readonly ErrorRule[] = [
  {
    codes: [-813],
    kind: 'throttled',
    word: 'rate_limited',
    advice: 'It is tried again later.',
  },
  {
    codes: [-820],
    detailCodes: [403],
    kind: 'authLost',
    word: 'permission_missing',
    advice: 'The user of the token may not read this ad account: have the user invited to it.',
  },
  {
    codes: [-820],
    detailCodes: [404],
    kind: 'fatal',
    word: 'object_missing',
    advice: 'The platform does not know it any more.',
  },
  {
    codes: [-820],
    detailCodes: [409],
    kind: 'retryable',
    word: 'platform_error',
    advice: 'It is tried again later.',
  },
  {
    codes: [-820],
    kind: 'fatal',
    word: 'bad_request',
    advice: 'The platform refuses this request as it is; its API may have changed.',
  },
  ...COMMON_RULES,
];
