import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { rounds } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { answerDigest } from '../../test/answer-digest.ts'
import { startForwarder, startRawUpstream } from '../../test/forwarder.ts'

const MB = 1_000_000
/** Size of an answer that must not be held. */
const HUGE = rounds(250, 500) * MB
let forwarder: Awaited<ReturnType<typeof startForwarder>>
let service: ReturnType<typeof createServer>
let seen: { request: IncomingMessage; response: ServerResponse }[] = []
let sentAt = 0

const behaviours: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  import: answerDigest,
  hold: (request) => void request.resume(),
  huge(_, response) {
    const chunk = Buffer.alloc(65_536, 'x')
    let left = HUGE
    response.writeHead(200, { 'content-length': String(left) })
    const pour = () => {
      while (left > 0) {
        const part = left < chunk.length ? chunk.subarray(0, left) : chunk
        left -= part.length
        if (!response.write(part)) return void response.once('drain', pour)
      }
      response.end()
    }
    pour()
  },
  sse(_, response) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    response.flushHeaders()
    setTimeout(() => {
      sentAt = performance.now()
      response.write('data: {}\n\n')
    }, 30)
  },
  early(_, response) {
    response.writeHead(403, { 'content-type': 'text/plain' })
    response.end('no thanks')
  },
  nothing: (_, response) => void response.writeHead(204).end(),
  unchanged: (_, response) => void response.writeHead(304, { etag: '"a"' }).end(),
  trailers(_, response) {
    response.writeHead(200, { trailer: 'x-late' })
    response.write('body')
    response.addTrailers({ 'x-late': 'secret' })
    response.end()
  },
}

