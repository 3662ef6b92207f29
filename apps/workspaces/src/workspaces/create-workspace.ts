import { createWorkspace as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { actorOf } from '../changes/actor.ts'
import type { ChangeStore } from '../changes/change-store.ts'
import { addWorkspace } from './add-workspace.ts'
import { newWorkspace, workspaceEtag } from './workspace.ts'

export const createWorkspace = (deps: { changes: ChangeStore; clock: Clock; eventMaxLength: number }) =>
  route(endpoint, {
    async handle({ body, principal, request }) {
      const caller = actorOf(principal, request)
      const record = newWorkspace(body, caller.id, deps.clock.now())

      const workspace = await deps.changes.commit((change) =>
        addWorkspace(change, record, principal.userId, caller, deps.eventMaxLength),
      )

      return respond(workspace, { headers: { etag: workspaceEtag(record.revision) } })
    },
  })
