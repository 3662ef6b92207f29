import { listApiKeys as endpoint } from '@platform/contracts'
import { nextPage, respond, route } from '@platform/http'
import type { Permissions } from '@platform/permissions'
import { admitAdministrator } from './admit-administrator.ts'
import { presentApiKey } from './api-key.ts'
import type { ApiKeyChangeStore } from './api-key-change-store.ts'

export const listApiKeys = (deps: { apiKeys: ApiKeyChangeStore; permissions: Permissions }) =>
  route(endpoint, {
    async handle({ params, query: { page, limit }, principal, request }) {
      const { workspace } = await admitAdministrator(deps.permissions, principal, params.workspaceId)

      // One more than asked for tells whether there is a next page.
      const found = await deps.apiKeys.list(workspace.id, { offset: page * limit, limit: limit + 1 })

      const headers = found.length > limit ? { link: nextPage(request.url, page) } : {}
      return respond(found.slice(0, limit).map(presentApiKey), { headers })
    },
  })
