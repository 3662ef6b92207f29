import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type Cache, openCache } from '@platform/cache'
import { type RateLimit, rateLimits } from '@platform/contracts'
import { createLogger } from '@platform/logging'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Limits, rateLimiter } from './rate-limiter.ts'

const server = process.env.TEST_CACHE_URL
if (server === undefined) {
  if (process.env.REQUIRE_SERVERS === '1') throw new Error('TEST_CACHE_URL must name a Redis server.')
  console.warn(
    'SKIPPED: rate limits on Redis; set TEST_CACHE_URL=redis://user:password@host:port to test them.',
  )
}

const log = createLogger({ level: 'silent' })
const small: RateLimit = { ...rateLimits.anonymousLogin, name: 'small', points: 5 }
const busy: RateLimit = { ...small, name: 'busy', points: 1000 }
const newKey = () => crypto.randomUUID()

const open = (cache: Cache): Limits =>
  rateLimiter({ cache, log, service: 'redis test', settings: { disabled: false, points: new Map() } })

const admit = async (limiter: Limits, limit: RateLimit, key: string) =>
  ((await limiter.take(limit, key))?.remaining ?? -1) >= 0

async function admitted(limiter: Limits, limit: RateLimit, key: string, times: number): Promise<number> {
  let count = 0
  for (let index = 0; index < times; index += 1) if (await admit(limiter, limit, key)) count += 1
  return count
}

const ready = (cache: Cache) => vi.waitFor(() => cache.get('ready'), { timeout: 5000, interval: 20 })

async function timed<T>(work: () => Promise<T>): Promise<[result: T, ms: number]> {
  const startedAt = performance.now()
  return [await work(), performance.now() - startedAt]
}

describe.skipIf(server === undefined)('two processes on one Redis server', () => {
  let caches: Cache[]
  beforeAll(async () => {
    caches = await Promise.all([openCache(server ?? ''), openCache(server ?? '')])
    await Promise.all(caches.map(ready))
  })
  afterAll(() => Promise.all(caches.map((cache) => cache[Symbol.asyncDispose]())))

  test('share a limit, of few uses and of many', async () => {
    const instances = caches.map(open)
    for (const limit of [small, busy]) {
      const key = newKey()
      const counts = await Promise.all(instances.map((one) => admitted(one, limit, key, limit.points)))
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(limit.points)
    }
  })

  test('both hear that a key was forgotten', async () => {
    const [one, other] = caches.map(open) as [Limits, Limits]
    const key = newKey()
    expect(await admitted(one, small, key, 4)).toBe(4)
    await one.forget(small, key)
    expect(await admitted(other, small, key, 6)).toBe(5)
  })
})

/** A Redis server of the test's own, to be frozen and killed. */
class OwnServer implements AsyncDisposable {
  readonly #port: number
  #process: ChildProcess | undefined

  constructor(port: number) {
    this.#port = port
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    const settings = ['--port', String(this.#port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    this.#process = spawn('redis-server', settings, { stdio: 'ignore' })
    await once(this.#process, 'spawn')
  }

  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.#process?.kill(name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGKILL')
  }
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  listener.close()
  await once(listener, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

describe.skipIf(server === undefined)('F-RED: a Redis server that', () => {
  test.each([
    ['is frozen', 'SIGSTOP', (redis: OwnServer) => Promise.resolve(redis.signal('SIGCONT'))],
    ['is killed', 'SIGKILL', (redis: OwnServer) => redis.start()],
  ] as const)(
    '%s costs each request 150 ms at most, later ones nothing; limits hold, and are shared again afterwards',
    async (_, signal, recover) => {
      await using redis = new OwnServer(await freePort())
      await redis.start()
      await using cache = await openCache(redis.url)
      await ready(cache)
      const limiter = open(cache)
      expect(await admitted(limiter, small, newKey(), 6)).toBe(5)

      redis.signal(signal)
      const [first, firstMs] = await timed(() =>
        Promise.all(Array.from({ length: 50 }, () => admit(limiter, small, newKey()))),
      )
      expect(first).not.toContain(false)
      // 150 ms, and what a busy machine adds to 50 of them.
      expect(firstMs).toBePrompt(400)
      const waits: number[] = []
      for (let index = 0; index < 300; index += 1)
        waits.push((await timed(() => admit(limiter, small, newKey())))[1])
      waits.sort((a, b) => a - b)
      expect(waits[290]).toBeLessThan(10)
      expect(await admitted(limiter, small, newKey(), 20)).toBe(5)

      await recover(redis)
      await using other = await openCache(redis.url)
      await ready(other)
      await vi.waitFor(
        async () => {
          const key = newKey()
          await admitted(limiter, small, key, 5)
          expect(await admitted(open(other), small, key, 1)).toBe(0)
        },
        { timeout: 10_000, interval: 100 },
      )
    },
    30_000,
  )
})
