import type { Cache } from '@platform/cache'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf } from './network-of.ts'
import { type LimitState, type RateLimit, windowOf } from './rate-limit.ts'

/** Counts what callers use of their limits. */
export interface RateLimiter {
  /**
   * Takes one use and tells where the caller stands; undefined when limits are switched off. `key` is the id of a user or the address
   * of a client; IPv6 addresses of one network count together, for a client may take a new one for each request.
   */
  take(limit: RateLimit, key: string): Promise<LimitState | undefined>
}

/** Told once a minute at most, however many requests fall back. */
const WARN_PAUSE_MS = 60_000

/**
 * Counters shared by all instances in the cache; while that is down, each instance counts for itself, so that a limit gets wider by
 * the number of instances but never disappears.
 */
export function rateLimiter(deps: {
  cache: Cache
  clock: Clock
  log: Logger
  disabled: boolean
}): RateLimiter {
  const fallback = localCounters()
  let warnedAt = Number.NEGATIVE_INFINITY
  const warn = (error: unknown) => {
    if (performance.now() - warnedAt < WARN_PAUSE_MS) return
    warnedAt = performance.now()
    deps.log.warn({ err: error }, 'rate limits are counted by this process alone, the cache does not answer')
  }
  return {
    async take(limit, key) {
      if (deps.disabled) return undefined
      const { index, resetSeconds } = windowOf(limit, deps.clock.now())
      const counter = `rate:${limit.name}:${index}:${networkOf(key)}`
      try {
        const used = await deps.cache.increment(counter, 1, resetSeconds * 1000)
        return { limit, used, resetSeconds }
      } catch (error) {
        warn(error)
        return { limit, used: await fallback(limit, counter), resetSeconds }
      }
    },
  }
}

function localCounters() {
  const limiters = new Map<string, RateLimiterMemory>()
  return async (limit: RateLimit, key: string): Promise<number> => {
    const limiter =
      limiters.get(limit.name) ?? new RateLimiterMemory({ points: limit.points, duration: limit.seconds })
    limiters.set(limit.name, limiter)
    try {
      return (await limiter.consume(key)).consumedPoints
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return refused.consumedPoints
      throw refused
    }
  }
}
