import { FeedBlogPageSchema } from '../feed/blog-day-schema.ts';
import { type FeedAccess, type FeedDeps, feedPages } from '../feed/feed-pages.ts';

/** The blog's days over a range, page by page. */
export function blogDayPages(
  deps: FeedDeps,
  access: FeedAccess,
  { from, to }: { from: string; to: string },
) {
  return feedPages(deps, access, {
    resource: 'blog-days',
    params: { start: from, end: to },
    schema: FeedBlogPageSchema,
    budgetKey: `PORTAL1_BLOG/${access.link}/blog/feed`,
  });
}
