import { getWorkspace as endpoint, type WorkspaceDetails } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { type PermissionStore, workspaceNotFound } from '@platform/permissions'
import { presentWorkspace, workspaceEtag } from './workspace.ts'
import type { WorkspaceStore } from './workspace-store.ts'

export const getWorkspace = (deps: {
  workspaces: WorkspaceStore
  suspensions: Pick<PermissionStore, 'findSuspension'>
  /** The index of the automations of a workspace, by slug. */
  indexAutomations: (workspaceId: string) => Promise<WorkspaceDetails['automations']>
}) =>
  route(endpoint, {
    async handle({ admitted: { workspace } }) {
      const [record, automations, suspended] = await Promise.all([
        deps.workspaces.find(workspace.id),
        deps.indexAutomations(workspace.id),
        deps.suspensions.findSuspension(workspace.id),
      ])
      if (record === undefined) throw workspaceNotFound()

      const headers = { etag: workspaceEtag(record.revision) }
      const suspension = suspended && { reason: suspended.reason, suspendedAt: suspended.at.toISOString() }
      const shown = { ...presentWorkspace(record), automations, ...(suspension && { suspension }) }
      return respond(shown, { headers })
    },
  })
