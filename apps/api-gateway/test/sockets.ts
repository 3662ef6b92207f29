import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/**
 * A server of WebSockets that sends back what it gets, byte for byte behind the frame's header, and remembers who
 * came.
 */
export async function startSocketService() {
  const handshakes: IncomingMessage[] = []
  const sockets = new Set<Duplex>()
  const state = { refuse: '', isSilent: false, greeting: Buffer.alloc(0) as Buffer }
  const server = createServer((_, response) => void response.writeHead(404).end('no upgrade came'))
  server.on('upgrade', (request, socket) => {
    handshakes.push(request)
    sockets.add(socket)
    socket.on('error', () => undefined).on('end', () => socket.end())
    socket.on('close', () => sockets.delete(socket))
    if (state.isSilent) return
    if (state.refuse !== '') return void socket.end(state.refuse)
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}${GUID}`)
      .digest('base64')
    const protocol = request.headers['sec-websocket-protocol']
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n' +
        `x-platform-internal-key: never\r\nsec-websocket-accept: ${accept}\r\n` +
        `${protocol === undefined ? '' : `sec-websocket-protocol: ${protocol}\r\n`}\r\n`,
    )
    if (state.greeting.length > 0) socket.write(state.greeting)
    socket.on('data', (chunk: Buffer) => socket.write(serverFrame(unmasked(chunk))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(state, {
    handshakes,
    sockets,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

/** A frame of text as a server sends it. */
export const serverFrame = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)])

/** A frame of text as a client sends it. */
export function clientFrame(text: string): Buffer {
  const mask = randomBytes(4)
  const payload = Buffer.from(text).map((byte, index) => byte ^ (mask[index % 4] ?? 0))
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length]), mask, payload])
}

function unmasked(frame: Buffer): string {
  const mask = frame.subarray(2, 6)
  return frame
    .subarray(6)
    .map((byte, index) => byte ^ (mask[index % 4] ?? 0))
    .toString()
}

/** The lines of a handshake; `headers` are put behind those every handshake has. */
export const handshake = (path: string, headers: Record<string, string> = {}): string =>
  [
    `GET ${path} HTTP/1.1`,
    ...Object.entries({
      host: 'localhost',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')

/** A client that sends bytes and collects what comes. */
export function openClient(url: string, bytes: string) {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1')
  let all = Buffer.alloc(0)
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    all = Buffer.concat([all, chunk])
  })
  socket.write(bytes)
  const end = () => all.indexOf('\r\n\r\n')
  return {
    socket,
    /** The status of the answer; 0 while there is none. */
    status: () => Number(/^HTTP\/1\.1 (\d{3})/.exec(all.toString('latin1'))?.[1] ?? 0),
    head: () => (end() < 0 ? '' : all.subarray(0, end()).toString('latin1')),
    body: () => (end() < 0 ? Buffer.alloc(0) : all.subarray(end() + 4)),
    [Symbol.dispose]: () => void socket.destroy(),
  }
}
