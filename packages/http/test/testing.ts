import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { createLogger } from '@platform/logging'
import { createApp, createHardenedServer, type Mount, type Route, serviceListener } from '../src/index.ts'

export const INTERNAL_KEY = 'internal-key-of-the-tests-0123456789'

/** A server of routes as a service has it, on a free port, with the lines it logged. */
export async function startTestServer(
  routes: Route[],
  mounts: Mount[] = [],
  wrap = (next: RequestListener) => next,
) {
  const lines: Record<string, unknown>[] = []
  // Lines of requests come several at once.
  const write = (text: string) => {
    for (const line of text.trim().split('\n')) lines.push(JSON.parse(line))
  }
  const log = createLogger({ level: 'debug', destination: { write } }).child({ service: 'events' })
  const listener = serviceListener(
    { service: 'events', internalApiKey: INTERNAL_KEY, log },
    createApp(routes, mounts),
  )
  const server = createHardenedServer(wrap(listener), { keepAliveTimeoutMs: 5000, maxConnections: 1000 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    lines,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** What a well-behaved caller behind the gateway sends. */
export const credentials = { 'x-platform-internal-key': INTERNAL_KEY, 'x-platform-client-ip': '10.0.0.1' }

const headText = `Host: x\r\nX-Platform-Internal-Key: ${INTERNAL_KEY}\r\nX-Platform-Client-Ip: 10.0.0.1\r\n`

/** The bytes of a request with credentials; `headers` and `body` as they go over the wire. */
export const raw = (line: string, headers = '', body = ''): string =>
  `${line} HTTP/1.1\r\n${headText}${headers}\r\n${body}`

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** A socket that sends bytes as they are and reads the answers one after the other. */
export async function openSocket(port: number) {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  let isClosed = false
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  socket
    .on('error', () => {})
    .on('close', () => {
      isClosed = true
    })
  await once(socket, 'connect')

  const take = (): RawAnswer | undefined => {
    const read = readAnswer(received)
    if (read !== undefined) received = received.slice(read.length)
    return read?.answer
  }
  /** The next whole answer; undefined when the server closed instead. */
  const answer = async (timeoutMs = 5000): Promise<RawAnswer | undefined> => {
    const giveUpAt = Date.now() + timeoutMs
    for (;;) {
      const taken = take()
      if (taken !== undefined || isClosed) return taken
      if (Date.now() > giveUpAt) throw new Error(`No answer; so far: ${JSON.stringify(received)}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const closed = async () => {
    if (!isClosed) await once(socket, 'close')
  }
  return {
    socket,
    answer,
    closed,
    send: (bytes: string | Buffer) => void socket.write(bytes),
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

function readAnswer(text: string): { answer: RawAnswer; length: number } | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const length = end + 4 + Number(headers['content-length'] ?? 0)
  if (text.length < length) return undefined
  return {
    answer: { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4, length) },
    length,
  }
}
