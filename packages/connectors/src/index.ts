export type {
  CollectRequest,
  Connector,
  LinkAccess,
  PendingReport,
  RateBudget,
} from './connector.ts';
