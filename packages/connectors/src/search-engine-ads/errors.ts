import { ERROR_RULES, type ErrorRule, UNKNOWN } from './error-rules.ts';
import type { ProviderError, ProviderFailureError } from './schema.ts';

/** An error with what to do about it. */
export interface JudgedError {
  rule: ErrorRule;
  /** `authorizationError.CUSTOMER_NOT_ENABLED`, or the canonical word. */
  code: string;
  message: string | undefined;
  quota: { rateScope?: string | undefined; retryDelay?: string | undefined } | undefined;
}

/** Of several errors in one answer the first that a rule knows decides. */
export function judge(error: ProviderError): JudgedError {
  const all = (error.details ?? []).flatMap(({ errors }) => errors ?? []).map(judgeOne);
  const known = all.find(({ rule }) => rule !== UNKNOWN) ?? all[0];
  if (known) return known;
  const { status = 'UNKNOWN', message } = error;
  return { rule: ruleOf('status', status), code: status, message, quota: undefined };
}

function judgeOne({ errorCode = {}, message, details }: ProviderFailureError): JudgedError {
  const [family = 'unknown', code = 'UNKNOWN'] = Object.entries(errorCode)[0] ?? [];
  const quota = details?.quotaErrorDetails;
  return { rule: ruleOf(family, String(code)), code: `${family}.${code}`, message, quota };
}

function ruleOf(family: string, code: string): ErrorRule {
  const fits = (rule: ErrorRule) =>
    rule.family === family && (rule.codes === undefined || rule.codes.includes(code));
  return ERROR_RULES.find(fits) ?? UNKNOWN;
}
