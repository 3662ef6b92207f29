import cluster from 'node:cluster'
import { createHash } from 'node:crypto'
import { type Cache, openMemoryCache } from '@platform/cache'
import type { RateLimit } from '@platform/contracts'
import { type LimitState, networkOf, type RateLimiter } from '@platform/http'
import { SECOND_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { Allowances, type Standing } from './allowances.ts'
import { Counter, type Increment } from './counter.ts'
import type { LimitSettings } from './limit-variables.ts'
import { SharedCounters } from './shared-counters.ts'

/** A rate limiter that can also start anew. */
export interface Limits extends RateLimiter {
  /** Forgets the uses of a key, for example the wrong passwords before the right one. */
  forget(limit: RateLimit, key: string): Promise<void>
}

/** What counts, and how much is allowed. */
export interface RateLimiterOptions {
  cache: Cache
  log: Logger
  /** Name of the service, for the metrics. */
  service: string
  settings: LimitSettings
}

/** A burst is over a minute long, so that in the long run it adds little to the steady rate. */
const BURST_SECONDS = 60

interface Parts {
  limit: RateLimit
  steady: Allowances
  burst: Allowances | undefined
  storedAt: (key: string) => string[]
}

/**
 * Counts limits for all instances together in the cache; while that does not answer each process counts for itself,
 * so that a limit gets wider by the number of instances but never disappears. Windows begin with their
 * first use. A limit with a burst is two windows: what the steady one refuses, the burst of the minute may still
 * take.
 */
export function rateLimiter({ cache, log, service, settings }: RateLimiterOptions): Limits {
  if (settings.disabled) log.warn('RATE_LIMIT_DISABLED is set: nothing limits how often callers may ask')
  // The first of several processes says it for all.
  else if (cluster.worker?.id === 1 && cache.driver === 'memory')
    log.warn(
      'rate limits hold for each worker on its own: set CACHE_URL to a Redis that all of them count in',
    )
  const shared = new SharedCounters({ cache, log, service })
  const memory = openMemoryCache()
  const stores = {
    shared: shared.increment.bind(shared),
    own: ((_limit, key, by, ttlMs) => memory.increment(key, by, ttlMs)) as Increment,
  }
  const known = new Map<string, Parts>()
  const partsOf = (limit: RateLimit): Parts => {
    const parts = known.get(limit.name) ?? openLimit(configured(limit, settings), stores)
    known.set(limit.name, parts)
    return parts
  }
  return {
    async take(limit, key, points = 1) {
      return settings.disabled ? undefined : takeOne(partsOf(limit), storedKey(key), points)
    },
    giveBack(limit, key, points = 1) {
      if (!settings.disabled) partsOf(limit).steady.giveBack(storedKey(key), points)
    },
    async forget(limit, key) {
      if (settings.disabled) return
      const parts = partsOf(limit)
      const stored = storedKey(key)
      parts.steady.forget(stored)
      parts.burst?.forget(stored)
      await Promise.all(parts.storedAt(stored).flatMap((name) => [memory.delete(name), shared.delete(name)]))
    },
  }
}

async function takeOne({ limit, steady, burst }: Parts, key: string, points: number): Promise<LimitState> {
  const first = await steady.take(key, points)
  if (first.taken || burst === undefined) return stateOf(limit, first, first)
  return stateOf(limit, await burst.take(key, points), first)
}

/** When there is room again the steady window says: it is the shorter one. */
const stateOf = (limit: RateLimit, { taken, remaining }: Standing, { endsInMs }: Standing): LimitState => ({
  limit,
  remaining: taken ? Math.min(remaining, limit.points) : -1,
  resetSeconds: Math.max(1, Math.ceil(endsInMs / SECOND_MS)),
})

function openLimit(limit: RateLimit, stores: { shared: Increment; own: Increment }): Parts {
  const counter = new Counter(limit, stores)
  const steady = new Allowances(counter, limit.points)
  if (limit.burst === undefined) {
    return { limit, steady, burst: undefined, storedAt: (key) => [counter.storedAt(key)] }
  }
  const window = { name: `${limit.name}-burst`, points: limit.burst, seconds: BURST_SECONDS }
  const second = new Counter(window, stores)
  return {
    limit,
    steady,
    burst: new Allowances(second, limit.burst),
    storedAt: (key) => [counter.storedAt(key), second.storedAt(key)],
  }
}

/** The limit with the numbers of the environment, where it has any. */
function configured(limit: RateLimit, { points }: LimitSettings): RateLimit {
  const burst = points.get(`${limit.variable}_BURST`) ?? limit.burst
  return {
    ...limit,
    points: points.get(limit.variable) ?? limit.points,
    ...(burst === undefined ? {} : { burst }),
  }
}

/** Keys are hashed: a cache is no place for addresses of people, and a text of any length may be one. */
const storedKey = (key: string): string =>
  createHash('sha256').update(networkOf(key)).digest('base64url').slice(0, 24)
