import type { Cache } from '@platform/cache'
import { openCache } from '@platform/cache'
import { createLogger } from '@platform/logging'
import { describe, expect, test } from 'vitest'
import { isOver, limitHeaders, tooManyRequests } from './rate-limit.ts'
import { rateLimiter } from './rate-limiter.ts'

const log = createLogger({ level: 'silent' })
const limit = { name: 'test', points: 3, seconds: 60 }
const at = (instant: string) => ({ now: () => new Date(instant) })
const noon = at('2026-01-01T12:00:20Z')

/** A cache that does not answer. */
const down = { increment: () => Promise.reject(new Error('down')) } as unknown as Cache

async function use(limiter: ReturnType<typeof rateLimiter>, times: number, key = 'ada') {
  const states = []
  for (let count = 0; count < times; count += 1) states.push(await limiter.take(limit, key))
  return states.map((state) => state !== undefined && isOver(state))
}

describe('a limit', () => {
  test('lets its number through in a window, for each key and each instance together', async () => {
    await using cache = await openCache('memory:')
    const instances = [1, 2].map(() => rateLimiter({ cache, clock: noon, log, disabled: false }))
    const over = []
    for (const limiter of [...instances, ...instances]) over.push(...(await use(limiter, 1)))
    expect(over).toEqual([false, false, false, true])
    expect(await use(rateLimiter({ cache, clock: noon, log, disabled: false }), 1, 'bob')).toEqual([false])
    const later = at('2026-01-01T12:01:00Z')
    expect(await use(rateLimiter({ cache, clock: later, log, disabled: false }), 1)).toEqual([false])
  })

  test('counts all addresses of one IPv6 network together', async () => {
    for (const cache of [await openCache('memory:'), down]) {
      const limiter = rateLimiter({ cache, clock: noon, log, disabled: false })
      const over = []
      for (const host of [':1', ':2', ':a:b', 'ffff:ffff:ffff:ffff'])
        over.push(...(await use(limiter, 1, `2001:db8:1:2:${host}`)))
      expect(over).toEqual([false, false, false, true])
      expect(await use(limiter, 1, '2001:db8:1:3::1')).toEqual([false])
    }
  })

  test('is kept by each process when the cache is down', async () => {
    const limiter = rateLimiter({ cache: down, clock: noon, log, disabled: false })
    expect(await use(limiter, 5)).toEqual([false, false, false, true, true])
  })

  test('is nothing at all when limits are switched off', async () => {
    const limiter = rateLimiter({ cache: down, clock: noon, log, disabled: true })
    expect(await limiter.take(limit, 'ada')).toBeUndefined()
    expect(limitHeaders(undefined, noon)).toEqual({})
  })

  test('is told in both families of headers, and when to come back', () => {
    const state = { limit, used: 4, resetSeconds: 40 }
    expect(limitHeaders(state, noon)).toEqual({
      'ratelimit-policy': '"test";q=3;w=60',
      ratelimit: '"test";r=0;t=40',
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Date.parse('2026-01-01T12:01:00Z') / 1000),
    })
    expect(tooManyRequests(state)).toMatchObject({
      status: 429,
      retryAfterSeconds: 40,
      details: { retryAfter: 40 },
    })
  })
})
