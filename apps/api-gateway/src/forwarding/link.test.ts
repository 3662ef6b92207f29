import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { startForwarder } from '../../test/forwarder.ts'
import { startUpstream, type Upstream } from '../../test/start-gateway.ts'

type Forwarder = Awaited<ReturnType<typeof startForwarder>>

const post = (forwarder: Forwarder, path = 'x') => fetch(forwarder.at(path), { method: 'POST', body: '{}' })

/** Asks until a request has come over a link. */
const linked = (forwarder: Forwarder, service: Upstream) =>
  vi.waitFor(async () => {
    await post(forwarder)
    expect(service.seen.at(-1)?.isLinked).toBe(true)
  })

/** Holds what is asked under `held` until it is told. */
function holding() {
  const held = new Set<() => void>()
  const listener: RequestListener = (request, response) => {
    if (request.url?.endsWith('held') === true) held.add(() => response.end('held'))
    else response.end('{}')
  }
  return { held, listener }
}

describe('a link', () => {
  test('carries any number of requests at once over one connection', async () => {
    const { held, listener } = holding()
    await using service = await startUpstream(listener, { hasLinks: true })
    await using forwarder = await startForwarder(service.url, { hasLinks: true })
    await linked(forwarder, service)
    const before = service.connections()
    const answers = Array.from({ length: 100 }, () => post(forwarder, 'held'))
    await vi.waitFor(() => expect(held.size).toBe(100))
    for (const answer of held) answer()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses).toEqual(Array(100).fill(200))
    expect(service.connections()).toBe(before)
  })

  test('loses nothing when the service leaves: what is under way is answered, the rest comes by HTTP', async () => {
    const { held, listener } = holding()
    await using service = await startUpstream(listener, { hasLinks: true })
    await using forwarder = await startForwarder(service.url, { hasLinks: true })
    await linked(forwarder, service)
    const early = post(forwarder, 'held')
    await vi.waitFor(() => expect(held.size).toBe(1))
    const statuses: number[] = []
    const asking = Array.from({ length: 8 }, async () => {
      for (let time = 0; time < 25; time += 1) statuses.push((await post(forwarder)).status)
    })
    await vi.waitFor(() => expect(statuses.length).toBeGreaterThan(20))
    service.links?.leave()
    await Promise.all(asking)
    expect(statuses).toEqual(Array(200).fill(200))
    expect(service.seen.at(-1)?.isLinked).toBe(false)
    for (const answer of held) answer()
    expect(await (await early).text()).toBe('held')
  })

  test('that breaks is 503 for what may have been done, not for what changes nothing, and opens again', async () => {
    const { held, listener } = holding()
    await using service = await startUpstream(listener, { hasLinks: true })
    await using forwarder = await startForwarder(service.url, { hasLinks: true })
    await linked(forwarder, service)
    const [write, read] = [post(forwarder, 'held'), fetch(forwarder.at('held'))]
    await vi.waitFor(() => expect(held.size).toBe(2))
    service.links?.cut()
    expect((await write).status).toBe(503)
    await vi.waitFor(() => expect(held.size).toBe(3))
    for (const answer of held) answer()
    expect((await read).status).toBe(200)
    await linked(forwarder, service)
  })

  test('is asked for again where the service was starting; where it has none, requests go by HTTP', async () => {
    let isStarting = true
    const listener: RequestListener = (request, response) => {
      if (request.url === '/sys/link') response.statusCode = isStarting ? 503 : 404
      response.end('{}')
    }
    await using service = await startUpstream(listener)
    await using forwarder = await startForwarder(service.url, { hasLinks: true })
    const asked = () => service.seen.filter(({ url }) => url === '/sys/link').length
    await vi.waitFor(
      async () => {
        expect((await post(forwarder)).status).toBe(200)
        expect(asked()).toBe(2)
      },
      { timeout: 5000, interval: 100 },
    )
    isStarting = false
    await vi.waitFor(
      async () => {
        await post(forwarder)
        expect(asked()).toBe(3)
      },
      { timeout: 5000, interval: 100 },
    )
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect([(await post(forwarder)).status, asked()]).toEqual([200, 3])
  })

  test('that nobody reads takes only so much: what follows goes by HTTP', async () => {
    const overHttp = vi.fn()
    const server = createServer((request, response) => {
      overHttp()
      request.resume().once('end', () => response.end('{}'))
    })
    const stuck = new Set<Duplex>()
    server.on('upgrade', (_, socket) => {
      stuck.add(socket.pause())
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: platform-link\r\n\r\n',
      )
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await using forwarder = await startForwarder(url, { hasLinks: true })
    await vi.waitFor(async () => {
      await post(forwarder)
      expect(stuck.size).toBe(1)
    })
    overHttp.mockClear()
    const body = 'x'.repeat(60_000)
    const asked = Array.from({ length: 400 }, () =>
      fetch(forwarder.at('x'), { method: 'POST', body }).catch(() => undefined),
    )
    await vi.waitFor(() => expect(overHttp.mock.calls.length).toBeGreaterThan(50))
    for (const socket of stuck) socket.destroy()
    await Promise.all(asked)
    server.closeAllConnections()
    server.close()
  })

  test('brings a request as HTTP does: names, repeated headers, bytes beyond ASCII', async () => {
    const listener: RequestListener = (request, response) => {
      request.resume().once('end', () => response.end('{}'))
    }
    await using service = await startUpstream(listener, { hasLinks: true })
    await using overHttp = await startForwarder(service.url)
    await using overLink = await startForwarder(service.url, { hasLinks: true })
    await linked(overLink, service)
    const brought = async (forwarder: Forwarder) => {
      const seen = service.seen.length
      const socket = connect(Number(new URL(forwarder.at('x')).port), '127.0.0.1')
      socket.write(
        Buffer.from(
          'GET /v2/workspaces/w1/x?a=1 HTTP/1.1\r\nHost: x\r\nAccept: a\r\nACCEPT: b\r\nX-Empty:\r\n' +
            'Referer: one\r\nReferer: two\r\nCookie2: c\r\nX-Name: \xe9\xff\r\nconnection: close\r\n\r\n',
          'latin1',
        ),
      )
      await vi.waitFor(() => expect(service.seen.length).toBe(seen + 1))
      socket.destroy()
      const { isLinked, headers, raw, url, method } = service.seen[seen] as Upstream['seen'][number]
      const { connection, 'x-platform-request-deadline': deadline, ...same } = headers
      const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
      return {
        isLinked,
        came: { headers: same, names: names.filter((name) => name !== 'connection'), url, method },
      }
    }
    const [plain, carried] = [await brought(overHttp), await brought(overLink)]
    expect([plain.isLinked, carried.isLinked]).toEqual([false, true])
    expect(carried.came).toEqual(plain.came)
    expect(carried.came.headers).toMatchObject({
      accept: 'a, b',
      referer: 'one',
      'x-empty': '',
      'x-name': 'éÿ',
    })
  })
})
