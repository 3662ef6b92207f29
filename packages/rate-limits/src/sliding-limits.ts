import { type Cache, openMemoryCache, type WindowState, type WindowUse } from '@platform/cache'
import type { Logger } from '@platform/logging'
import { SharedCounters } from './shared-counters.ts'

/** Limits that automations set themselves: so much within any time of a length. */
export interface SlidingLimits {
  take(key: string, use: WindowUse): Promise<WindowState>
}

/**
 * Counted for all instances together in the cache; while that does not answer each process counts for itself, and says
 * so in a metric and the log.
 */
export function slidingLimits({
  cache,
  log,
  service,
}: {
  cache: Cache
  log: Logger
  service: string
}): SlidingLimits {
  const shared = new SharedCounters({ cache, log, service })
  const own = openMemoryCache()
  return {
    take: (key, use) => shared.ask('rateLimit', () => cache.slide(key, use)).catch(() => own.slide(key, use)),
  }
}
