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
export { checkFeedUrl, type FeedUrlRules } from './http/feed-url.ts';
export {
  type CallLimit,
  type ConnectorOptions,
  callLimitOf,
  createConnectors,
} from './registry.ts';
