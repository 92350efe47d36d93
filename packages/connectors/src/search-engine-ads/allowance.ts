import { RateLimitedError } from '@tributary/runtime';
import type { HttpAnswer } from '../http/http-client.ts';
import { retryAfter } from '../http/retry-after.ts';
import type { SearchAccess, SearchDeps } from './client.ts';
import type { JudgedError } from './errors.ts';
import type { SearchEngineAdsCredentials } from './schema.ts';

const THROTTLE_MS = 5 * 60_000;
const THROTTLE_MOST_MS = 24 * 60 * 60_000;

/**
 * Keys of allowances: the day's operations belong to the app's cloud project, whose number a client id begins with; an
 * account may be throttled on its own.
 */
export function budgetKeys({ clientId }: SearchEngineAdsCredentials, account?: string) {
  const app = `SEARCH_ENGINE_ADS/${/^\d+(?=-)/.exec(clientId)?.[0] ?? clientId}`;
  return {
    operations: `${app}/-/operations`,
    token: `${app}/-/token`,
    account: account === undefined ? undefined : `${app}/${account}/requests`,
  };
}

/** Blocks what the platform throttles, the account or the whole app, for the time it asks. */
export async function silence(
  { budget, clock }: SearchDeps,
  { credentials }: SearchAccess,
  account: string | undefined,
  { rule, quota }: JudgedError,
): Promise<number> {
  const seconds = Number(/^(\d{1,9}(?:\.\d+)?)s$/.exec(quota?.retryDelay ?? '')?.[1] ?? 0);
  const waitMs = Math.ceil(seconds * 1_000) || (rule.waitMs ?? THROTTLE_MS);
  const until = clock.now() + Math.min(waitMs, THROTTLE_MOST_MS);
  const keys = budgetKeys(credentials, account);
  const ofAccount = quota?.rateScope === 'ACCOUNT' ? keys.account : undefined;
  await budget.block(ofAccount ?? keys.operations, until);
  return until;
}

/** A 429 without a code of the platform comes from what stands before it. */
export async function throttled(
  { budget, clock }: SearchDeps,
  { credentials }: SearchAccess,
  answer: HttpAnswer,
): Promise<Error> {
  const until = retryAfter(answer.headers['retry-after'], clock.now());
  await budget.block(budgetKeys(credentials).operations, until);
  return new RateLimitedError(until, `${answer.place} answered 429`);
}
