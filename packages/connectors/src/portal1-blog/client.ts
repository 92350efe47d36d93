import {
  AuthLostError,
  type Clock,
  FatalError,
  RateLimitedError,
  RetryableError,
} from '@tributary/runtime';
import type { LinkAccess, RateBudget } from '../connector.ts';
import type { HttpAnswer, HttpClient } from '../http/http-client.ts';
import { malformed, parseJson } from '../http/parse-json.ts';
import { retryAfter } from '../http/retry-after.ts';
import {
  type BlogCredentials,
  type BlogSettings,
  type FeedBlogDay,
  FeedBlogPageSchema,
} from './schema.ts';

export interface FeedDeps {
  /** Guarded: the feed's URL comes from a client. */
  http: HttpClient;
  budget: RateBudget;
  clock: Clock;
}

export type BlogAccess = LinkAccess<BlogCredentials, BlogSettings>;

const PAGES_MAX = 200;
const BUDGET_WAIT_MS = 10_000;

/**
 * The feed's days over a range, page by page. The feed is our own contract, so here the HTTP status tells.
 *
 * @throws FatalError `no_feed` for a link that is fed by imports
 */
export async function* feedPages(
  deps: FeedDeps,
  access: BlogAccess,
  range: { from: string; to: string },
): AsyncGenerator<FeedBlogDay[]> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await call(deps, access, blogDaysUrl(access.settings, range, cursor));
    const { days, next } = parseJson(answer, FeedBlogPageSchema);
    if (next && seen.has(next)) {
      const text = `${answer.place} names the cursor '${next}' again: nothing of it is used`;
      throw new RetryableError('repeated_page', text);
    }
    yield days;
    if (!next) return;
    seen.add(next);
    cursor = next;
  }
  throw new RetryableError('repeated_page', `The feed has more than ${PAGES_MAX} pages`);
}

/**
 * The address of the link's feed.
 *
 * @throws FatalError `no_feed` for a link that is fed by imports
 */
export function feedUrlOf({ feedUrl }: BlogSettings): URL {
  if (feedUrl === undefined) {
    const advice = 'Import its days as a file, or link it again with settings.feedUrl.';
    throw new FatalError('no_feed', `The blog has no feed. ${advice}`);
  }
  const url = URL.parse(feedUrl);
  if (!url) throw new FatalError('feed_url_refused', 'The feed URL is not a URL.');
  return url;
}

function blogDaysUrl(
  settings: BlogSettings,
  { from, to }: { from: string; to: string },
  cursor: string | undefined,
): URL {
  const url = feedUrlOf(settings);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/blog-days`;
  url.searchParams.set('start', from);
  url.searchParams.set('end', to);
  if (cursor !== undefined) url.searchParams.set('cursor', cursor);
  return url;
}

async function call(deps: FeedDeps, access: BlogAccess, url: URL): Promise<HttpAnswer> {
  const { feedToken } = access.credentials;
  const key = `PORTAL1_BLOG/${access.link}/blog/feed`;
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
