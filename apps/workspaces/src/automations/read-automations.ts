import { getAutomation as getContract, listAutomations as listContract } from '@platform/contracts'
import { nextPage, respond, route } from '@platform/http'
import { automationEtag, presentAutomation, presentEntry } from './automation.ts'
import type { AutomationStore } from './automation-store.ts'
import { automationNotFound } from './saved-automation.ts'

export const getAutomation = (deps: { automations: AutomationStore }) =>
  route(getContract, {
    async handle({ params, admitted: { workspace } }) {
      const record = await deps.automations.find(workspace.id, params.automationSlug)
      if (record === undefined) throw automationNotFound(params.automationSlug)

      const headers = { etag: automationEtag(record) }
      return respond(presentAutomation(record), { headers })
    },
  })

export const listAutomations = (deps: { automations: AutomationStore }) =>
  route(listContract, {
    async handle({ query, request, admitted: { workspace } }) {
      // One more than asked for tells whether there is a next page.
      const { page, limit } = query
      const found = await deps.automations.list(workspace.id, { offset: page * limit, limit: limit + 1 })

      const headers = found.length > limit ? { link: nextPage(request.url, page) } : {}
      return respond(found.slice(0, limit).map(presentEntry), { headers })
    },
  })
