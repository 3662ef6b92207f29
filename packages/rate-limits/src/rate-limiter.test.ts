import { type Cache, openMemoryCache } from '@platform/cache'
import { type RateLimit, rateLimits } from '@platform/contracts'
import { registry } from '@platform/http'
import { createLogger } from '@platform/logging'
import { describe, expect, test, vi } from 'vitest'
import { type Limits, rateLimiter } from './rate-limiter.ts'

const log = createLogger({ level: 'silent' })
const limit: RateLimit = {
  name: 'test',
  points: 3,
  seconds: 60,
  per: 'address',
  variable: 'RATE_LIMIT_TEST',
  summary: 'Tests.',
}
const busy: RateLimit = { ...limit, name: 'busy', points: 1000 }
const none: ReadonlyMap<string, number> = new Map()

const open = (cache: Cache, points = none, disabled = false) =>
  rateLimiter({ cache, log, service: 'test', settings: { disabled, points } })

/** A cache that does not answer. */
const refused = () => Promise.reject(new Error('down'))
const down = { increment: refused, delete: refused, get: refused } as unknown as Cache

async function use(limiter: Limits, times: number, of = limit, key = 'ada', points = 1): Promise<boolean[]> {
  const over: boolean[] = []
  for (let count = 0; count < times; count += 1)
    over.push(((await limiter.take(of, key, points))?.remaining ?? 0) < 0)
  return over
}

const admitted = (over: readonly boolean[]) => over.filter((isOver) => !isOver).length

describe('a limit', () => {
  test('lets its number through, for each key, and all instances together', async () => {
    const cache = openMemoryCache()
    const instances = [open(cache), open(cache)]
    const over: boolean[] = []
    for (const limiter of [...instances, ...instances]) over.push(...(await use(limiter, 1)))
    expect(over).toEqual([false, false, false, true])
    expect(await use(open(cache), 1, limit, 'bob')).toEqual([false])
  })

  test('begins its window with the first use, and anew when that is over', async () => {
    const short = { ...limit, seconds: 1 }
    const limiter = open(openMemoryCache())
    expect(await use(limiter, 4, short)).toEqual([false, false, false, true])
    await vi.waitFor(async () => expect(await use(limiter, 1, short)).toEqual([false]), { timeout: 3000 })
  })

  test('tells what is left and when there is room again', async () => {
    const limiter = open(openMemoryCache())
    const states = []
    for (let count = 0; count < 4; count += 1) states.push(await limiter.take(limit, 'ada'))
    expect(states).toEqual([2, 1, 0, -1].map((remaining) => ({ limit, remaining, resetSeconds: 60 })))
  })

  test('counts all addresses of one IPv6 network together', async () => {
    for (const cache of [openMemoryCache(), down]) {
      const limiter = open(cache)
      const over: boolean[] = []
      for (const host of [':1', ':2', ':a:b', 'ffff:ffff:ffff:ffff'])
        over.push(...(await use(limiter, 1, limit, `2001:db8:1:2:${host}`)))
      expect(over).toEqual([false, false, false, true])
      expect(await use(limiter, 1, limit, '2001:db8:1:3::1')).toEqual([false])
    }
  })

  test('takes what comes at once exactly, with few questions', async () => {
    const cache = openMemoryCache()
    const increment = vi.spyOn(cache, 'increment')
    const limiter = open(cache)
    const states = await Promise.all(Array.from({ length: 500 }, () => limiter.take(limit, 'ada')))
    expect(states.filter((state) => (state?.remaining ?? -1) >= 0)).toHaveLength(3)
    expect(increment.mock.calls.length).toBeLessThanOrEqual(2)
  })

  test('has the numbers of the environment', async () => {
    const limiter = open(openMemoryCache(), new Map([['RATE_LIMIT_TEST', 1]]))
    expect(await use(limiter, 2)).toEqual([false, true])
    expect((await limiter.take(limit, 'bob'))?.limit.points).toBe(1)
    expect(await use(open(openMemoryCache(), new Map([['RATE_LIMIT_TEST', 0]])), 1)).toEqual([true])
  })

  test('is nothing at all when limits are switched off', async () => {
    const limiter = open(down, none, true)
    expect(await limiter.take(limit, 'ada')).toBeUndefined()
    limiter.giveBack(limit, 'ada')
    await limiter.forget(limit, 'ada')
  })

  test('says at the start when all are switched off', () => {
    const lines: string[] = []
    const told = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } })
    const cache = openMemoryCache()
    rateLimiter({ cache, log: told, service: 'test', settings: { disabled: true, points: none } })
    rateLimiter({ cache, log: told, service: 'test', settings: { disabled: false, points: none } })
    expect(lines.filter((line) => line.includes('RATE_LIMIT_DISABLED'))).toHaveLength(1)
  })

  test('gets back what did not count, and starts anew when it is forgotten', async () => {
    const cache = openMemoryCache()
    const limiter = open(cache)
    expect(await use(limiter, 4)).toEqual([false, false, false, true])
    limiter.giveBack(limit, 'ada')
    expect(await use(limiter, 2)).toEqual([false, true])
    await limiter.forget(limit, 'ada')
    expect(await use(limiter, 4)).toEqual([false, false, false, true])
    expect(await use(open(cache), 1)).toEqual([true])
  })

  test('gives back to every process what did not count', async () => {
    const cache = openMemoryCache()
    const one = open(cache)
    expect(await use(one, 3)).toEqual([false, false, false])
    one.giveBack(limit, 'ada', 2)
    expect(await use(open(cache), 3)).toEqual([false, false, true])
  })

  test('keeps no address in the cache', async () => {
    const cache = openMemoryCache()
    const increment = vi.spyOn(cache, 'increment')
    await open(cache).take(limit, 'ada@example.com')
    expect(increment.mock.calls[0]?.[0]).toMatch(/^rate:test:[\w-]{24}$/)
  })
})

