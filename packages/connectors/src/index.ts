export type {
  AccessToken,
  AccessTokens,
  CollectRequest,
  Connector,
  Grant,
  LinkAccess,
  PendingReport,
  RateBudget,
} from './connector.ts';
export { FeedBlogDaySchema } from './feed/blog-day-schema.ts';
export {
  checkDay,
  type FeedDays,
  normalizeBlogDay,
} from './feed/normalize-blog-days.ts';
export {
  type NormalizedObservation,
  normalizeObservation,
  type ObservationScope,
} from './feed/normalize-observations.ts';
export { FeedObservationSchema } from './feed/observation-schema.ts';
export { FeedRowError } from './feed/row-error.ts';
export { exactJson } from './http/exact-json.ts';
export { checkFeedUrl, type FeedUrlRules } from './http/feed-url.ts';
export { blogAccount } from './portal1-blog/blog-account.ts';
export {
  type CallLimit,
  type ConnectorOptions,
  callLimitOf,
  createConnectors,
} from './registry.ts';
