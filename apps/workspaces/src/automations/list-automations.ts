import { listAutomations as endpoint } from '@platform/contracts'
import { nextPage, respond, route } from '@platform/http'
import { presentEntry } from './automation.ts'
import type { AutomationStore } from './automation-store.ts'

export const listAutomations = (deps: { automations: AutomationStore }) =>
  route(endpoint, {
    async handle({ query, request, admitted: { workspace } }) {
      // One more than asked for tells whether there is a next page.
      const { page, limit } = query
      const found = await deps.automations.list(workspace.id, { offset: page * limit, limit: limit + 1 })

      const headers = found.length > limit ? { link: nextPage(request.url, page) } : {}
      return respond(found.slice(0, limit).map(presentEntry), { headers })
    },
  })
