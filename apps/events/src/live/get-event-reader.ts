import type { Principal } from '@platform/auth'
import { type EventReader, getEventReader as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'

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
  if (principal.kind === 'workspace')
    throw new Failure('ForbiddenError', 'A socket is opened by a user or an API key: emit events over HTTP.')
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
