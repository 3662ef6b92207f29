export { type OpenPermissions, openPermissions, workspaceNotFound } from './open-permissions.ts'
export { type PermissionStore, permissionStore } from './permission-store.ts'
export type {
  Action,
  Admission,
  KnownWorkspace,
  Permissions,
  Subject,
  WorkspaceRole,
} from './permissions.ts'
export { isAllPowerful } from './rules.ts'
