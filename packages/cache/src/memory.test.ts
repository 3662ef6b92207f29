import { describe, expect, it } from 'vitest'
import { cacheConformance } from '../test/conformance.ts'
import { openCache } from './index.ts'
import { openMemoryCache } from './memory.ts'

describe('the memory driver', () => {
  const cache = openMemoryCache()
  cacheConformance(() => cache)

  it('is bounded: what was used least lately makes room', async () => {
    const large = 'x'.repeat(1024 * 1024)
    for (let index = 0; index < 100; index++) await cache.set(`large ${index}`, large, 60_000)
    expect(await cache.get('large 0')).toBeUndefined()
    expect(await cache.get('large 99')).toBe(large)
  })
})

describe('a cache URL', () => {
  it('of another scheme is refused without showing it', async () => {
    await expect(openCache('memcached://user:geheim@host')).rejects.toThrow('memory:, redis: or rediss:')
    await expect(openCache('memcached://user:geheim@host')).rejects.not.toThrow('geheim')
  })
})
