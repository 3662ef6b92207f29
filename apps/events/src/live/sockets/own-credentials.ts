import { type Principal, viaOf } from '@platform/auth'
import { type EventReader, getEventReader } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { Job } from '@platform/service'
import { createClient } from '@platform/service-client'

/** With it a socket ends within a second of its credential. */
const EVERY_MS = 600
/** Questions to the gateway at once. */
const AT_ONCE = 20

interface Watched {
  credential: Record<string, string>
  /** How each socket is ended, and the workspace it reads. */
  refusals: Map<() => void, string>
}

/** Credentials that sockets showed in their first message: no gateway sees them again, so it is asked about them. */
export class OwnCredentials {
  /** Each once, however many sockets and workspaces it is used for. */
  readonly #watched = new Map<string, Watched>()

  /** Answers what ends the watch. */
  watch(credential: Record<string, string> | undefined, workspaceId: string, refuse: () => void): () => void {
    if (credential === undefined) return () => undefined
    const key = JSON.stringify(Object.entries(credential).toSorted())
    const watched = this.#watched.get(key) ?? { credential, refusals: new Map() }
    this.#watched.set(key, watched)
    watched.refusals.set(refuse, workspaceId)
    return () => {
      watched.refusals.delete(refuse)
      if (watched.refusals.size === 0) this.#watched.delete(key)
    }
  }

  /** Ends the sockets of credentials that are good no more. Only a clear no ends one. */
  job(resolve: ResolveCaller): Job {
    const check = async ({ credential, refusals }: Watched): Promise<void> => {
      // Whether a credential is good depends on no workspace: any of them will do to ask.
      const [workspaceId] = refusals.values()
      if (workspaceId === undefined) return
      const isRefused = await resolve(credential, workspaceId).then(
        () => false,
        (error: unknown) => error instanceof Failure && error.name === 'AuthenticationError',
      )
      if (isRefused) for (const refuse of [...refusals.keys()]) refuse()
    }
    return {
      name: 'check-socket-credentials',
      everyMs: EVERY_MS,
      run: async () => {
        const waiting = [...this.#watched.values()].values()
        const worker = async () => {
          for (const watched of waiting) await check(watched)
        }
        await Promise.all(Array.from({ length: AT_ONCE }, worker))
      },
    }
  }
}

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
  const { apiKeyId } = reader
  return {
    kind,
    userId,
    sessionId,
    via: viaOf(sessionId),
    anonymous,
    superAdmin,
    scopes,
    apiKeyId,
    clientId: undefined,
    email: undefined,
  }
}
