import { atMost, MINUTE_MS, SECOND_MS } from '@platform/kernel'
import type { Job } from '@platform/service'
import { LRUCache } from 'lru-cache'

const IDS_MAX = 10_000

/** A use of a session or an access token. */
export interface Use {
  id: string
  at: Date
  ip: string
}

/**
 * Remembers what was used, from where, and writes it off the path of requests, at most once a minute for each id: by
 * a job, and once more when disposed.
 */
export class RecentUses implements AsyncDisposable {
  readonly #notedAt = new LRUCache<string, number>(atMost(IDS_MAX))
  readonly #waiting = new Map<string, Use>()
  readonly #name: string
  readonly #write: (uses: readonly Use[]) => Promise<unknown>

  constructor(name: string, write: (uses: readonly Use[]) => Promise<unknown>) {
    this.#name = name
    this.#write = write
  }

  /** Called for each request with the credential; `now` in Unix milliseconds. */
  note(id: string, ip: string, now: number): void {
    const notedAt = this.#notedAt.get(id) ?? Number.NEGATIVE_INFINITY
    if (now - notedAt < MINUTE_MS || this.#waiting.size >= IDS_MAX) return
    this.#notedAt.set(id, now)
    this.#waiting.set(id, { id, at: new Date(now), ip })
  }

  /**
   * Writes what was noted, in one statement. What could not be written is lost: it says when, and that will be said
   * again.
   */
  async flush(): Promise<void> {
    if (this.#waiting.size === 0) return
    const uses = [...this.#waiting.values()]
    this.#waiting.clear()
    await this.#write(uses)
  }

  job(): Job {
    return { name: this.#name, everyMs: 2 * SECOND_MS, run: () => this.flush() }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.flush()
  }
}
