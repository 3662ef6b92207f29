import { getAutomation as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import type { Permissions } from '@platform/permissions'
import { automationEtag, presentAutomation } from './automation.ts'
import { automationNotFound } from './automation-failures.ts'
import type { AutomationStore } from './automation-store.ts'

export const getAutomation = (deps: { automations: AutomationStore; permissions: Permissions }) =>
  route(endpoint, {
    async handle({ params, admitted: { workspace } }) {
      const record = await deps.automations.find(workspace.id, params.automationSlug)
      if (record === undefined) throw automationNotFound(params.automationSlug)

      const headers = { etag: automationEtag(record) }
      return respond(presentAutomation(record), { headers })
    },
  })
