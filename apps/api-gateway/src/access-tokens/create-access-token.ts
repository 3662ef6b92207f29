import { interactiveUser } from '@platform/auth'
import { createAccessToken as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { mintToken, requireExpiry } from './access-token.ts'
import type { AccessTokenStore } from './access-token-store.ts'

export const createAccessToken = (deps: {
  accessTokens: AccessTokenStore
  clock: Clock
  maxAgeSeconds: number
}) =>
  route(endpoint, {
    access: interactiveUser, // an access token may not make another one
    async handle({ body, principal, request }) {
      const expiresAt = new Date(body.expiresAt)
      requireExpiry(expiresAt, deps.clock.now(), deps.maxAgeSeconds)

      const { token, tokenHash } = mintToken()
      const owner = { userId: principal.userId, name: body.name }
      const by = { ip: request.clientIp, correlationId: request.correlationId }
      const { _id } = await deps.accessTokens.insert({ ...owner, tokenHash, expiresAt }, by)

      return { _id, ...owner, expiresAt: body.expiresAt, token }
    },
  })
