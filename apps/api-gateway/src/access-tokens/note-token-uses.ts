import { type Clock, MINUTE_MS, SECOND_MS } from '@platform/kernel'
import type { Job } from '@platform/service'
import { LRUCache } from 'lru-cache'
import type { AccessTokenStore } from './access-token-store.ts'

const TOKENS_MAX = 10_000

/** Remembers which tokens were used and writes it off the request path, at most once a minute for each (decisions C4). */
export class TokenUses {
  readonly #notedAt = new LRUCache<string, number>({ max: TOKENS_MAX })
  readonly #waiting = new Map<string, number>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Called for each request that carries a token. */
  note(recordId: string): void {
    const now = this.#clock.now().getTime()
    if (
      now - (this.#notedAt.get(recordId) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS ||
      this.#waiting.size >= TOKENS_MAX
    )
      return
    this.#notedAt.set(recordId, now)
    this.#waiting.set(recordId, now)
  }

  /** The job that writes what was noted, in one statement. */
  job(accessTokens: AccessTokenStore): Job {
    return {
      name: 'note-token-uses',
      everyMs: 2 * SECOND_MS,
      run: async () => {
        if (this.#waiting.size === 0) return
        const uses = [...this.#waiting].map(([id, at]) => ({ id, at: new Date(at) }))
        this.#waiting.clear()
        await accessTokens.noteUses(uses)
      },
    }
  }
}
