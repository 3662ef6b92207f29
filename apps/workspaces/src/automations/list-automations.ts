import { authenticated } from '@platform/auth'
import { listAutomations as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { Permissions } from '@platform/permissions'
import { presentEntry } from './automation.ts'
import type { AutomationStore } from './automation-store.ts'

export const listAutomations = (deps: { automations: AutomationStore; permissions: Permissions }) =>
  route(endpoint, {
    access: authenticated,
    async handle({ params, principal }) {
      const { workspace } = await deps.permissions.require(
        principal,
        'read',
        'automations',
        params.workspaceId,
      )

      const listed = await deps.automations.list(workspace.id)

      return listed.map(presentEntry)
    },
  })
