import { patchWorkspace as endpoint, workspaceUpdated } from '@platform/contracts'
import { requireMatch, respond, route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { type OpenPermissions, workspaceNotFound } from '@platform/permissions'
import { actorOf } from '../changes/actor.ts'
import { announcedWorkspace, patchedWorkspace, presentWorkspace, workspaceEtag } from './workspace.ts'
import type { WorkspaceChanges } from './workspace-store.ts'

export const patchWorkspace = (deps: {
  changes: WorkspaceChanges
  permissions: OpenPermissions
  clock: Clock
  eventMaxLength: number
}) =>
  route(endpoint, {
    async handle({ body, principal, request, admitted: { workspace } }) {
      const actor = actorOf(principal, request)

      const saved = await deps.changes.commit(async (change) => {
        const before = await change.workspaces.touch(workspace.id)
        if (before === undefined) throw workspaceNotFound()
        requireMatch(request.headers, workspaceEtag(before.revision - 1))
        const after = patchedWorkspace(before, body, actor.id, deps.clock.now())
        await change.permissions.updateWorkspace(after)
        await change.workspaces.update(after)
        const payload = {
          workspace: announcedWorkspace(presentWorkspace(after), deps.eventMaxLength),
          ...(after.slug === before.slug ? {} : { oldSlug: before.slug }),
        }
        await change.emit(workspaceUpdated, payload, { ...actor.source, workspaceId: workspace.id })
        return after
      })
      deps.permissions.forget()

      return respond(presentWorkspace(saved), { headers: { etag: workspaceEtag(saved.revision) } })
    },
  })
