import { Failure } from '@platform/kernel'
import type { Job } from '@platform/service'
import type { ResolveCaller } from './resolve-caller.ts'

/** With it a socket ends within a second of its credential. */
const EVERY_MS = 600
/** Questions to the gateway at once. */
const AT_ONCE = 20

interface Watched {
  credential: Record<string, string>
  workspaceId: string
  refusals: Set<() => void>
}

/** Credentials that sockets showed in their first message: no gateway sees them again, so it is asked about them. */
export class OwnCredentials {
  readonly #watched = new Map<string, Watched>()

  /** Answers what ends the watch. */
  watch(credential: Record<string, string> | undefined, workspaceId: string, refuse: () => void): () => void {
    if (credential === undefined) return () => undefined
    const key = JSON.stringify([workspaceId, credential])
    const watched = this.#watched.get(key) ?? { credential, workspaceId, refusals: new Set() }
    this.#watched.set(key, watched)
    watched.refusals.add(refuse)
    return () => {
      watched.refusals.delete(refuse)
      if (watched.refusals.size === 0) this.#watched.delete(key)
    }
  }

  /** Ends the sockets of credentials that are good no more. Only a clear no ends one. */
  job(resolve: ResolveCaller): Job {
    const check = async ({ credential, workspaceId, refusals }: Watched): Promise<void> => {
      const isRefused = await resolve(credential, workspaceId).then(
        () => false,
        (error: unknown) => error instanceof Failure && error.name === 'AuthenticationError',
      )
      if (isRefused) for (const refuse of [...refusals]) refuse()
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
