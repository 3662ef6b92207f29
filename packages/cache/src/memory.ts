import { LRUCache } from 'lru-cache'
import { type Cache, CacheError } from './cache.ts'
import { SlidingWindow, stepMs } from './sliding-window.ts'

const MAX_CHARACTERS = 64 * 1024 * 1024
/** What an entry takes beside its text, so that 100,000 small ones are as many as there may be. */
const ENTRY_CHARACTERS = 670
/** What one use in a window takes. */
const USE_CHARACTERS = 40

/**
 * A bounded cache inside this process: the least recently used entries make room for new ones. `nowMs` is the clock of
 * its windows.
 */
export function openMemoryCache(nowMs: () => number = () => Date.now()): Cache {
  const entries = new LRUCache<string, string>({
    // By size only: a number of entries would be reserved at once, 2.4 MB for each cache of a process.
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (value, key) => value.length + key.length + ENTRY_CHARACTERS,
  })
  const windows = new LRUCache<string, SlidingWindow>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ size }, key) => size * USE_CHARACTERS + key.length + ENTRY_CHARACTERS,
  })
  return {
    driver: 'memory',
    get: async (key) => entries.get(key),
    async set(key, value, ttlMs) {
      entries.set(key, value, { ttl: ttlMs })
    },
    async delete(key) {
      entries.delete(key)
    },
    async increment(key, by, ttlMs) {
      const before = entries.get(key)
      const value = Number(before ?? 0) + by
      if (!Number.isSafeInteger(value)) {
        throw new CacheError(`The cache entry "${key}" is no counter.`, { unavailable: false })
      }
      // Only the first use sets when the counter vanishes; 0 would be never.
      const remainingMs = before === undefined ? ttlMs : Math.max(1, entries.getRemainingTTL(key))
      entries.set(key, String(value), { ttl: remainingMs })
      return { value, remainingMs }
    },
    async slide(key, use) {
      const window = windows.get(key) ?? new SlidingWindow()
      const state = window.take(use, nowMs())
      // Set again each time: its size and its end have changed.
      windows.set(key, window, { ttl: Math.ceil(use.windowMs + stepMs(use)) })
      return state
    },
    probe: async () => {},
    async [Symbol.asyncDispose]() {
      entries.clear()
      windows.clear()
    },
  }
}
