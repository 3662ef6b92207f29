import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { FrameWriter, frameKinds, readFrames } from '@platform/http'
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

/** A server that takes links without knowing what to do with them; by HTTP it answers. */
async function startRawLinks(onLink: (socket: Duplex) => void) {
  const overHttp = vi.fn()
  const links = new Set<Duplex>()
  const server = createServer((request, response) => {
    overHttp()
    request.resume().once('end', () => response.end('{}'))
  })
  server.on('upgrade', (_, socket) => {
    links.add(socket.on('error', () => undefined))
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: platform-link\r\n\r\n')
    onLink(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    overHttp,
    links,
    opened: (forwarder: Forwarder) =>
      vi.waitFor(async () => {
        if (links.size === 0) await post(forwarder)
        expect(links.size).toBe(1)
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of links) socket.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
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
    await using service = await startRawLinks((socket) => void socket.pause())
    await using forwarder = await startForwarder(service.url, { hasLinks: true })
    await service.opened(forwarder)
    service.overHttp.mockClear()
    const leaving = new AbortController()
    const body = 'x'.repeat(60_000)
    const asked = Array.from({ length: 400 }, () =>
      fetch(forwarder.at('x'), { method: 'POST', body, signal: leaving.signal }).catch(() => undefined),
    )
    await vi.waitFor(() => expect(service.overHttp.mock.calls.length).toBeGreaterThan(50), { timeout: 5000 })
    leaving.abort()
    await Promise.all(asked)
  })

  test('over which nothing comes while a request has all its time is left for another', async () => {
    await using service = await startRawLinks((socket) => void socket.resume())
    await using forwarder = await startForwarder(service.url, { hasLinks: true, timeoutMs: 500 })
    await service.opened(forwarder)
    expect((await post(forwarder)).status).toBe(504)
    expect((await post(forwarder)).status).toBe(200)
    const again = async () => {
      if (service.links.size < 2) await post(forwarder)
      expect(service.links.size).toBe(2)
    }
    await vi.waitFor(again, { timeout: 5000 })
  })

  test.each([
    ['is none', 'nothing'],
    ['has no status', 'HTTP/1.1 abc\r\n\r\n'],
    ['has a header that no client may get', 'HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n'],
    ['ends before it begins', ''],
  ])('whose response %s is 503 for that request alone', async (_, response) => {
    await using service = await startRawLinks((socket) => {
      const writer = new FrameWriter(socket)
      readFrames(socket, Buffer.alloc(0), (kind, call, text) => {
        if (kind !== frameKinds.request) return
        const bad = text.includes('/bad\n')
        const sent = bad ? response : 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
        if (sent !== '') writer.send(frameKinds.data, call, '', Buffer.from(sent))
        writer.send(frameKinds.end, call)
      })
    })
    await using forwarder = await startForwarder(service.url, { hasLinks: true })
    await service.opened(forwarder)
    service.overHttp.mockClear()
    const [bad, good] = await Promise.all([post(forwarder, 'bad'), post(forwarder)])
    expect([bad.status, good.status]).toEqual([503, 200])
    expect((await post(forwarder)).status).toBe(200)
    expect(service.overHttp).not.toHaveBeenCalled()
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
