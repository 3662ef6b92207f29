import type { Cache, Counted } from '@platform/cache'
import { exposeReadings } from '@platform/http'
import type { Logger } from '@platform/logging'

/** While the cache does not answer, it is asked again in the background this often. */
const PROBE_PAUSE_MS = 500
/** Logged once a minute at most, however many requests fall back. */
const WARN_PAUSE_MS = 60_000

/**
 * The counters all instances share. The first calls that find no response wait 150 ms at most (packages/cache); from
 * then on each call is refused at once, until a probe in the background is answered.
 */
export class SharedCounters {
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
  increment(limit: string, key: string, by: number, ttlMs: number): Promise<Counted> {
    return this.ask(limit, () => this.#cache.increment(key, by, ttlMs))
  }

  /** Does something in the cache, for this limit. Rejects when this process has to count for itself. */
  async ask<T>(limit: string, work: () => Promise<T>): Promise<T> {
    if (this.#isLocal) {
      countFallback(this.#service, limit)
      this.#probe()
      throw new Error('The shared counters do not answer.')
    }
    try {
      return await work()
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

const fallbacks = new Map<string, { service: string; limit: string; count: number }>()
const local = new Map<string, boolean>()

exposeReadings(
  {
    name: 'platform_rate_limit_fallbacks_total',
    help: 'Uses of a limit that were counted by the process alone, because the cache did not answer.',
    type: 'counter',
  },
  () =>
    [...fallbacks.values()].map(({ service, limit, count }) => ({
      labels: { service, limit },
      value: count,
    })),
)

exposeReadings(
  {
    name: 'platform_rate_limit_local',
    help: '1 while a service counts limits by itself, because the cache does not answer.',
    type: 'gauge',
  },
  () => [...local].map(([service, isLocal]) => ({ labels: { service }, value: isLocal ? 1 : 0 })),
)

/** One use that was counted without the others. */
function countFallback(service: string, limit: string): void {
  const key = `${service} ${limit}`
  const known = fallbacks.get(key)
  if (known === undefined) fallbacks.set(key, { service, limit, count: 1 })
  else known.count += 1
}

/** Whether a service counts by itself at the moment. */
const setLocal = (service: string, isLocal: boolean): void => {
  local.set(service, isLocal)
}
