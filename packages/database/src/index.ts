export {
  API_SCOPES,
  type ApiKey,
  type ApiScope,
  checkApiKey,
  createApiKey,
  findApiKey,
  isApiKeyValid,
  listApiKeys,
  revokeApiKey,
} from './api-keys.ts';
export { COLLECTIONS, type CollectionPlan, type IndexPlan } from './collections.ts';
export {
  type Comment,
  type CommentInput,
  createComment,
  deleteComment,
  listComments,
  updateComment,
} from './comments.ts';
export {
  eraseCredentials,
  loadCredentials,
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
export { deleteLink, listDeletedLinks, purgeLink } from './delete-link.ts';
export {
  type ChildNode,
  childTree,
  countEntities,
  type EntityPage,
  type EntityQuery,
  entityKey,
  findEntity,
  listEntities,
  removeMissing,
  type StoredEntity,
  upsertEntities,
} from './entities.ts';
export { ensureIndexes } from './indexes.ts';
export { decodeId, encodeId, keysBelow, randomId } from './keys.ts';
export {
  type AuthorizedLink,
  createLink,
  findLink,
  findLinkById,
  type Link,
  type LinkReason,
  type LinkStatus,
  listLinks,
  type NewLink,
  setLinkStatus,
  updateLink,
} from './links.ts';
export {
  type BegunRequest,
  beginRequest,
  finishRequest,
  type RequestRef,
  type StoredAnswer,
} from './requests.ts';
export { tenantScope } from './tenant-scope.ts';
