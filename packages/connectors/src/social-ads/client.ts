import { createHmac } from 'node:crypto';
import { type Clock, RateLimitedError, RetryableError } from '@tributary/runtime';
import type { z } from 'zod';
import type { LinkAccess, RateBudget } from '../connector.ts';
import type { HttpAnswer, HttpClient } from '../http/http-client.ts';
import { scrub } from '../http/mask-url.ts';
import { jsonOf, malformed, parseJson } from '../http/parse-json.ts';
import { retryAfter } from '../http/retry-after.ts';
import { errorOf } from '../refusal.ts';
import { ruleOf } from './errors.ts';
import {
  type ProviderError,
  ProviderErrorSchema,
  providerPageSchema,
  type SocialAdsCredentials,
  type SocialAdsSettings,
} from './schema.ts';
import { USAGE_MAX_PERCENT, usageOf } from './usage.ts';

export const API_VERSION = 'v26.0';
const PAGES_MAX = 2_000;
const BUDGET_WAIT_MS = 10_000;
const THROTTLE_MS = 5 * 60_000;
const THROTTLE_MOST_MS = 60 * 60_000;

export interface GraphDeps {
  http: HttpClient;
  baseUrl: string;
  budget: RateBudget;
  clock: Clock;
  /** Throttles in a row by budget key, so that a wait without the platform's estimate grows; shared by all calls. */
  throttles: Map<string, number>;
}

export type GraphAccess = LinkAccess<SocialAdsCredentials, SocialAdsSettings>;

export interface GraphCall {
  method?: 'GET' | 'POST';
  /** Below the version: `act_1/insights`. */
  path: string;
  params: Record<string, string>;
  /** Whose allowance the call uses; see {@link budgetKey}. */
  key: string;
  /** Sent in place of the link's token; '' = none. */
  token?: string;
}

export interface GraphClient {
  call<T>(call: GraphCall, schema: z.ZodType<T>): Promise<T>;
  /** Every page's rows in order. Only the cursor of a `next` address is used: the token goes nowhere else. */
  pages<T>(call: GraphCall, row: z.ZodType<T>): AsyncIterable<T[]>;
}

/** The allowance of one app (else link), account and family of calls. */
export function budgetKey(access: GraphAccess, account: string, family: 'insights' | 'lists') {
  return `SOCIAL_ADS/${access.credentials.appId ?? access.link}/${account}/${family}`;
}

/** Speaks the platform's Graph dialect for one link. */
export function createGraphClient(deps: GraphDeps, access: GraphAccess): GraphClient {
  const call = async <T>(one: GraphCall, schema: z.ZodType<T>) => {
    await deps.budget.take(one.key, BUDGET_WAIT_MS, access.signal);
    const answer = await deps.http.send(requestOf(deps.baseUrl, one, access));
    await obeyUsage(deps, one.key, answer);
    const error = platformErrorOf(answer);
    if (error) throw await translate(deps, { one, answer, error, access });
    if (answer.status === 429) throw await throttled(deps, one.key, answer);
    if (answer.status >= 400) {
      throw malformed(answer, `status ${answer.status} without an error code`);
    }
    const value = parseJson(answer, schema);
    deps.throttles.delete(one.key);
    return value;
  };
  return { call, pages: (first, row) => pagesOf(call, first, row) };
}

/** True when the body carries the platform's own code, whatever the HTTP status. */
export function isGraphError(answer: HttpAnswer): boolean {
  return platformErrorOf(answer) !== undefined;
}

async function* pagesOf<T>(
  call: GraphClient['call'],
  first: GraphCall,
  row: z.ZodType<T>,
): AsyncGenerator<T[]> {
  const schema = providerPageSchema(row);
  const seen = new Set<string>();
  const heads = new Set<string>();
  let params = first.params;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { data, paging } = await call({ ...first, params }, schema);
    const head = data.length === 0 ? undefined : JSON.stringify(data[0]);
    if (head !== undefined && heads.has(head)) throw repeated(first, 'starts like an earlier page');
    if (head !== undefined) heads.add(head);
    const after = afterOf(paging, first);
    if (after !== undefined && seen.has(after)) throw repeated(first, 'names a cursor seen before');
    yield data;
    if (after === undefined) return;
    seen.add(after);
    params = { ...first.params, after };
  }
  throw repeated(first, `has more than ${PAGES_MAX} pages`);
}

