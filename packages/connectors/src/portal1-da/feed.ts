import { AuthLostError, FatalError, RateLimitedError, RetryableError } from '@tributary/runtime';
import { CHANNELS, type Observed } from '@tributary/shared';
import type { FeedDeps } from '../feed/feed-pages.ts';
import { normalizeObservations } from '../feed/normalize-observations.ts';
import { observationPages } from '../feed/observation-pages.ts';
import type { Portal1DaRequest } from './collect.ts';

/**
 * The rows of a list that only the owner's feed gives. Trouble with the feed is told as trouble of these days alone: the
 * link's grant and its API have no part in it.
 */
export async function* collectFeed(
  deps: FeedDeps,
  request: Portal1DaRequest,
): AsyncGenerator<Observed[]> {
  const { account, source, from, to } = request;
  const scope = { channel: CHANNELS.PORTAL1_DA, account: account.id, source, from, to };
  const seen = new Set<string>();
  const key = `PORTAL1_DA/${request.link}/${account.id}/feed`;
  const pages = observationPages(deps, request, key);
  try {
    for await (const rows of pages) {
      const observed = normalizeObservations(rows, scope, seen);
      if (observed.length > 0) yield observed;
    }
  } catch (error) {
    throw ofFeedAlone(error);
  }
}

function ofFeedAlone(cause: unknown): unknown {
  if (cause instanceof AuthLostError)
    return new FatalError('feed_refused', cause.message, { cause });
  if (cause instanceof RateLimitedError) {
    return new RetryableError('feed_busy', cause.message, { cause });
  }
  return cause;
}
