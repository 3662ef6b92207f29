import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** What a proxy was asked. */
export interface AskedProxy {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
}

/**
 * A proxy that forwards and makes tunnels, wherever it is asked for leads to the server at `port` of this machine. It
 * keeps what it was asked, and all bytes that went to the other side through it.
 */
export async function startProxy(port: number, { status = 200 } = {}) {
  const asked: AskedProxy[] = []
  const sockets = new Set<Socket>()
  const passed: Buffer[] = []
  const keep = ({ method = '', url = '', headers }: IncomingMessage) =>
    void asked.push({ method, url, headers })
  const server = createServer((incoming, response) => {
    keep(incoming)
    if (status !== 200) return void response.writeHead(status).end()
    const { method, headers } = incoming
    const path = new URL(incoming.url ?? '').pathname
    const outgoing = request({ host: '127.0.0.1', port, method, headers, path }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  server.on('connection', (socket) => void sockets.add(socket))
  server.on('connect', (incoming, socket: Socket) => {
    keep(incoming)
    socket.on('error', () => undefined)
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const outside = connect(port, '127.0.0.1')
    sockets.add(outside)
    outside.on('error', () => socket.destroy())
    outside.once('connect', () => socket.write('HTTP/1.1 200 Yes\r\n\r\n'))
    socket.on('data', (bytes: Buffer) => void passed.push(bytes))
    socket.pipe(outside).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    asked,
    passed: () => Buffer.concat(passed).toString('latin1'),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
