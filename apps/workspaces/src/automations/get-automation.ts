import { getAutomation as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { automationEtag, presentAutomation } from './automation.ts'
import type { AutomationStore } from './automation-store.ts'
import { automationNotFound } from './saved-automation.ts'

export const getAutomation = (deps: { automations: AutomationStore }) =>
  route(endpoint, {
    async handle({ params, admitted: { workspace } }) {
      const record = await deps.automations.find(workspace.id, params.automationSlug)
      if (record === undefined) throw automationNotFound(params.automationSlug)

      const headers = { etag: automationEtag(record) }
      return respond(presentAutomation(record), { headers })
    },
  })
