import { CREDENTIALS_SCHEMAS, SETTINGS_SCHEMAS } from '@tributary/shared';
import type { Connector } from '../connector.ts';
import type { FeedAccess, FeedDeps } from '../feed/feed-pages.ts';
import { normalizeBlogDays } from '../feed/normalize-blog-days.ts';
import { blogAccount } from './blog-account.ts';
import { blogDayPages } from './client.ts';
import type { BlogCredentials, BlogSettings } from './schema.ts';

const DAY_MS = 86_400_000;

/** PORTAL1_BLOG: the neutral feed that the blog's owner serves, as there is no public API. */
export function createPortal1BlogConnector(
  deps: FeedDeps,
): Connector<BlogCredentials, BlogSettings> {
  return {
    type: 'PORTAL1_BLOG',
    CredentialsSchema: CREDENTIALS_SCHEMAS.PORTAL1_BLOG,
    SettingsSchema: SETTINGS_SCHEMAS.PORTAL1_BLOG,
    async listAccounts(access) {
      if (access.settings.feedUrl !== undefined) await proveFeed(deps, access);
      return [blogAccount(access.settings)];
    },
    // A blog has no campaigns.
    async *listEntities() {},
    async *collect(request) {
      const seen = new Set<string>();
      for await (const { days } of blogDayPages(deps, request, request)) {
        const observed = normalizeBlogDays(days, request, seen);
        if (observed.length > 0) yield observed;
      }
    },
  };
}

/** Asks for one past day, which shows that address and token are good. */
async function proveFeed(deps: FeedDeps, access: FeedAccess): Promise<void> {
  const day = new Date(deps.clock.now() - 2 * DAY_MS).toISOString().slice(0, 10);
  for await (const { days } of blogDayPages(deps, access, { from: day, to: day })) {
    normalizeBlogDays(days, { from: day, to: day }, new Set());
    return;
  }
}
