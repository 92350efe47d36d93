import { type Clock, RetryableError } from '@tributary/runtime';
import type { z } from 'zod';
import type { AccessTokens, Grant, LinkAccess, RateBudget } from '../connector.ts';
import type { HttpAnswer, HttpClient } from '../http/http-client.ts';
import { scrub } from '../http/mask-url.ts';
import { jsonOf, malformed, parseJson } from '../http/parse-json.ts';
import { refreshToken } from '../oauth/refresh.ts';
import { errorOf } from '../refusal.ts';
import { budgetKeys, silence, throttled } from './allowance.ts';
import { type JudgedError, judge } from './errors.ts';
import {
  ProviderAccessibleSchema,
  type ProviderError,
  ProviderErrorSchema,
  providerPageSchema,
  type SearchEngineAdsCredentials,
  type SearchEngineAdsSettings,
} from './schema.ts';

/** A version lives about a year: the one place to change it. */
export const API_VERSION = 'v26';
const PAGES_MAX = 2_000;
const BUDGET_WAIT_MS = 10_000;

export interface SearchDeps {
  http: HttpClient;
  /** Without the version: `https://googleads.googleapis.com`. */
  baseUrl: string;
  tokenUrl: string;
  budget: RateBudget;
  accessTokens: AccessTokens;
  clock: Clock;
}

export type SearchAccess = LinkAccess<SearchEngineAdsCredentials, SearchEngineAdsSettings>;

/** A query to one account. */
export interface Question {
  account: string;
  /** The manager through which the account is reached; absent = directly. */
  login?: string | undefined;
  query: string;
}

export interface SearchClient {
  /** Ids of the accounts that the user reaches without a manager. */
  accessible(): Promise<string[]>;
  /** Every page's rows in order. */
  pages<T>(question: Question, row: z.ZodType<T>): AsyncIterable<T[]>;
}

interface Call {
  method: 'GET' | 'POST';
  /** Below the version. */
  path: string;
  account?: string;
  login?: string | undefined;
  body?: string;
}

/** Speaks the platform's REST dialect for one link. */
export function createSearchClient(deps: SearchDeps, access: SearchAccess): SearchClient {
  const call = async <T>(one: Call, schema: z.ZodType<T>): Promise<T> => {
    let refused: string | undefined;
    for (;;) {
      const token = await deps.accessTokens.get(
        access,
        (owner) => fetchGrant(deps, owner),
        refused,
      );
      const answer = await send(deps, access, one, token);
      const error = platformErrorOf(answer);
      if (!error) {
        if (answer.status === 429) throw await throttled(deps, access, answer);
        if (answer.status >= 400)
          throw malformed(answer, `status ${answer.status} without an error`);
        return parseJson(answer, schema);
      }
      const judged = judge(error);
      // An access token may end earlier than it was said to: a new one is tried, once.
      if (judged.rule.kind !== 'stale' || refused !== undefined) {
        throw await translate(deps, access, { one, answer, judged, token });
      }
      refused = token;
    }
  };
  return {
    async accessible() {
      const path = 'customers:listAccessibleCustomers';
      const { resourceNames } = await call({ method: 'GET', path }, ProviderAccessibleSchema);
      return resourceNames.map((name) => name.slice('customers/'.length));
    },
    pages: (question, row) => pagesOf(call, question, row),
  };
}

/** True when the body carries the platform's own code, whatever the HTTP status. */
export function isSearchError(answer: HttpAnswer): boolean {
  return platformErrorOf(answer) !== undefined;
}

async function* pagesOf<T>(
  call: <P>(one: Call, schema: z.ZodType<P>) => Promise<P>,
  { account, login, query }: Question,
  row: z.ZodType<T>,
): AsyncGenerator<T[]> {
  const schema = providerPageSchema(row);
  const path = `customers/${account}/googleAds:search`;
  const seen = new Set<string>();
  const heads = new Set<string>();
  let pageToken: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const body = JSON.stringify({ query, ...(pageToken && { pageToken }) });
    const { results, nextPageToken } = await call(
      { method: 'POST', path, account, login, body },
      schema,
    );
    const head = results.length === 0 ? undefined : JSON.stringify(results[0]);
    if (head !== undefined && heads.has(head)) throw repeated(path, 'starts like an earlier page');
    if (head !== undefined) heads.add(head);
    if (nextPageToken && seen.has(nextPageToken)) throw repeated(path, 'names a page seen before');
    yield results;
    if (!nextPageToken) return;
    seen.add(nextPageToken);
    pageToken = nextPageToken;
  }
  throw repeated(path, `has more than ${PAGES_MAX} pages`);
}

function repeated(path: string, what: string): RetryableError {
  return new RetryableError(
    'repeated_page',
    `The answer of ${path} ${what}: nothing of it is used`,
  );
}

async function fetchGrant(
  deps: SearchDeps,
  { credentials, signal }: LinkAccess<SearchEngineAdsCredentials>,
): Promise<Grant<SearchEngineAdsCredentials>> {
  const { clientId, clientSecret, refreshToken: current } = credentials;
  const { token: key } = budgetKeys(credentials);
  const request = { clientId, clientSecret, refreshToken: current, key, signal };
  const { refreshToken: next, ...grant } = await refreshToken(deps, request);
  return { ...grant, ...(next && { credentials: { ...credentials, refreshToken: next } }) };
}

async function send(
  deps: SearchDeps,
  { credentials, signal }: SearchAccess,
  { method, path, account, login, body }: Call,
  token: string,
): Promise<HttpAnswer> {
  const keys = budgetKeys(credentials, account);
  if (keys.account) await deps.budget.take(keys.account, BUDGET_WAIT_MS, signal);
  await deps.budget.take(keys.operations, BUDGET_WAIT_MS, signal);
  const { developerToken } = credentials;
  const headers = {
    authorization: `Bearer ${token}`,
    ...(login && { 'login-customer-id': login }),
    ...(developerToken && { 'developer-token': developerToken }),
    ...(body && { 'content-type': 'application/json' }),
  };
  const url = new URL(`${deps.baseUrl.replace(/\/+$/, '')}/${API_VERSION}/${path}`);
  // Without quick repeats: each would be an operation that nobody counted.
  return deps.http.send({ method, url, headers, signal, idempotent: false, ...(body && { body }) });
}

function platformErrorOf(answer: HttpAnswer): ProviderError | undefined {
  if (!/^\s*[[{]\s*(\{\s*)?"error"/.test(answer.text)) return undefined;
  const parsed = ProviderErrorSchema.safeParse(jsonOf(answer));
  return parsed.success ? parsed.data : undefined;
}

async function translate(
  deps: SearchDeps,
  access: SearchAccess,
  failed: { one: Call; answer: HttpAnswer; judged: JudgedError; token: string },
): Promise<Error> {
  const { one, answer, judged, token } = failed;
  const { clientSecret, refreshToken: refresh, developerToken } = access.credentials;
  const secrets = [token, clientSecret, refresh, developerToken];
  const said = scrub(judged.message || 'no message', secrets);
  const words = `${answer.place} was refused with ${judged.code}: ${said}`;
  const until =
    judged.rule.kind === 'throttled' ? await silence(deps, access, one.account, judged) : 0;
  return errorOf(judged.rule, words, until);
}
