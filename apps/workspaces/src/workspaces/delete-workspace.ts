import { deleteWorkspace as endpoint, workspaceDeleted } from '@platform/contracts'
import { requireMatch, route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { type OpenPermissions, workspaceNotFound } from '@platform/permissions'
import { actorOf } from '../changes/actor.ts'
import { workspaceEtag } from './workspace.ts'
import type { WorkspaceChanges } from './workspace-store.ts'

export const deleteWorkspace = (deps: {
  changes: WorkspaceChanges
  permissions: OpenPermissions
  clock: Clock
}) =>
  route(endpoint, {
    async handle({ principal, request, admitted: { workspace } }) {
      const actor = actorOf(principal, request)

      await deps.changes.commit(async (change) => {
        const record = await change.workspaces.touch(workspace.id)
        if (record === undefined) throw workspaceNotFound()
        requireMatch(request.headers, workspaceEtag(record.revision - 1))
        const now = deps.clock.now()
        await change.workspaces.markDeleted(record.id, actor.id, now)
        await change.permissions.markDeleted(record.id, now)
        const payload = { workspaceId: record.id, name: record.name, workspaceSlug: record.slug }
        await change.emit(workspaceDeleted, payload, { ...actor.source, workspaceId: record.id })
      })
      deps.permissions.forget()

      return { id: workspace.id }
    },
  })
