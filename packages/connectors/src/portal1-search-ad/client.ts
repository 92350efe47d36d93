import { createHmac } from 'node:crypto';
import { type Clock, RateLimitedError } from '@tributary/runtime';
import type { z } from 'zod';
import type { LinkAccess, RateBudget } from '../connector.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from '../http/http-client.ts';
import { scrub } from '../http/mask-url.ts';
import { jsonOf, malformed, parseJson } from '../http/parse-json.ts';
import { retryAfter } from '../http/retry-after.ts';
import { errorOf } from '../refusal.ts';
import { codeOf, ruleOf } from './errors.ts';
import {
  type ProviderError,
  ProviderErrorSchema,
  type SearchAdCredentials,
  type SearchAdSettings,
} from './schema.ts';

const BUDGET_WAIT_MS = 10_000;
const THROTTLE_MS = 500;
const THROTTLE_DOUBLINGS_MAX = 7;

export interface SearchAdDeps {
  http: HttpClient;
  baseUrl: string;
  budget: RateBudget;
  clock: Clock;
  /** Throttles in a row by budget key, so that the wait grows; shared by all calls. */
  throttles: Map<string, number>;
}

export type SearchAdAccess = LinkAccess<SearchAdCredentials, SearchAdSettings>;

export interface SearchAdCall {
  method?: 'GET' | 'POST' | 'DELETE';
  /** What is signed: `/ncc/campaigns`, without query. */
  path: string;
  query?: URLSearchParams | Record<string, string>;
  body?: Record<string, string>;
  family: 'reports' | 'lists';
}

export interface SearchAdClient {
  call<T>(call: SearchAdCall, schema: z.ZodType<T>): Promise<T>;
  /** A call whose answer has nothing to read. */
  send(call: SearchAdCall): Promise<void>;
  /** A text, line by line; see {@link HttpClient.lines}. */
  lines(call: SearchAdCall, onLines: (lines: readonly string[]) => void): Promise<void>;
}

/** Speaks the platform's signed dialect for one link. Its limits are counted by customer, whoever calls. */
export function createSearchAdClient(deps: SearchAdDeps, access: SearchAdAccess): SearchAdClient {
  const perform = async (
    one: SearchAdCall,
    answerTo: (request: HttpRequest) => Promise<HttpAnswer>,
  ) => {
    const { customerId } = access.credentials;
    const key = `PORTAL1_SEARCH_AD/customer/${customerId}/${one.family}`;
    await deps.budget.take(key, BUDGET_WAIT_MS, access.signal);
    const answer = await answerTo(requestOf(deps, one, access));
    const error = answer.status >= 400 ? platformErrorOf(answer) : undefined;
    if (error) throw await translate(deps, key, { answer, error, access });
    if (answer.status === 429) throw await throttled(deps, key, answer);
    if (answer.status >= 400) {
      throw malformed(answer, `status ${answer.status} without an error code`);
    }
    deps.throttles.delete(key);
    return answer;
  };
  const { http } = deps;
  return {
    call: async (one, schema) => parseJson(await perform(one, http.send), schema),
    async send(one) {
      await perform(one, http.send);
    },
    async lines(one, onLines) {
      await perform(one, (request) => http.lines(request, onLines));
    },
  };
}

/** True when the body carries the platform's own code, whatever the HTTP status. */
export function isSearchAdError(answer: HttpAnswer): boolean {
  return platformErrorOf(answer) !== undefined;
}

/** Signed when it is sent: a timestamp is good for about a minute. */
function requestOf(
  { baseUrl, clock }: SearchAdDeps,
  { method = 'GET', path, query, body, family: _ }: SearchAdCall,
  { credentials, signal }: SearchAdAccess,
): HttpRequest {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`);
  if (query) url.search = new URLSearchParams(query).toString();
  const timestamp = String(clock.now());
  const headers = {
    'x-timestamp': timestamp,
    'x-api-key': credentials.apiKey,
    'x-customer': credentials.customerId,
    'x-signature': createHmac('sha256', credentials.secretKey)
      .update(`${timestamp}.${method}.${path}`)
      .digest('base64'),
    // Sent once: the platform refuses a doubled one.
    ...(body && { 'content-type': 'application/json; charset=UTF-8' }),
  };
  return { method, url, headers, signal, ...(body && { body: JSON.stringify(body) }) };
}

function platformErrorOf(answer: HttpAnswer): ProviderError | undefined {
  const parsed = ProviderErrorSchema.safeParse(jsonOf(answer));
  return parsed.success ? parsed.data : undefined;
}

async function translate(
  deps: SearchAdDeps,
  key: string,
  { answer, error, access }: { answer: HttpAnswer; error: ProviderError; access: SearchAdAccess },
): Promise<Error> {
  const rule = ruleOf(error);
  const { apiKey, secretKey } = access.credentials;
  // The platform's details are left out: they repeat the key and the signature.
  const said = scrub(error.message || error.title || 'no message', [apiKey, secretKey]);
  const words = `${answer.place} was refused with code ${scrub(String(codeOf(error)), [])}: ${said}`;
  return errorOf(rule, words, rule.kind === 'throttled' ? await silence(deps, key) : 0);
}

/** Blocks the budget for half a second to a second, twice as long each time in a row. */
async function silence(deps: SearchAdDeps, key: string): Promise<number> {
  const before = deps.throttles.get(key) ?? 0;
  if (deps.throttles.size > 10_000) deps.throttles.clear();
  deps.throttles.set(key, before + 1);
  const waitMs = THROTTLE_MS * (1 + Math.random()) * 2 ** Math.min(before, THROTTLE_DOUBLINGS_MAX);
  const until = deps.clock.now() + Math.ceil(waitMs);
  await deps.budget.block(key, until);
  return until;
}

/** A 429 without a code of the platform comes from what stands before it. */
async function throttled(deps: SearchAdDeps, key: string, answer: HttpAnswer): Promise<Error> {
  const until = retryAfter(answer.headers['retry-after'], deps.clock.now());
  await deps.budget.block(key, until);
  return new RateLimitedError(until, `${answer.place} answered 429`);
}
