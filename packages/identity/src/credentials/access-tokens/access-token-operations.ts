import {
  createAccessToken as createAccessTokenContract,
  listAccessTokens as listAccessTokensContract,
  revokeAccessToken as revokeAccessTokenContract,
} from '@platform/contracts'
import { nextPage, respond, route } from '@platform/http'
import { type Clock, Failure } from '@platform/kernel'
import { inheritedScopes, mintToken, requireExpiry, sessionIdOfToken, toListed } from './access-token.ts'
import type { AccessTokenStore } from './access-token-store.ts'

export const createAccessToken = (deps: {
  accessTokens: AccessTokenStore
  clock: Clock
  maxAgeSeconds: number
  /** Live tokens a user may have. */
  maxTokens: number
}) =>
  route(createAccessTokenContract, {
    async handle({ body, principal, request }) {
      const expiresAt = new Date(body.expiresAt)
      const now = deps.clock.now()
      requireExpiry(expiresAt, now, deps.maxAgeSeconds)

      const { token: secret, tokenHash } = mintToken()
      const owner = { userId: principal.userId, name: body.name }
      const by = { ip: request.clientIp, correlationId: request.correlationId }
      const scopes = inheritedScopes(principal.scopes)
      const token = { ...owner, scopes, tokenHash, expiresAt }
      const { _id } = await deps.accessTokens.insert(token, by, { max: deps.maxTokens, now })

      return respond({ _id, ...owner, expiresAt: body.expiresAt, token: secret }, { createdId: _id })
    },
  })

export const listAccessTokens = (deps: { accessTokens: AccessTokenStore }) =>
  route(listAccessTokensContract, {
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

export const revokeAccessToken = (deps: {
  accessTokens: AccessTokenStore
  broadcast: (ids: string[]) => Promise<void>
}) =>
  route(revokeAccessTokenContract, {
    async handle({ params, principal, request }) {
      const by = { ip: request.clientIp, correlationId: request.correlationId }
      const record = await deps.accessTokens.revoke(params.accessTokenId, principal.userId, by)
      if (record === undefined)
        throw new Failure('ObjectNotFoundError', 'You have no access token with this id.')

      await deps.broadcast([sessionIdOfToken(record._id)])

      return toListed(record)
    },
  })