/** The cursor of the next page; only `next` says that there is one. */
function afterOf(
  paging:
    | { next?: string | undefined; cursors?: { after?: string | undefined } | undefined }
    | undefined,
  { path }: GraphCall,
): string | undefined {
  if (paging?.next === undefined) return undefined;
  const after = paging.cursors?.after ?? URL.parse(paging.next)?.searchParams.get('after');
  if (!after) throw malformed({ place: path }, 'a next page without a cursor');
  return after;
}

function repeated({ path }: GraphCall, what: string): RetryableError {
  return new RetryableError('repeated_page', `The list ${path} ${what}: nothing of it is used`);
}

function requestOf(baseUrl: string, one: GraphCall, { credentials, signal }: GraphAccess) {
  const { accessToken, appSecret } = credentials;
  const { token = accessToken } = one;
  const params = new URLSearchParams({ ...one.params, ...(token && { access_token: token }) });
  if (appSecret && token === accessToken) {
    const proof = createHmac('sha256', appSecret).update(accessToken).digest('hex');
    params.set('appsecret_proof', proof);
  }
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/${API_VERSION}/${one.path}`);
  if (one.method === 'POST') {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return { method: 'POST', url, headers, body: params.toString(), signal } as const;
  }
  url.search = params.toString();
  return { method: 'GET', url, signal } as const;
}

function platformErrorOf(answer: HttpAnswer): ProviderError | undefined {
  if (!answer.text.includes('"error"')) return undefined;
  const parsed = ProviderErrorSchema.safeParse(jsonOf(answer));
  return parsed.success ? parsed.data.error : undefined;
}

/** Stops calls a little before the limit; the answer at hand is still good. */
async function obeyUsage(deps: GraphDeps, key: string, answer: HttpAnswer): Promise<void> {
  const { percent, regainMs } = usageOf(answer.headers);
  if (percent < USAGE_MAX_PERCENT) return;
  await deps.budget.block(key, deps.clock.now() + (regainMs || THROTTLE_MS));
}

async function translate(
  deps: GraphDeps,
  failed: { one: GraphCall; answer: HttpAnswer; error: ProviderError; access: GraphAccess },
): Promise<Error> {
  const { one, answer, error, access } = failed;
  const rule = ruleOf(error);
  const { accessToken, appSecret } = access.credentials;
  const said = scrub(error.error_user_msg || error.message || 'no message', [
    accessToken,
    appSecret,
  ]);
  const code = [error.code, error.error_subcode].filter((part) => part !== undefined).join('/');
  const words = `${answer.place} was refused with code ${code}: ${said}`;
  const until =
    rule.kind === 'throttled' ? await silence(deps, one.key, usageOf(answer.headers).regainMs) : 0;
  return errorOf(rule, words, until);
}

/** Blocks the budget for the platform's estimate, else for 5 minutes and twice as long each time in a row. */
async function silence(deps: GraphDeps, key: string, regainMs: number): Promise<number> {
  const before = deps.throttles.get(key) ?? 0;
  if (deps.throttles.size > 10_000) deps.throttles.clear();
  deps.throttles.set(key, before + 1);
  const waitMs = regainMs || Math.min(THROTTLE_MS * 2 ** Math.min(before, 4), THROTTLE_MOST_MS);
  const until = deps.clock.now() + waitMs;
  await deps.budget.block(key, until);
  return until;
}

/** A 429 without a code of the platform comes from what stands before it. */
async function throttled(deps: GraphDeps, key: string, answer: HttpAnswer): Promise<Error> {
  const until = retryAfter(answer.headers['retry-after'], deps.clock.now());
  await deps.budget.block(key, until);
  return new RateLimitedError(until, `${answer.place} answered 429`);
}
