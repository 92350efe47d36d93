import {
  AuthLostError,
  type Clock,
  FatalError,
  RateLimitedError,
  RetryableError,
} from '@tributary/runtime';
import type { z } from 'zod';
import type { LinkAccess, RateBudget } from '../connector.ts';
import type { HttpAnswer, HttpClient } from '../http/http-client.ts';
import { malformed, parseJson } from '../http/parse-json.ts';
import { retryAfter } from '../http/retry-after.ts';

export interface FeedDeps {
  /** Guarded: the feed's URL comes from a client. */
  http: HttpClient;
  budget: RateBudget;
  clock: Clock;
}

/** What of a link a feed is asked with. */
export type FeedAccess = LinkAccess<
  { feedToken?: string | undefined },
  { feedUrl?: string | undefined }
>;

/** One question to a feed, answered in pages. */
export interface FeedQuestion<Page> {
  /** Below the feed's address and `/v1/`. */
  resource: 'blog-days' | 'observations';
  /** `start`, `end` and whatever narrows the answer; the cursor is added. */
  params: Readonly<Record<string, string>>;
  schema: z.ZodType<Page>;
  /** The budget's key, such as `PORTAL1_BLOG/<link>/blog/feed`. */
  budgetKey: string;
}

const PAGES_MAX = 200;
const BUDGET_WAIT_MS = 10_000;

/**
 * What a feed answers, page by page. The feed is our own contract, so here the HTTP status tells.
 *
 * @throws FatalError `no_feed` for a link that is fed by imports
 */
export async function* feedPages<Page extends { next?: string | null | undefined }>(
  deps: FeedDeps,
  access: FeedAccess,
  question: FeedQuestion<Page>,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let number = 0; number < PAGES_MAX; number += 1) {
    const answer = await call(deps, access, { question, cursor });
    const page = parseJson(answer, question.schema);
    const { next } = page;
    if (next && seen.has(next)) {
      const text = `${answer.place} names the cursor '${next}' again: nothing of it is used`;
      throw new RetryableError('repeated_page', text);
    }
    yield page;
    if (!next) return;
    seen.add(next);
    cursor = next;
  }
  throw new RetryableError('repeated_page', `The feed has more than ${PAGES_MAX} pages`);
}

function feedUrlOf({ feedUrl }: FeedAccess['settings']): URL {
  if (feedUrl === undefined) {
    const advice = 'Import files with POST /link/import, or link it again with settings.feedUrl.';
    throw new FatalError('no_feed', `The link has no feed. ${advice}`);
  }
  const url = URL.parse(feedUrl);
  if (!url) throw new FatalError('feed_url_refused', 'The feed URL is not a URL.');
  return url;
}

interface Call {
  question: Pick<FeedQuestion<unknown>, 'resource' | 'params' | 'budgetKey'>;
  cursor: string | undefined;
}

function urlOf(access: FeedAccess, { question, cursor }: Call): URL {
  const url = feedUrlOf(access.settings);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/${question.resource}`;
  for (const [name, value] of Object.entries(question.params)) url.searchParams.set(name, value);
  if (cursor !== undefined) url.searchParams.set('cursor', cursor);
  return url;
}

async function call(deps: FeedDeps, access: FeedAccess, asked: Call): Promise<HttpAnswer> {
  const url = urlOf(access, asked);
  const { feedToken } = access.credentials;
  const key = asked.question.budgetKey;
  await deps.budget.take(key, BUDGET_WAIT_MS, access.signal);
  const headers = feedToken === undefined ? {} : { authorization: `Bearer ${feedToken}` };
  const answer = await deps.http.send({ method: 'GET', url, headers, signal: access.signal });
  const { status, place } = answer;
  if (status === 200) return answer;
  if (status === 429) {
    const until = retryAfter(answer.headers['retry-after'], deps.clock.now());
    await deps.budget.block(key, until);
    throw new RateLimitedError(until, `${place} answered 429`);
  }
  if (status === 401 || status === 403) {
    const advice = 'Connect the link again with the feed token that the exporter accepts.';
    throw new AuthLostError('grant_rejected', `${place} answered ${status}. ${advice}`);
  }
  if (status === 400 || status === 404 || status === 410) {
    const advice = 'Check that feedUrl is the address of a version 1 feed.';
    throw new FatalError('bad_feed', `${place} answered ${status}. ${advice}`);
  }
  throw malformed(answer, `status ${status}`);
}
