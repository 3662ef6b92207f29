import type { Principal } from '@platform/auth'
import { type EventReader, getEventReader as endpoint } from '@platform/contracts'
import { route } from '@platform/http'

/** As whom the credential of this request reads the events of a workspace. */
export const getEventReader = () =>
  route(endpoint, {
    async handle({ principal }) {
      return { result: readerOf(principal) }
    },
  })

function readerOf(principal: Principal): EventReader {
  if (principal.kind === 'internal') return { kind: 'internal' }
  if (principal.kind === 'apiKey') return { kind: 'apiKey', apiKeyId: principal.apiKeyId }
  const { kind, userId, sessionId, anonymous, superAdmin, scopes, apiKeyId } = principal
  return {
    kind,
    userId,
    sessionId,
    anonymous,
    superAdmin,
    scopes: [...scopes],
    ...(apiKeyId === undefined ? {} : { apiKeyId }),
  }
}
