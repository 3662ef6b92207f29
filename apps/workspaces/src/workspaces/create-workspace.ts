import { createWorkspace as endpoint, type Workspace, workspaceCreated } from '@platform/contracts'
import { respond, route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { type Actor, actorOf } from '../changes/actor.ts'
import { announcedWorkspace, newWorkspace, presentWorkspace, workspaceEtag } from './workspace.ts'
import type { WorkspaceChange, WorkspaceChanges, WorkspaceRecord } from './workspace-store.ts'

export const createWorkspace = (deps: { changes: WorkspaceChanges; clock: Clock; eventMaxLength: number }) =>
  route(endpoint, {
    async handle({ body, principal, request }) {
      const actor = actorOf(principal, request)
      const record = newWorkspace(body, actor.id, deps.clock.now())

      const workspace = await deps.changes.commit((change) =>
        addWorkspace(change, record, principal.userId, actor, deps.eventMaxLength),
      )

      return respond(workspace, { headers: { etag: workspaceEtag(record.revision) } })
    },
  })

/** Adds a workspace with its owner and reports it, inside a change. Throws AlreadyUsed when the slug is taken. */
export async function addWorkspace(
  change: WorkspaceChange,
  record: WorkspaceRecord,
  ownerId: string,
  actor: Actor,
  eventMaxLength: number,
): Promise<Workspace> {
  await change.permissions.insertWorkspace(record)
  await change.permissions.setRole(record.id, ownerId, 'owner')
  await change.workspaces.insert(record)
  const workspace = presentWorkspace(record)
  const source = { ...actor.source, workspaceId: record.id }
  await change.emit(workspaceCreated, { workspace: announcedWorkspace(workspace, eventMaxLength) }, source)
  return workspace
}