describe('a limit of many uses', () => {
  test('asks the counter once for fifty of them', async () => {
    const cache = openMemoryCache()
    const increment = vi.spyOn(cache, 'increment')
    const limiter = open(cache)
    expect(admitted(await use(limiter, 1500, busy))).toBe(1000)
    expect(increment.mock.calls.length).toBe(51)
  })

  test('is never exceeded by several processes, and leaves at most a block of each unused', async () => {
    const cache = openMemoryCache()
    const instances = Array.from({ length: 4 }, () => open(cache))
    let total = 0
    for (let round = 0; round < 400; round += 1)
      for (const limiter of instances) total += admitted(await use(limiter, 1, busy))
    expect(total).toBe(1000)
    const one = open(openMemoryCache())
    await use(one, 1, busy, 'bob')
    expect(admitted(await use(instances[0] as Limits, 1500, busy, 'bob'))).toBe(1000)
  })

  test('counts the parts of a batch, and lets a smaller one through where a large one is too much', async () => {
    const limiter = open(openMemoryCache())
    expect(admitted(await use(limiter, 30, busy, 'ada', 49))).toBe(20)
    expect(admitted(await use(limiter, 30, busy, 'ada', 1))).toBe(20)
  })

  test('with a burst goes on within a minute', async () => {
    const { emit } = rateLimits
    const limiter = open(openMemoryCache())
    const states = []
    for (let count = 0; count < 140; count += 1) states.push(await limiter.take(emit, 'workspace', 50))
    expect(states.filter((state) => (state?.remaining ?? -1) >= 0)).toHaveLength(120)
    expect(states.at(-1)).toMatchObject({ remaining: -1, resetSeconds: 1 })
    expect(Math.max(...states.map((state) => state?.remaining ?? 0))).toBeLessThanOrEqual(1000)
  })
})

describe('while the cache does not answer', () => {
  test('each process counts for itself', async () => {
    const instances = [open(down), open(down)]
    for (const limiter of instances) expect(await use(limiter, 5)).toEqual([false, false, false, true, true])
  })

  test('a metric says so, and that it is over', async () => {
    const memory = openMemoryCache()
    let isDown = true
    const flaky: Cache = {
      ...memory,
      increment: (...given) => (isDown ? refused() : memory.increment(...given)),
      get: (key) => (isDown ? refused() : memory.get(key)),
    }
    const limiter = rateLimiter({
      cache: flaky,
      log,
      service: 'flaky',
      settings: { disabled: false, points: none },
    })
    const metric = async (name: string) => {
      const text = await registry.metrics()
      return text.split('\n').find((line) => line.startsWith(name) && line.includes('flaky'))
    }
    await use(limiter, 3)
    const local = 'platform_rate_limit_local'
    expect(await metric('platform_rate_limit_fallbacks_total')).toMatch(/limit="test"\} 3$/)
    expect(await metric(local)).toMatch(/ 1$/)
    isDown = false
    await vi.waitFor(
      async () => {
        await use(limiter, 1, limit, crypto.randomUUID())
        expect(await metric(local)).toMatch(/ 0$/)
      },
      { timeout: 3000, interval: 50 },
    )
  })
})
