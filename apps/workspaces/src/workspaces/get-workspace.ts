import { getWorkspace as endpoint, type WorkspaceDetails } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { workspaceNotFound } from '@platform/permissions'
import { presentWorkspace, workspaceEtag } from './workspace.ts'
import type { WorkspaceStore } from './workspace-store.ts'

export const getWorkspace = (deps: {
  workspaces: WorkspaceStore
  /** The index of the automations of a workspace, by slug. */
  indexAutomations: (workspaceId: string) => Promise<WorkspaceDetails['automations']>
}) =>
  route(endpoint, {
    async handle({ admitted: { workspace } }) {
      const [record, automations] = await Promise.all([
        deps.workspaces.find(workspace.id),
        deps.indexAutomations(workspace.id),
      ])
      if (record === undefined) throw workspaceNotFound()

      const headers = { etag: workspaceEtag(record.revision) }
      return respond({ ...presentWorkspace(record), automations }, { headers })
    },
  })
