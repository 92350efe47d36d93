import { type Clock, RateLimitedError } from '@tributary/runtime';
import type { z } from 'zod';
import type { AccessTokens, Grant, LinkAccess, RateBudget } from '../connector.ts';
import type { HttpAnswer, HttpClient } from '../http/http-client.ts';
import { scrub } from '../http/mask-url.ts';
import { malformed, parseJson } from '../http/parse-json.ts';
import { retryAfter } from '../http/retry-after.ts';
import { refreshToken } from '../oauth/refresh.ts';
import { errorOf } from '../refusal.ts';
import { type ProviderError, providerErrorOf, ruleOf } from './errors.ts';
import type { Portal1DaCredentials, Portal1DaSettings } from './schema.ts';

const API_PATH = '/v1/ad-api/1.0';
const BUDGET_WAIT_MS = 10_000;
/** The platform does not say how long to be silent: half a minute at first, twice that each time in a row. */
const THROTTLE_MS = 30_000;
const THROTTLE_MOST_MS = 60 * 60_000;
/**
 * The login server's documented words know no `invalid_grant`. Our request is well formed, so this one can only mean the
 * refresh token.
 */
const GRANT_LOST_WORDS = ['invalid_request'];

export interface Portal1DaDeps {
  http: HttpClient;
  /** Without the path of the API: `https://openapi.naver.com`. */
  baseUrl: string;
  tokenUrl: string;
  budget: RateBudget;
  accessTokens: AccessTokens;
  clock: Clock;
  /** Throttles in a row by budget key, so that waits grow; shared by all calls. */
  throttles: Map<string, number>;
}

export type Portal1DaAccess = LinkAccess<Portal1DaCredentials, Portal1DaSettings>;

export interface Portal1DaCall {
  /** Below the API's path: `/adAccounts`. */
  path: string;
  params?: Record<string, string>;
  /** The manager account that the call comes through; absent for what the login is a member of. */
  manager?: string | undefined;
}

export interface Portal1DaClient {
  call<T>(call: Portal1DaCall, schema: z.ZodType<T>): Promise<T>;
}

/** The allowance of one application: the platform publishes none, so all its accounts and calls share one. */
function budgetKey(
  { credentials }: Pick<Portal1DaAccess, 'credentials'>,
  family: 'api' | 'token',
): string {
  return `PORTAL1_DA/${credentials.clientId}/-/${family}`;
}

/** True when the body carries the platform's own code, whatever the HTTP status. */
export function isPortal1DaError(answer: HttpAnswer): boolean {
  return providerErrorOf(answer) !== undefined;
}

/** Speaks the platform's dialect for one link; a refused access token is replaced once. */
export function createPortal1DaClient(
  deps: Portal1DaDeps,
  access: Portal1DaAccess,
): Portal1DaClient {
  const tokenFor = (refused?: string) =>
    deps.accessTokens.get(access, (stored) => fetchGrant(deps, stored), refused);
  return {
    async call(one, schema) {
      let token = await tokenFor();
      let answer = await send(deps, access, { one, token });
      if (isTokenRefused(answer)) {
        token = await tokenFor(token);
        answer = await send(deps, access, { one, token });
      }
      const error = providerErrorOf(answer);
      if (error) throw await translate(deps, access, { answer, error, token });
      if (answer.status === 429) throw await throttled(deps, access, answer);
      if (answer.status >= 400) {
        throw malformed(answer, `status ${answer.status} without an error code`);
      }
      const value = parseJson(answer, schema);
      deps.throttles.delete(budgetKey(access, 'api'));
      return value;
    },
  };
}

function isTokenRefused(answer: HttpAnswer): boolean {
  const error = providerErrorOf(answer);
  return error !== undefined && ruleOf(error).kind === 'stale';
}

async function fetchGrant(
  deps: Portal1DaDeps,
  access: LinkAccess<Portal1DaCredentials>,
): Promise<Grant<Portal1DaCredentials>> {
  const { clientId, clientSecret, refreshToken: current } = access.credentials;
  const { refreshToken: next, ...token } = await refreshToken(deps, {
    clientId,
    clientSecret,
    refreshToken: current,
    key: budgetKey(access, 'token'),
    signal: access.signal,
    grantLostWords: GRANT_LOST_WORDS,
  });
  return {
    ...token,
    ...(next !== undefined && { credentials: { ...access.credentials, refreshToken: next } }),
  };
}

async function send(
  deps: Portal1DaDeps,
  access: Portal1DaAccess,
  { one, token }: { one: Portal1DaCall; token: string },
): Promise<HttpAnswer> {
  await deps.budget.take(budgetKey(access, 'api'), BUDGET_WAIT_MS, access.signal);
  const url = new URL(`${deps.baseUrl.replace(/\/+$/, '')}${API_PATH}${one.path}`);
  url.search = new URLSearchParams(one.params).toString();
  return await deps.http.send({
    method: 'GET',
    url,
    headers: {
      authorization: `Bearer ${token}`,
      ...(one.manager !== undefined && { AccessManagerAccountNo: one.manager }),
    },
    signal: access.signal,
  });
}

async function translate(
  deps: Portal1DaDeps,
  access: Portal1DaAccess,
  { answer, error, token }: { answer: HttpAnswer; error: ProviderError; token: string },
): Promise<Error> {
  const rule = ruleOf(error);
  const { clientSecret, refreshToken: grant } = access.credentials;
  const said = scrub(error.words, [token, clientSecret, grant]);
  const code = [error.code, error.detail].filter((part) => part !== undefined).join('/');
  const words = `${answer.place} was refused with code ${code}: ${said}`;
  const until = rule.kind === 'throttled' ? await silence(deps, access, answer) : 0;
  return errorOf(rule, words, until);
}

/** Says nothing more for a while: as long as a header asks for, else longer each time in a row. */
async function silence(
  deps: Portal1DaDeps,
  access: Portal1DaAccess,
  answer: HttpAnswer,
): Promise<number> {
  const key = budgetKey(access, 'api');
  const inARow = deps.throttles.get(key) ?? 0;
  deps.throttles.set(key, inARow + 1);
  const now = deps.clock.now();
  const header = answer.headers['retry-after'];
  const grown = Math.min(THROTTLE_MS * 2 ** Math.min(inARow, 10), THROTTLE_MOST_MS);
  const until = header === undefined ? now + grown : retryAfter(header, now);
  await deps.budget.block(key, until);
  return until;
}

/** A 429 without a code of the platform comes from what stands before it. */
async function throttled(
  deps: Portal1DaDeps,
  access: Portal1DaAccess,
  answer: HttpAnswer,
): Promise<Error> {
  const until = await silence(deps, access, answer);
  return new RateLimitedError(until, `${answer.place} answered 429`);
}
