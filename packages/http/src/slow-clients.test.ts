import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { openSocket } from '../test/testing.ts'
import { setConnectionsPerAddress } from './connection-limit.ts'
import { createHardenedServer, type ServerLimits } from './server.ts'

const BIG = Buffer.alloc(20_000_000, 'a')
const limits: ServerLimits = {
  keepAliveTimeoutMs: 1000,
  maxConnections: 300,
  headersTimeoutMs: 1000,
  requestTimeoutMs: 1500,
  stalledTimeoutMs: 1000,
}
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/**
 * Answers /big with 20 MB, /events with a stream that stays silent, anything else with two bytes when its body is
 * there.
 */
async function start(change: Partial<ServerLimits> = {}) {
  const server = createHardenedServer(
    (request, response) => {
      if (request.url === '/big') return void response.end(BIG)
      if (request.url === '/events') return void response.writeHead(200).flushHeaders()
      if (request.readableEnded) return void response.end('ok')
      request.resume().on('end', () => response.end('ok'))
      return undefined
    },
    { ...limits, ...change },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    server,
    port,
    open: () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count))),
    honest: async () =>
      (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).status,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Connections that have sent these bytes and read nothing of what comes unless asked to. */
async function many(count: number, port: number, bytes: string): Promise<Socket[]> {
  const opened = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
  sockets.push(...opened)
  await Promise.all(
    opened.map((socket) =>
      once(
        socket.on('error', () => {}),
        'connect',
      ),
    ),
  )
  for (const socket of opened) socket.write(bytes)
  return opened
}

describe('100 clients that', () => {
  test.each([
    ['send half of their headers', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: '],
    ['send nothing at all', ''],
    ['send half of their body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab'],
    ['never end their chunks', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n'],
    ['ask once and stay', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['take nothing of a long answer', 'GET /big HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s are let go, and nobody else waits meanwhile', async (_, bytes) => {
    await using served = await start()
    const count = bytes.includes('big') ? 20 : 100
    const slow = await many(count, served.port, bytes)
    for (const socket of slow) bytes.includes('big') ? socket.pause() : socket.resume()
    await vi.waitFor(async () => expect(await served.open()).toBe(count), { interval: 5 })
    for (let turn = 0; turn < 5; turn += 1) {
      const before = performance.now()
      expect(await served.honest()).toBe(200)
      expect(performance.now() - before).toBePrompt(1000)
    }
    await vi.waitFor(async () => expect(await served.open()).toBe(0), { timeout: 8000, interval: 50 })
  })

  test('drip a byte of a header now and then are let go too', async () => {
    await using served = await start()
    const slow = await many(20, served.port, 'GET / HTTP/1.1\r\nHost: x\r\n')
    const drip = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('X')
    }, 50)
    await vi.waitFor(async () => expect(await served.open()).toBe(0), { timeout: 8000, interval: 50 })
    clearInterval(drip)
  })

  test('wait for the next event of a stream may wait as long as they like', async () => {
    await using served = await start()
    using connection = await openSocket(served.port)
    connection.send('GET /events HTTP/1.1\r\nHost: x\r\n\r\n')
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(await served.open()).toBe(1)
  })

  test('send a thousand requests at once and read nothing are not read any further', async () => {
    await using served = await start({ stalledTimeoutMs: 60_000 })
    let answered = 0
    served.server.on('request', () => {
      answered += 1
    })
    const [socket] = await many(1, served.port, 'GET /big HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000))
    socket?.pause()
    await served.honest()
    // What came in one piece was read; what came behind it waits in the kernel.
    expect(answered).toBeLessThan(1002)
    expect(await served.honest()).toBe(200)
  })
})

describe('connections of one address', () => {
  test('are limited where a limit is set: one too many is answered 429 at once', async () => {
    await using served = await start({
      keepAliveTimeoutMs: 60_000,
      headersTimeoutMs: 60_000,
      requestTimeoutMs: 60_000,
    })
    setConnectionsPerAddress(served.server, 20)
    const first = await many(20, served.port, '')
    using late = await openSocket(served.port)
    expect(await late.answer()).toMatchObject({
      status: 429,
      headers: {
        connection: 'close',
        'content-type': 'application/json; charset=utf-8',
        'retry-after': '1',
      },
      body: expect.stringContaining('TooManyRequests'),
    })
    await late.closed()
    first[0]?.destroy()
    await vi.waitFor(async () => expect(await served.honest()).toBe(200))
    for (const socket of first.slice(1))
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await Promise.all(first.slice(1).map((socket) => once(socket.resume(), 'close')))
    await vi.waitFor(async () => expect(await served.open()).toBe(0))
    expect(
      (await Promise.all(Array.from({ length: 15 }, served.honest))).every((status) => status === 200),
    ).toBe(true)
  })

  test('are those of a whole network of IPv6, which one client has', async () => {
    await using served = await start({ keepAliveTimeoutMs: 60_000 })
    setConnectionsPerAddress(served.server, 1)
    const connectFrom = (remoteAddress: string) => {
      const written: Buffer[] = []
      const socket = new Duplex({ read: () => {}, write: (chunk, _, done) => done(void written.push(chunk)) })
      served.server.emit('connection', Object.assign(socket, { remoteAddress }))
      return written
    }
    const answers = ['2001:db8::1', '2001:db8::2:3', '2001:db8:0:1::1', '203.0.113.9'].map(connectFrom)
    const statuses = () => answers.map((written) => Buffer.concat(written).toString().slice(9, 12))
    await vi.waitFor(() => expect(statuses()).toEqual(['', '429', '', '']))
  })

  test('are counted once, also when an offer of HTTP/2 was ignored', async () => {
    await using served = await start({ keepAliveTimeoutMs: 60_000 })
    setConnectionsPerAddress(served.server, 1)
    using connection = await openSocket(served.port)
    for (let count = 0; count < 3; count += 1) {
      connection.send('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
      expect((await connection.answer())?.status).toBe(200)
    }
    connection.socket.destroy()
    await vi.waitFor(async () => expect(await served.honest()).toBe(200))
  })

  test('are not limited otherwise, but all of them together are', async () => {
    await using served = await start({
      maxConnections: 50,
      keepAliveTimeoutMs: 60_000,
      headersTimeoutMs: 60_000,
      requestTimeoutMs: 60_000,
    })
    const opened = await many(80, served.port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    for (const socket of opened) socket.resume()
    await vi.waitFor(async () => expect(await served.open()).toBe(50))
  })
})

test('a server that takes no connections is no server to limit', async () => {
  const { limitConnections } = await import('./connection-limit.ts')
  const server = createServer()
  server.removeAllListeners('connection')
  expect(() => limitConnections(server)).toThrow()
})
