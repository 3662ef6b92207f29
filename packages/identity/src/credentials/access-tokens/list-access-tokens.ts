import { listAccessTokens as endpoint } from '@platform/contracts'
import { nextPage, respond, route } from '@platform/http'
import { toListed } from './access-token.ts'
import type { AccessTokenStore } from './access-token-store.ts'

export const listAccessTokens = (deps: { accessTokens: AccessTokenStore }) =>
  route(endpoint, {
    async handle({ query: { page, limit }, principal, request }) {
      // One more than asked for tells whether there is a next page.
      const found = await deps.accessTokens.listOf(principal.userId, {
        offset: page * limit,
        limit: limit + 1,
      })

      const headers = found.length > limit ? { link: nextPage(request.url, page) } : {}
      return respond(found.slice(0, limit).map(toListed), { headers })
    },
  })
