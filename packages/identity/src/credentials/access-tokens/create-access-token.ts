import { createAccessToken as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { inheritedScopes, mintToken, requireExpiry } from './access-token.ts'
import type { AccessTokenStore } from './access-token-store.ts'

export const createAccessToken = (deps: {
  accessTokens: AccessTokenStore
  clock: Clock
  maxAgeSeconds: number
  /** Live tokens a user may have. */
  maxTokens: number
}) =>
  route(endpoint, {
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
