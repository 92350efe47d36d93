import { createHash } from 'node:crypto';
import { type Clock, RateLimitedError } from '@tributary/runtime';
import type { ChannelType } from '@tributary/shared';
import type { z } from 'zod';
import type { LinkAccess, RateBudget } from '../connector.ts';
import type { HttpAnswer, HttpClient } from '../http/http-client.ts';
import { scrub } from '../http/mask-url.ts';
import { jsonOf, malformed, parseJson } from '../http/parse-json.ts';
import { retryAfter } from '../http/retry-after.ts';
import { errorOf } from '../refusal.ts';
import { closeKey } from './close-key.ts';
import { type ErrorRule, ruleOf } from './error-rules.ts';
import {
  type Portal2Credentials,
  type Portal2Settings,
  type ProviderError,
  ProviderErrorSchema,
} from './schema.ts';

const BUDGET_WAIT_MS = 10_000;
/** A reservation outlives a process that died by so much; its key's allowance is one in a second. */
const RESERVED_MS = 1_500;
const THROTTLE_MS = 10_000;
const THROTTLE_MOST_MS = 60 * 60_000;
const THROTTLES_KEPT = 10_000;

export interface Portal2Deps {
  type: Extract<ChannelType, 'PORTAL2_KEYWORD' | 'PORTAL2_DISPLAY'>;
  http: HttpClient;
  /** With the version: `https://apis.moment.kakao.com/openapi/v4`. */
  baseUrl: string;
  budget: RateBudget;
  clock: Clock;
  /** The platform's table of errors; the first row that fits wins. */
  rules: readonly ErrorRule[];
  /** Throttles in a row by budget key, so that the wait grows; shared by all calls. */
  throttles: Map<string, number>;
}

export type Portal2Access<Settings extends Portal2Settings = Portal2Settings> = LinkAccess<
  Portal2Credentials,
  Settings
>;

export interface Portal2Call {
  /** Below the version: `campaigns/report`. */
  path: string;
  params?: Record<string, string>;
  /** The ad account the call is for; absent for the list of accounts. */
  account?: string;
  /** Whose allowance the call uses: the last part of its budget key. */
  family: string;
  /** Counted for the app as a whole and not for the ad account. */
  ofApp?: boolean;
  /** The platform wants so long a pause between two calls of the allowance. Such a call is never repeated at once. */
  pauseMs?: number;
}

export interface Portal2Client {
  /**
   * One call, answered in the platform's shape.
   *
   * @throws RateLimitedError, RetryableError, AuthLostError, FatalError by the platform's table of errors
   */
  call<T>(call: Portal2Call, schema: z.ZodType<T>): Promise<T>;
  /**
   * Keeps an allowance of the app for one caller, over all processes, until the answer is called.
   *
   * @throws RateLimitedError when somebody else keeps it for longer than a turn waits
   */
  reserve(family: string): Promise<() => Promise<void>>;
}

/**
 * Speaks the dialect that both platforms share, for one link: a business token as bearer, and the ad account in a header.
 * Business tokens neither end by a date nor can they be renewed.
 */
export function createPortal2Client(deps: Portal2Deps, access: Portal2Access): Portal2Client {
  return {
    async call(one, schema) {
      const key = budgetKey(deps.type, access, one);
      await deps.budget.take(key, BUDGET_WAIT_MS, access.signal);
      const answer = await sendAndPause(deps, key, one, access);
      const error = platformErrorOf(answer);
      if (error) throw await translate(deps, access, { key, answer, error });
      if (answer.status === 429) {
        const until = await silence(deps, key, answer);
        throw new RateLimitedError(until, `${answer.place} answered 429`);
      }
      if (answer.status >= 400) {
        throw malformed(answer, `status ${answer.status} without an error code`);
      }
      const value = parseJson(answer, schema);
      deps.throttles.delete(key);
      return value;
    },
    async reserve(family) {
      const key = budgetKey(deps.type, access, { family, ofApp: true });
      await deps.budget.take(key, BUDGET_WAIT_MS, access.signal);
      const open = closeKey(deps, key, RESERVED_MS);
      return () => open();
    },
  };
}

/** The pause counts from the answer, as the platform's clock started no later; until then the key stays closed. */
async function sendAndPause(
  deps: Portal2Deps,
  key: string,
  one: Portal2Call,
  access: Portal2Access,
): Promise<HttpAnswer> {
  const request = requestOf(deps.baseUrl, one, access);
  if (one.pauseMs === undefined) return await deps.http.send(request);
  const open = closeKey(deps, key, one.pauseMs);
  try {
    return await deps.http.send({ ...request, idempotent: false });
  } finally {
    await open(one.pauseMs);
  }
}

/** True when the body carries the platform's own code, whatever the HTTP status. */
export function isPortal2Error(answer: HttpAnswer): boolean {
  return platformErrorOf(answer) !== undefined;
}

/**
 * The platforms count the calls of an app and an ad account. An app that the link does not name is known by its token
 * alone, so that all links with one token share an allowance; the key holds a digest that the token cannot be found from.
 */
function budgetKey(
  type: string,
  { credentials }: Portal2Access,
  { account = '-', family, ofApp }: Pick<Portal2Call, 'account' | 'family' | 'ofApp'>,
): string {
  const { appId, businessToken } = credentials;
  const digest = createHash('sha256').update(businessToken).digest('base64url').slice(0, 16);
  return `${type}/${appId ?? digest}/${ofApp ? '-' : account}/${family}`;
}

function requestOf(baseUrl: string, one: Portal2Call, { credentials, signal }: Portal2Access) {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/${one.path}`);
  url.search = new URLSearchParams(one.params).toString();
  const headers = {
    authorization: `Bearer ${credentials.businessToken}`,
    ...(one.account !== undefined && { adAccountId: one.account }),
  };
  return { method: 'GET', url, headers, signal } as const;
}

function platformErrorOf(answer: HttpAnswer): ProviderError | undefined {
  if (!answer.text.includes('"code"')) return undefined;
  const parsed = ProviderErrorSchema.safeParse(jsonOf(answer));
  return parsed.success ? parsed.data : undefined;
}

async function translate(
  deps: Portal2Deps,
  access: Portal2Access,
  { key, answer, error }: { key: string; answer: HttpAnswer; error: ProviderError },
): Promise<Error> {
  const { code, msg, extras } = error;
  const rule = ruleOf(deps.rules, answer.status, error);
  const codes = [code, extras?.detailCode].filter((part) => part !== undefined).join('/');
  const words = [msg, extras?.detailMsg].filter(Boolean).join(': ') || 'no message';
  const said = scrub(words, [access.credentials.businessToken]);
  const until = rule.kind === 'throttled' ? await silence(deps, key, answer) : 0;
  return errorOf(rule, `${answer.place} was refused with code ${codes}: ${said}`, until);
}

/** Blocks the budget until the platform's time, else for 10 seconds and twice as long each time in a row. */
async function silence(deps: Portal2Deps, key: string, { headers }: HttpAnswer): Promise<number> {
  const now = deps.clock.now();
  const before = deps.throttles.get(key) ?? 0;
  if (deps.throttles.size > THROTTLES_KEPT) deps.throttles.clear();
  deps.throttles.set(key, before + 1);
  const header = headers['retry-after'];
  const waitMs = Math.min(THROTTLE_MS * 2 ** Math.min(before, 10), THROTTLE_MOST_MS);
  const until = header === undefined ? now + waitMs : retryAfter(header, now);
  await deps.budget.block(key, until);
  return until;
}
