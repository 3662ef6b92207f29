import type { Cache } from './cache.ts'
import { openMemoryCache } from './memory.ts'

export { type Cache, CacheError, type Counted } from './cache.ts'
export type { WindowState, WindowUse } from './sliding-window.ts'
export { openMemoryCache }

/**
 * Opens the cache a URL names: `memory:` keeps it in this process, `redis:` or `rediss:` is a server
 * (`redis://user:password@host:port/database`). A server that is down doesn't keep it from opening. The client of a
 * server is loaded with the first of them: its 600 modules are 8 MB that `memory:` does without.
 */
export async function openCache(url: string): Promise<Cache> {
  const scheme = url.slice(0, url.indexOf(':'))
  if (scheme === 'memory') return openMemoryCache()
  if (scheme === 'redis' || scheme === 'rediss') {
    const { openRedisCache } = await import('./redis.ts')
    return openRedisCache(url)
  }
  throw new Error(`The cache URL must begin with memory:, redis: or rediss:, not "${scheme}:".`)
}
