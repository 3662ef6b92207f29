import { revokeAccessToken as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { sessionIdOfToken, toListed } from './access-token.ts'
import type { AccessTokenStore } from './access-token-store.ts'

export const revokeAccessToken = (deps: {
  accessTokens: AccessTokenStore
  broadcast: (ids: string[]) => Promise<void>
}) =>
  route(endpoint, {
    async handle({ params, principal, request }) {
      const by = { ip: request.clientIp, correlationId: request.correlationId }
      const record = await deps.accessTokens.revoke(params.accessTokenId, principal.userId, by)
      if (record === undefined)
        throw new Failure('ObjectNotFoundError', 'You have no access token with this id.')

      await deps.broadcast([sessionIdOfToken(record._id)])

      return toListed(record)
    },
  })
