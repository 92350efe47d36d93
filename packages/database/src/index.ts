export {
  type Account,
  accountKey,
  findAccount,
  LINK_ACCOUNT,
  listAccounts,
  planAccountOf,
  saveTreeState,
  type TreeState,
} from './accounts.ts';
export { findAdDays } from './ad-months.ts';
export {
  API_SCOPES,
  type ApiKey,
  type ApiScope,
  createApiKey,
  findApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from './api-keys.ts';
export { findBlogDays } from './blog-months.ts';
export {
  type Change,
  type ChangePlace,
  type ChangesPage,
  dropOldChanges,
  publishChange,
  readChanges,
} from './changes.ts';
export {
  COLLECTIONS,
  type CollectionPlan,
  type IndexPlan,
  LASTING_COLLECTIONS,
} from './collections.ts';
export {
  type Comment,
  type CommentInput,
  createComment,
  deleteComment,
  listComments,
  updateComment,
} from './comments.ts';
export {
  type Collection,
  type CollectTarget,
  createCollection,
  type DayOutcome,
} from './commit.ts';
export { commitImport, type ImportTarget } from './commit-import.ts';
export {
  type CellChange,
  type CellsTarget,
  type Coverage,
  moveCells,
  readCoverage,
} from './coverage.ts';
export {
  eraseCredentials,
  loadCredentials,
  replaceToken,
  type StoredCredentials,
  type StoredToken,
  saveAccessToken,
  saveCredentials,
  verifyCredentialKeys,
} from './credentials.ts';
export {
  connectDatabase,
  type Database,
  type DatabaseOptions,
  isUnavailable,
  pingDatabase,
} from './database.ts';
export { deleteLink, finishPurge, listDuePurges, purgeLink } from './delete-link.ts';
export {
  claimDueAccounts,
  nextPlanOf,
  planningLag,
  restLink,
  setNextPlan,
  wakeAllAccounts,
} from './due-accounts.ts';
export {
  addUnknownEntities,
  type ChildNode,
  childTree,
  countEntities,
  type EntityPage,
  type EntityQuery,
  entityKey,
  findEntity,
  findOwners,
  listEntities,
  removeMissing,
  type StoredEntity,
  upsertEntities,
} from './entities.ts';
export { holdImportLock, IMPORT_LOCK_MS, releaseImportLock } from './import-lock.ts';
export {
  createImportStage,
  type ImportStage,
  type StagedDay,
  type StagedRow,
} from './import-stage.ts';
export { ensureIndexes } from './indexes.ts';
export { createKeyCheck, type KeyCheck } from './key-check.ts';
export { decodeId, encodeId, keysBelow, randomId } from './keys.ts';
export { readLinkAccounts } from './link-accounts.ts';
export { setLinkStatus } from './link-status.ts';
export {
  type AuthorizedLink,
  createLink,
  findLink,
  findLinkById,
  findLinks,
  isOpenLink,
  type Link,
  type LinkReason,
  type LinkStatus,
  listLinks,
  type NewLink,
  updateLink,
} from './links.ts';
export { saveAccounts, wantDiscovery } from './listing.ts';
export type { SealTarget } from './part-work.ts';
export { contentHash, makePiece, type Piece } from './piece.ts';
export { exchangeRequestCounts, type OwnCounts } from './request-counts.ts';
export {
  type BegunRequest,
  beginRequest,
  finishRequest,
  type RequestRef,
  type StoredAnswer,
} from './requests.ts';
export { listRevisions, type Revision, type RevisionRange, readRevision } from './revisions.ts';
export {
  type RevisedPlace,
  type RevisedTotal,
  readRevisedTotals,
  readRevisionsPage,
} from './revisions-page.ts';
export { type RunFailure, type RunProgress, readRunProgress } from './run-progress.ts';
export {
  createRun,
  findRun,
  type RefreshAnswer,
  type RefreshRequest,
  type RefreshRun,
} from './runs.ts';
export { changeSchedule, followHistory, historyDaysOf } from './schedule.ts';
export { sealDays } from './seal-days.ts';
export type { SealOutcome } from './seal-part.ts';
export { type EntityRange, findStatDays, type StatDay } from './stat-days.ts';
export { type StoreHash, storeHash } from './store-hash.ts';
export { tenantScope } from './tenant-scope.ts';
export {
  beginTurn,
  countBusyTurns,
  endTurn,
  type LaneQuiet,
  type LaneState,
  markProgress,
  stayBusy,
} from './turns.ts';
export { saveUpstreamChanges } from './upstream.ts';
export { dropWishes, wantRange } from './wishes.ts';
