import { COMMON_RULES, type ErrorRule } from '../portal2/error-rules.ts';

/**
 * The display platform's own refusals, then those that it shares. Its exception has one code, −813, whatever the reason:
 * the detail code, the status and the words tell.
 * Facts: the company's page on error codes of the display API; recorded answers (60008; "허용된 API 요청을 초과").
 */
export const DISPLAY_RULES: readonly ErrorRule[] = [
  {
    codes: [-813],
    statuses: [429],
    kind: 'throttled',
    word: 'rate_limited',
    advice: 'It is tried again later.',
  },
  {
    codes: [-813],
    message: /API 요청을 초과/,
    kind: 'throttled',
    word: 'rate_limited',
    advice: 'It is tried again later.',
  },
  {
    codes: [-813],
    detailCodes: [60008],
    kind: 'retryable',
    word: 'period_refused',
    advice: 'The platform takes no day that it has not closed yet: it is tried again later.',
  },
  {
    codes: [-813],
    kind: 'fatal',
    word: 'bad_request',
    advice: 'The platform refuses this request as it is; its API may have changed.',
  },
  ...COMMON_RULES,
];
