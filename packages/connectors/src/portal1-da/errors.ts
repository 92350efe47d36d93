import type { HttpAnswer } from '../http/http-client.ts';
import { jsonOf } from '../http/parse-json.ts';
import type { Refusal } from '../refusal.ts';
import { ProviderErrorSchema } from './schema.ts';

/** An error of the platform, whichever of its two forms it came in. */
export interface ProviderError {
  status: number;
  /** The gateway's number, or the API's code. */
  code: string;
  detail?: string | undefined;
  words: string;
}

interface ErrorRule extends Refusal {
  codes?: readonly string[];
  details?: readonly string[];
  status?: number;
}

const LATER = 'It is tried again later.';
const UPDATE = 'The platform refuses this request as it is: it may have changed.';
const stats = (...words: string[]) => words.map((word) => `STATS__${word}`);

/**
 * The platform's codes and what they mean for us; the first row that fits wins. A status alone decides only where the
 * platform has no code of its own for what it says.
 * Facts: the platform's pages on responses and its questions and answers (024), the codes of its gateway (010, 012, 028).
 */
const ERROR_RULES: readonly ErrorRule[] = [
  {
    codes: ['024', '028'],
    kind: 'stale',
    word: 'grant_rejected',
    advice:
      'Connect the link again. Consent that was given before the API was approved is worth nothing: withdraw it in the ' +
      "portal's list of connected services first.",
  },
  {
    status: 401,
    kind: 'stale',
    word: 'grant_rejected',
    advice: 'Connect the link again.',
  },
  { codes: ['010', '012'], kind: 'throttled', word: 'rate_limited', advice: LATER },
  { status: 429, kind: 'throttled', word: 'rate_limited', advice: LATER },
  {
    details: stats('EXPIRED_PAGING_TOKEN', 'INVALID_NEXT'),
    kind: 'retryable',
    word: 'page_expired',
    advice: 'The listing is begun anew.',
  },
  {
    details: stats('ACCESS_BEFORE_AVAILABLE', 'TOO_LATE_END_DATE'),
    kind: 'retryable',
    word: 'not_yet_told',
    advice: 'A day is told from two o’clock of the next one. It is tried again later.',
  },
  {
    details: stats('TOO_EARLY_START_DATE'),
    kind: 'fatal',
    word: 'out_of_history',
    advice: 'The days are older than the two years that the platform keeps.',
  },
  {
    details: stats('INVALID_AD_ACCOUNT_NO'),
    kind: 'authLost',
    word: 'object_missing',
    advice: 'Check that the ad account still exists.',
  },
  {
    details: stats('UNCAUGHT_EXCEPTION'),
    kind: 'retryable',
    word: 'platform_error',
    advice: LATER,
  },
  {
    details: stats('UNAUTHORIZED_EXCEPTION'),
    kind: 'authLost',
    word: 'scope_missing',
    advice: 'Give the login access to this ad account or to its manager account.',
  },
  {
    status: 403,
    kind: 'authLost',
    word: 'scope_missing',
    advice: 'Give the login access to this ad account or to its manager account.',
  },
  {
    codes: ['DATA_NOT_EXIST'],
    kind: 'authLost',
    word: 'object_missing',
    advice: 'Check that the ad account still exists.',
  },
  {
    codes: ['UNKNOWN_ERROR', 'UNDER_CONSTRUCTION', 'DATA_CONCURRENCY_PROBLEM'],
    kind: 'retryable',
    word: 'platform_error',
    advice: LATER,
  },
  {
    codes: ['BAD_REQUEST', 'INVALID_PARAMETER', 'CONDITION_DOES_NOT_MEET'],
    kind: 'fatal',
    word: 'bad_request',
    advice: UPDATE,
  },
];

const UNKNOWN: ErrorRule = {
  kind: 'retryable',
  word: 'platform_error',
  advice: 'The code is unknown; it is tried again later.',
};

export function ruleOf({ status, code, detail }: ProviderError): ErrorRule {
  const fits = (rule: ErrorRule) =>
    (rule.codes === undefined || rule.codes.includes(code)) &&
    (rule.details === undefined || (detail !== undefined && rule.details.includes(detail))) &&
    (rule.status === undefined || rule.status === status);
  return ERROR_RULES.find(fits) ?? UNKNOWN;
}

/** The platform's own error in an answer of whatever status; undefined when there is none. */
export function providerErrorOf(answer: HttpAnswer): ProviderError | undefined {
  if (!answer.text.includes('"error')) return undefined;
  const parsed = ProviderErrorSchema.safeParse(jsonOf(answer));
  if (!parsed.success) return undefined;
  const { status } = answer;
  if ('errorCode' in parsed.data) {
    const { errorCode: code, errorMessage = 'no message' } = parsed.data;
    return { status, code, words: errorMessage };
  }
  const { code, detailCode, message, description } = parsed.data.error;
  const words = [message, description].filter(Boolean).join(': ') || 'no message';
  return { status, code, ...(detailCode && { detail: detailCode }), words };
}
