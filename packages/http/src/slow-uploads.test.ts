import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSocket } from '../test/testing.ts'
import { createHardenedServer } from './server.ts'

/** A megabyte must come in each of these. */
const REQUEST_MS = 500
const MB = 1_000_000

const server = createHardenedServer(
  (request, response) => {
    let bytes = 0
    const read = () => {
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      request.on('end', () => response.end(String(bytes)))
    }
    if (request.url === '/late') setTimeout(read, 4 * REQUEST_MS)
    else read()
  },
  { keepAliveTimeoutMs: 60_000, maxConnections: 100, requestTimeoutMs: REQUEST_MS },
)
let port = 0
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close().closeAllConnections())

/** Far more than a megabyte comes in time, also from a client that the machine holds up. */
const part = Buffer.alloc(900_000, 'a')
const asChunk = Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
const post = (framing: string, path = '/') => `POST ${path} HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`

describe('an upload that takes four times as long as a request may', () => {
  test.each([
    ['with a length', `Content-Length: ${20 * part.length}`, part, ''],
    ['in chunks', 'Transfer-Encoding: chunked', asChunk, '0\r\n\r\n'],
  ])('arrives whole while it goes on: %s', async (_, framing, piece, end) => {
    using connection = await openSocket(port)
    const startedAt = performance.now()
    connection.send(post(framing))
    for (let count = 0; count < 20; count += 1) {
      connection.send(piece)
      await pause(100)
    }
    connection.send(end)
    expect(await connection.answer()).toMatchObject({ status: 200, body: String(20 * part.length) })
    expect(performance.now() - startedAt).toBeGreaterThan(4 * REQUEST_MS)
    // The next request of the connection is none of the upload's.
    connection.send(post('Content-Length: 2'))
    connection.send('ok')
    expect(await connection.answer()).toMatchObject({ status: 200, body: '2' })
  })

  test('arrives whole where we are the ones who do not read', async () => {
    using connection = await openSocket(port)
    connection.send(post(`Content-Length: ${5 * MB}`, '/late'))
    connection.send(Buffer.alloc(5 * MB))
    expect(await connection.answer()).toMatchObject({ status: 200, body: String(5 * MB) })
  })

  test('arrives whole where it was not asked for before', async () => {
    using connection = await openSocket(port)
    connection.send(post('Content-Length: 2\r\nExpect: 100-continue', '/late'))
    expect(await connection.answer()).toMatchObject({ status: 100 })
    connection.send('ok')
    expect(await connection.answer()).toMatchObject({ status: 200, body: '2' })
  })
})

describe('a body that does not go on', () => {
  const endOf = async (send: (write: (bytes: string | Buffer) => void) => Disposable | undefined) => {
    using connection = await openSocket(port)
    const startedAt = performance.now()
    using _ = send(connection.send)
    const answer = await connection.answer()
    await connection.closed()
    expect(performance.now() - startedAt).toBePrompt(8 * REQUEST_MS)
    return answer
  }
  const told = {
    status: 408,
    headers: { connection: 'close' },
    body: expect.stringContaining('"RequestTimeout"'),
  }

  test('is cut when it stops in the middle', async () => {
    const answer = await endOf((write) => {
      write(post(`Content-Length: ${100 * MB}`))
      write(Buffer.alloc(3 * MB))
      return undefined
    })
    expect(answer).toMatchObject(told)
  })

  test.each([
    ['with a length', `Content-Length: ${100 * MB}`, 'abcdefghij'.repeat(100)],
    ['in chunks', 'Transfer-Encoding: chunked', '1\r\na\r\n'],
    ['below the size of an upload', 'Content-Length: 1000', 'a'],
  ])('is cut when it only drips: %s', async (_, framing, drop) => {
    const answer = await endOf((write) => {
      write(post(framing))
      const drip = setInterval(() => write(drop), 20)
      return { [Symbol.dispose]: () => clearInterval(drip) }
    })
    expect(answer).toMatchObject(told)
  })

  test('ends its connection where it was refused before it came', async () => {
    using connection = await openSocket(port)
    connection.send(post('Content-Length: 2\r\nExpect: something'))
    expect(await connection.answer()).toMatchObject({ status: 417 })
    await connection.closed()
  })

  test('is told to the handler like a client that leaves', async () => {
    const seen = once(server, 'request') as Promise<[IncomingMessage]>
    using connection = await openSocket(port)
    connection.send(post('Content-Length: 10'))
    const [request] = await seen
    await new Promise((resolve) => request.on('error', () => undefined).on('close', resolve))
    expect(request.complete).toBe(false)
  })
})
