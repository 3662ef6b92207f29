import { getAutomation as getContract, listAutomations as listContract } from '@platform/contracts'
import { nextPage, respond, route } from '@platform/http'
import { automationEtag, presentAutomation, presentEntry } from './automation.ts'
import type { AutomationStore } from './automation-store.ts'
import { automationNotFound } from './saved-automation.ts'

export const getAutomation = (deps: { automations: AutomationStore }) =>
  route(getContract, {
    async handle({ params, request, admitted: { workspace } }) {
      const record = await deps.automations.find(workspace.id, params.automationSlug)
      if (record === undefined) throw automationNotFound(params.automationSlug)

      const headers = { etag: automationEtag(record), vary: 'Accept' }
      const source = asksForYaml(request.headers.accept)
        ? await deps.automations.findSource(workspace.id, params.automationSlug)
        : undefined
      if (source !== undefined)
        return respond(source, {
          headers: { ...headers, 'cache-control': 'no-store' },
          contentType: YAML_TYPE,
        })
      return respond(presentAutomation(record), { headers })
    },
  })

const YAML_TYPE = 'application/yaml; charset=utf-8'

/** One that was saved as JSON is answered as such: that is YAML as well. */
const asksForYaml = (accept = ''): boolean => /\b(?:application|text)\/(?:x-)?yaml\b/i.test(accept)

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
