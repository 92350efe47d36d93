import { LEVEL_WORDS, type Source } from '@tributary/shared';
import type { CollectRequest } from '../connector.ts';
import { type FeedAccess, type FeedDeps, feedPages } from './feed-pages.ts';
import { FeedObservationPageSchema } from './observation-schema.ts';

type Request = FeedAccess & Pick<CollectRequest, 'account' | 'source' | 'from' | 'to'>;

/**
 * The rows of one ad account, level and list over a window as the feed sends them. An exporter may answer with more levels
 * and lists than were asked for, never with another account's rows.
 */
export async function* observationPages(
  deps: FeedDeps,
  request: Request,
  budgetKey: string,
): AsyncGenerator<readonly unknown[]> {
  const { account, source, from, to } = request;
  const pages = feedPages(deps, request, {
    resource: 'observations',
    params: { start: from, end: to, account: account.id, ...narrowedTo(source) },
    schema: FeedObservationPageSchema,
    budgetKey,
  });
  for await (const { rows } of pages) yield rows;
}

function narrowedTo({ fills: [fill] }: Source): Record<string, string> {
  return fill ? { level: LEVEL_WORDS[fill.level], dimension: fill.part } : {};
}
