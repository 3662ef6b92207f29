import type { Principal } from '@platform/auth'
import { type EventReader, getEventReader } from '@platform/contracts'
import { createClient } from '@platform/http'

/** Whose credential it is, as the gateway says for a workspace. Rejects with its Failure. */
export type ResolveCaller = (credential: Record<string, string>, workspaceId: string) => Promise<Principal>

const TIMEOUT_MS = 5000

export const resolveCaller =
  (gatewayUrl: string): ResolveCaller =>
  async (credential, workspaceId) => {
    const ask = createClient(gatewayUrl, credential, TIMEOUT_MS)
    const { result } = await ask(getEventReader, { params: { workspaceId } })
    return principalOf(result)
  }

function principalOf({ kind, ...reader }: EventReader): Principal {
  if (kind === 'internal') return { kind }
  if (kind === 'apiKey') return { kind, apiKeyId: reader.apiKeyId ?? '' }
  const { userId = '', sessionId = '', anonymous = false, superAdmin = false, scopes = [] } = reader
  const via = sessionId.startsWith('at:') ? 'accessToken' : 'jwt'
  const { apiKeyId } = reader
  return {
    ...{ kind, userId, sessionId, via, anonymous, superAdmin, scopes, apiKeyId },
    ...{ clientId: undefined, email: undefined },
  }
}
