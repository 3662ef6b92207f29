import type { Cache, Counted } from '@platform/cache'
import type { Logger } from '@platform/logging'
import { countFallback, setLocal } from './limit-metrics.ts'

/** While the cache does not answer, it is asked again so often, and nobody waits for that. */
const PROBE_PAUSE_MS = 500
/** Told once a minute at most, however many requests fall back. */
const WARN_PAUSE_MS = 60_000

/**
 * The counters all instances share. The first calls that find no answer wait 150 ms at most (packages/cache); from
 * then on each call is refused at once, until a question asked in the background is answered (reliability L4).
 */
export class SharedStore {
  readonly #cache: Pick<Cache, 'increment' | 'delete' | 'get'>
  readonly #log: Logger
  readonly #service: string
  #isLocal = false
  #probeAt = 0
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(deps: { cache: Pick<Cache, 'increment' | 'delete' | 'get'>; log: Logger; service: string }) {
    this.#cache = deps.cache
    this.#log = deps.log
    this.#service = deps.service
    setLocal(deps.service, false)
  }

  /** Adds to the counter of a limit. Rejects when this process has to count for itself. */
  async increment(limit: string, key: string, by: number, ttlMs: number): Promise<Counted> {
    if (this.#isLocal) {
      countFallback(this.#service, limit)
      this.#probe()
      throw new Error('The shared counters do not answer.')
    }
    try {
      return await this.#cache.increment(key, by, ttlMs)
    } catch (error) {
      countFallback(this.#service, limit)
      this.#lost(error)
      throw error
    }
  }

  async delete(key: string): Promise<void> {
    if (!this.#isLocal) await this.#cache.delete(key).catch((error: unknown) => this.#lost(error))
  }

  #lost(error: unknown): void {
    const now = performance.now()
    if (!this.#isLocal) this.#probeAt = now + PROBE_PAUSE_MS
    this.#isLocal = true
    setLocal(this.#service, true)
    if (now - this.#warnedAt < WARN_PAUSE_MS) return
    this.#warnedAt = now
    this.#log.warn({ err: error }, 'rate limits are counted by this process alone, the cache does not answer')
  }

  #probe(): void {
    const now = performance.now()
    if (now < this.#probeAt) return
    this.#probeAt = now + PROBE_PAUSE_MS
    this.#cache.get('rate:probe').then(
      () => this.#found(),
      () => undefined,
    )
  }

  #found(): void {
    if (!this.#isLocal) return
    this.#isLocal = false
    setLocal(this.#service, false)
    this.#log.info('rate limits are shared between processes again')
  }
}
