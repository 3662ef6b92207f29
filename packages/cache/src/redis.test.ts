import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { cacheConformance } from '../test/conformance.ts'
import type { Cache } from './cache.ts'
import { openCache } from './index.ts'

const server = process.env.TEST_CACHE_URL
if (server === undefined) {
  if (process.env.REQUIRE_SERVERS === '1') throw new Error('TEST_CACHE_URL must name a Redis server.')
  console.warn('SKIPPED: the Redis driver; set TEST_CACHE_URL=redis://user:password@host:port to test it.')
}

/** Stands between the cache and its server and can fall silent, as a frozen server does, or hang up. */
class Wire implements AsyncDisposable {
  readonly #sockets = new Set<Socket>()
  #silent = false
  readonly #server = createServer((client) => {
    const target = new URL(server ?? '')
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) this.#sockets.add(socket.on('error', () => undefined))
    client.on('data', (data) => this.#silent || upstream.write(data))
    upstream.on('data', (data) => this.#silent || client.write(data))
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })

  async open(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    const address = this.#server.address()
    const url = new URL(server ?? '')
    url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    return url.href
  }

  set silent(silent: boolean) {
    this.#silent = silent
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.hangUp()
    this.#server.close()
  }
}

const ready = (cache: Cache) => vi.waitFor(() => cache.get('ready'), { timeout: 5000, interval: 20 })

describe.skipIf(server === undefined)('the redis driver', () => {
  let cache: Cache
  beforeAll(async () => {
    cache = await openCache(server ?? '')
    await ready(cache)
  })
  // After an answer that was late, as on a machine that stood still, none is asked for a while.
  beforeEach(() => ready(cache))
  afterAll(() => cache[Symbol.asyncDispose]())

  cacheConformance(() => cache)

  it('costs one slow call when the server is frozen, and comes back by itself', async () => {
    await using wire = new Wire()
    await using frozen = await openCache(await wire.open())
    await ready(frozen)
    wire.silent = true
    const startedAt = performance.now()
    await expect(frozen.get('key')).rejects.toMatchObject({ name: 'CacheError', unavailable: true })
    expect(performance.now() - startedAt).toBePrompt(250)
    const askedAt = performance.now()
    for (let index = 0; index < 100; index++) await expect(frozen.get('key')).rejects.toThrow()
    expect(performance.now() - askedAt).toBePrompt(200)
    wire.silent = false
    wire.hangUp()
    await ready(frozen)
  })

  it('connects again when the connection is lost', async () => {
    await using wire = new Wire()
    await using cut = await openCache(await wire.open())
    await ready(cut)
    await cut.set('kept', 'value', 60_000)
    wire.hangUp()
    await vi.waitFor(async () => expect(await cut.get('kept')).toBe('value'), { timeout: 5000, interval: 20 })
  })

  it('never shows the password', async () => {
    const url = new URL(server ?? '')
    url.password = 'a-wrong-password'
    await using wrong = await openCache(url.href)
    await expect(wrong.probe(AbortSignal.timeout(2000))).rejects.not.toThrow('a-wrong-password')
  })
})

describe('a redis server that is not there', () => {
  it('keeps nothing from opening and fails at once', async () => {
    await using cache = await openCache('redis://user:geheim@127.0.0.1:9/0')
    const startedAt = performance.now()
    const error: unknown = await cache.get('key').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'CacheError', unavailable: true })
    expect(String(error)).not.toContain('geheim')
    await expect(cache.increment('key', 1, 1000)).rejects.toMatchObject({ unavailable: true })
    await expect(cache.probe(AbortSignal.timeout(2000))).rejects.toMatchObject({ unavailable: true })
    expect(performance.now() - startedAt).toBePrompt(500)
  })
})
