import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { headers as names } from '@platform/contracts'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createHardenedServer } from '../server.ts'
import { FrameWriter, frameKinds, LINK_PROTOCOL, readFrames, requestText, WINDOW_BYTES } from './frames.ts'
import { acceptLinks } from './served-link.ts'

const KEY = 'internal-key-of-the-tests-0123456789'

/** A server of ours with links, and what a gateway would do with one of them. */
async function startLinked(listener: RequestListener) {
  const server = createHardenedServer(listener, { keepAliveTimeoutMs: 1000, maxConnections: 10 })
  const links = acceptLinks(server, KEY, listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => {
    links.cut()
    server.closeAllConnections()
    server.close()
  })
  return { links, port }
}

async function open(port: number, key = KEY) {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  const lines = [
    'host: x',
    'connection: Upgrade',
    `upgrade: ${LINK_PROTOCOL}`,
    `${names.internalKey}: ${key}`,
  ]
  socket.write(`GET /sys/link HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  const [first] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean]
  const frames: { kind: number; call: number; bytes: string }[] = []
  readFrames(socket, Buffer.alloc(0), (kind, call, _, bytes) => {
    frames.push({ kind, call, bytes: bytes.toString('latin1') })
  })
  const writer = new FrameWriter(socket)
  const ask = (call: number, target = '/', body = '') =>
    writer.send(frameKinds.request, call, requestText('POST', target, ['host', 'x']), Buffer.from(body))
  const of = (call: number) => frames.filter((frame) => frame.call === call)
  return { socket, writer, frames, ask, of, switched: first instanceof Buffer && first.includes('101') }
}

describe('a link to a service', () => {
  test('is for who has the internal key', async () => {
    const { port } = await startLinked((_, response) => response.end())
    expect((await open(port, 'another-key-0123456789-0123456789')).switched).toBe(false)
    expect((await open(port)).switched).toBe(true)
  })

  test('is none on a server that takes none: the offer is ignored', async () => {
    const server = createServer()
    server.on('request', (_, response) => response.writeHead(404).end())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    expect((await open((server.address() as AddressInfo).port)).switched).toBe(false)
  })

  test('answers in the order in which answers are there', async () => {
    const waiting: ServerResponse[] = []
    const { port } = await startLinked((request, response) => {
      if (request.url === '/later') waiting.push(response)
      else response.end('now')
    })
    const { ask, of } = await open(port)
    ask(1, '/later')
    ask(2, '/now')
    await vi.waitFor(() => expect(of(2).at(-1)?.kind).toBe(frameKinds.end))
    expect(of(2)[0]?.bytes).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nnow$/s)
    expect(of(1)).toEqual([])
    waiting[0]?.end('later')
    await vi.waitFor(() => expect(of(1).map(({ kind }) => kind)).toEqual([frameKinds.data, frameKinds.end]))
  })

  test('brings bodies whole, and no answer is chunked', async () => {
    const { port } = await startLinked((request, response) => {
      response.write('> ')
      request.pipe(response)
    })
    const { ask, of } = await open(port)
    ask(1, '/', 'x'.repeat(60_000))
    await vi.waitFor(() => expect(of(1).at(-1)?.kind).toBe(frameKinds.end))
    const answer = of(1)
      .map(({ bytes }) => bytes)
      .join('')
    expect(answer.split('\r\n\r\n')[1]).toBe(`> ${'x'.repeat(60_000)}`)
    expect(answer).not.toMatch(/transfer-encoding/i)
  })

  test('tells the service when nobody waits any more, and the gateway when an answer breaks off', async () => {
    const gone = vi.fn()
    const { port } = await startLinked((request, response) => {
      response.on('close', () => gone(request.url, response.writableFinished))
      if (request.url === '/broken') {
        response.writeHead(200)
        response.write('half')
        setTimeout(() => response.destroy(new Error('no more')), 20)
      }
    })
    const { ask, of, writer } = await open(port)
    ask(1, '/waits')
    ask(2, '/broken')
    await vi.waitFor(() => expect(of(2).at(-1)?.kind).toBe(frameKinds.broken))
    writer.send(frameKinds.abort, 1)
    await vi.waitFor(() => expect(gone.mock.calls).toContainEqual(['/waits', false]))
    expect(of(1)).toEqual([])
  })

  test('sends no more of an answer than is taken', async () => {
    const { port } = await startLinked((_, response) => {
      response.removeHeader('date')
      response.end(Buffer.alloc(4 * WINDOW_BYTES, 'x'))
    })
    const { ask, of, writer } = await open(port)
    const received = () => of(1).reduce((sum, { bytes }) => sum + bytes.length, 0)
    ask(1)
    await vi.waitFor(() => expect(received()).toBe(WINDOW_BYTES))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(received()).toBe(WINDOW_BYTES)
    writer.send(frameKinds.taken, 1, String(4 * WINDOW_BYTES))
    await vi.waitFor(() => expect(of(1).at(-1)?.kind).toBe(frameKinds.end))
    expect(received()).toBeGreaterThan(4 * WINDOW_BYTES)
  })

  test('ends when the service leaves and the last answer is there', async () => {
    const waiting: ServerResponse[] = []
    const { links, port } = await startLinked((_, response) => void waiting.push(response))
    const { ask, of, frames, writer, socket } = await open(port)
    ask(1)
    await vi.waitFor(() => expect(waiting.length).toBe(1))
    links.leave()
    await vi.waitFor(() => expect(frames.at(-1)?.kind).toBe(frameKinds.goodbye))
    // Sent before the word came: it is answered as well.
    ask(2)
    writer.end()
    await vi.waitFor(() => expect(waiting.length).toBe(2))
    for (const response of waiting) response.end('done')
    await once(socket, 'close')
    expect([of(1).at(-1)?.kind, of(2).at(-1)?.kind]).toEqual([frameKinds.end, frameKinds.end])
  })

  test('is cut when what comes is no frame', async () => {
    const { port } = await startLinked((_, response) => response.end())
    const { socket } = await open(port)
    socket.write(Buffer.alloc(64, 0xff))
    await once(socket, 'close')
  })
})