beforeAll(async () => {
  service = createServer((request, response) => {
    if (request.url === '/sys/readyz') return void response.end()
    seen.push({ request, response })
    request.on('error', () => undefined)
    const name = request.url?.split('/').at(-1) ?? ''
    behaviours[name]?.(request, response)
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  forwarder = await startForwarder(`http://127.0.0.1:${(service.address() as AddressInfo).port}`)
})
afterAll(async () => {
  await forwarder[Symbol.asyncDispose]()
  service.closeAllConnections()
  service.close()
})

const residentMb = () => {
  globalThis.gc?.()
  return process.memoryUsage().rss / MB
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}

describe('bodies', () => {
  async function upload(chunks: number): Promise<{ answer: unknown; sent: unknown; mostMb: number }> {
    const chunk = Buffer.alloc(100_000, 'u')
    const hash = createHash('sha256')
    let mostMb = 0
    const sending = httpRequest(forwarder.at('import'), { method: 'POST' })
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>
    for (let count = 0; count < chunks; count += 1) {
      hash.update(chunk)
      if (!sending.write(chunk)) await once(sending, 'drain')
      mostMb = Math.max(mostMb, process.memoryUsage().rss / MB)
    }
    sending.end()
    const [response] = await answered
    const sent = { size: chunks * chunk.length, sha256: hash.digest('hex') }
    return { answer: JSON.parse(await bodyOf(response)), sent, mostMb }
  }

  test('an upload of 99 MB arrives whole and holds no memory', { timeout: 60_000 }, async () => {
    await upload(200)
    const before = residentMb()
    const { answer, sent, mostMb } = await upload(990)
    expect(answer).toEqual(sent)
    expect(mostMb - before).toBeLessThan(60)
  })

  test('a download of hundreds of megabytes by a slow reader holds no memory', {
    timeout: 60_000,
  }, async () => {
    const before = residentMb()
    let most = 0
    let read = 0
    const sending = httpRequest(forwarder.at('huge')).end()
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    response.pause()
    await vi.waitFor(() => expect(response.readableLength).toBeGreaterThan(0))
    for await (const chunk of response) {
      read += (chunk as Buffer).length
      if (read % 32 === 0) await new Promise((resolve) => setImmediate(resolve))
      most = Math.max(most, process.memoryUsage().rss / MB)
    }
    expect(read).toBe(HUGE)
    // A part of what passes: three parties live in this process.
    expect(most - before).toBeLessThan(100)
  })

  test('"Expect: 100-continue" is answered when the service is there to take the body', async () => {
    const socket = connect(forwarder.port, '127.0.0.1')
    socket.write(
      'POST /v2/workspaces/w1/import HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\nexpect: 100-continue\r\n\r\n',
    )
    const [first] = (await once(socket, 'data')) as [Buffer]
    expect(first.toString()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    socket.write(Buffer.alloc(100_000))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toContain('200 OK')
    socket.destroy()
  })

  test('an answer in the middle of an upload reaches the client, and ends the connection', async () => {
    const sending = httpRequest(forwarder.at('early'), {
      method: 'POST',
      headers: { 'content-length': String(900_000) },
    })
    sending.on('error', () => undefined)
    sending.write(Buffer.alloc(200_000))
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    expect([response.statusCode, response.headers.connection]).toEqual([403, 'close'])
    sending.end(Buffer.alloc(700_000))
    expect(await bodyOf(response)).toBe('no thanks')
  })

  test('204 and 304 have no body and keep their headers, trailers stay behind', async () => {
    const nothing = await fetch(forwarder.at('nothing'))
    expect([nothing.status, await nothing.text()]).toEqual([204, ''])
    const unchanged = await fetch(forwarder.at('unchanged'), { headers: { 'if-none-match': '"a"' } })
    expect([unchanged.status, unchanged.headers.get('etag')]).toEqual([304, '"a"'])
    const sending = httpRequest(forwarder.at('trailers')).end()
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    expect(await bodyOf(response)).toBe('body')
    expect(response.trailers).toEqual({})
  })
})

describe('server-sent events', () => {
  test('arrive within 20 ms of being sent', async () => {
    const lags: number[] = []
    for (let round = 0; round < 9; round += 1) {
      const sending = httpRequest(forwarder.at('sse')).end()
      const [response] = (await once(sending, 'response')) as [IncomingMessage]
      await once(response, 'data')
      lags.push(performance.now() - sentAt)
      response.destroy()
    }
    lags.sort((a, b) => a - b)
    expect(lags[4]).toBePrompt(20)
  })

  test('are neither compressed nor put into pieces of another size', async () => {
    const sending = httpRequest(forwarder.at('sse'), { headers: { 'accept-encoding': 'gzip' } }).end()
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    const [event] = (await once(response, 'data')) as [Buffer]
    expect([response.headers['content-encoding'], String(event)]).toEqual([undefined, 'data: {}\n\n'])
    response.destroy()
  })
})

describe('event streams of URL triggers', () => {
  test('reach the client as they are sent, and take no room from other requests', async () => {
    const open = async () => {
      const sending = httpRequest(forwarder.at('webhooks/sse'), { method: 'POST', agent: false }).end('{}')
      const [response] = (await once(sending, 'response')) as [IncomingMessage]
      const [event] = (await once(response, 'data')) as [Buffer]
      expect(String(event)).toBe('data: {}\n\n')
      return response
    }
    // More than there are connections for requests that end.
    const responses = await Promise.all(Array.from({ length: 520 }, open))
    for (const { upstream, instance } of forwarder.instances.states())
      if (upstream === 'runtime') expect(instance.outstanding).toBe(0)
    expect((await fetch(forwarder.at('webhooks/nothing'))).status).toBe(204)
    for (const response of responses) response.destroy()
  })
})

describe('a client that leaves', () => {
  /** How long the service waits to hear of it, in milliseconds. */
  async function heardAfter(begin: () => { destroy(): void }): Promise<number> {
    seen = []
    const client = begin()
    await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 10_000, interval: 5 })
    const closed = once(seen[0]?.response as ServerResponse, 'close')
    const startedAt = performance.now()
    client.destroy()
    await closed
    return performance.now() - startedAt
  }
  const open = (head: string) => () => {
    const socket = connect(forwarder.port, '127.0.0.1')
    socket.write(`${head}\r\nhost: x\r\n`)
    return socket
  }
  const median = async (begin: () => { destroy(): void }) => {
    const times = []
    for (let round = 0; round < 5; round += 1) times.push(await heardAfter(begin))
    return times.sort((a, b) => a - b)[2]
  }

  test('before the answer: the service hears within 100 ms', async () => {
    const begin = () => {
      const socket = open('GET /v2/workspaces/w1/hold HTTP/1.1')()
      socket.write('\r\n')
      return socket
    }
    expect(await median(begin)).toBePrompt(100)
  })

  test('in the middle of its upload: the service hears within 100 ms', async () => {
    const begin = () => {
      const socket = open('POST /v2/workspaces/w1/hold HTTP/1.1')()
      socket.write('content-length: 900000\r\n\r\n')
      socket.write(Buffer.alloc(100_000))
      return socket
    }
    expect(await median(begin)).toBePrompt(100)
  })

  test('in the middle of the answer: the service hears within 100 ms', async () => {
    const begin = () => {
      const socket = open('GET /v2/workspaces/w1/huge HTTP/1.1')()
      socket.write('\r\n')
      return socket
    }
    expect(await median(begin)).toBePrompt(100)
  })

  test('half: who closes its sending side has left, as for other proxies, and the service hears', async () => {
    const begin = () => {
      const socket = connect({ port: forwarder.port, host: '127.0.0.1', allowHalfOpen: true })
      socket.write('GET /v2/workspaces/w1/hold HTTP/1.1\r\nhost: x\r\n\r\n')
      return { destroy: () => void socket.end() }
    }
    expect(await median(begin)).toBePrompt(100)
  })
})

describe('a service that ends in the middle', () => {
  test.each([
    ['a reset after half of the answer', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
    ['an end inside a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nhalf'],
  ])('%s cuts the connection of the client', async (_, bytes) => {
    await using raw = await startRawUpstream((socket) => {
      socket.once('data', () => socket.write(bytes, () => setTimeout(() => socket.destroy(), 20)))
    })
    await using alone = await startForwarder(raw.url)
    const response = await fetch(alone.at('x'))
    await expect(response.text()).rejects.toThrow()
  })

  test.each([
    ['no HTTP', 'SSH-2.0-x\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'],
    [
      'an upgrade nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
  ])('%s is 503', async (_, bytes) => {
    await using raw = await startRawUpstream((socket) => socket.once('data', () => socket.end(bytes)))
    await using alone = await startForwarder(raw.url)
    const response = await fetch(alone.at('x'), { method: 'POST' })
    expect(response.status).toBe(503)
  })
})
