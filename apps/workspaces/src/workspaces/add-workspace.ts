import { type Workspace, workspaceCreated } from '@platform/contracts'
import type { Actor } from '../changes/actor.ts'
import type { Change } from '../changes/change-store.ts'
import { announcedWorkspace, presentWorkspace } from './workspace.ts'
import type { WorkspaceRecord } from './workspace-store.ts'

/** Adds a workspace with its owner and tells of it, inside a change. Throws AlreadyUsed when the slug is taken. */
export async function addWorkspace(
  change: Change,
  record: WorkspaceRecord,
  ownerId: string,
  caller: Actor,
  eventMaxLength: number,
): Promise<Workspace> {
  await change.permissions.insertWorkspace(record)
  await change.permissions.setRole(record.id, ownerId, 'owner')
  await change.workspaces.insert(record)
  const workspace = presentWorkspace(record)
  const source = { ...caller.source, workspaceId: record.id }
  await change.emit(workspaceCreated, { workspace: announcedWorkspace(workspace, eventMaxLength) }, source)
  return workspace
}
