export type { Admission, KnownWorkspace, WorkspaceRole } from '@platform/auth'
export type { Rule } from './ability.ts'
export { type ApiKeyRecord, isUsable } from './api-keys/api-key.ts'
export { type ApiKeyStore, apiKeyStore, type KeyAddress, openApiKeys } from './api-keys/api-key-store.ts'
export { grantRules } from './api-keys/grant-rules.ts'
export { judgeKey, type KeyVerdict } from './api-keys/judge-key.ts'
export { requireScopesFor } from './api-keys/require-scopes.ts'
export { type OpenPermissions, openPermissions } from './open-permissions.ts'
export {
  type PermissionStore,
  permissionStore,
  permissionsMigrations,
  type Suspension,
} from './permission-store.ts'
export {
  type Action,
  type Permissions,
  type Resource,
  type Subject,
  workspaceNotFound,
} from './permissions.ts'
export { type RecentAnswers, recentAnswers } from './recent-answers.ts'
export { isAllPowerful, rulesOf } from './rules.ts'
export { resourceIn } from './scope.ts'
export { MAX_TOPICS_OF_USER, type UserTopicStore, userTopicStore } from './user-topic-store.ts'
