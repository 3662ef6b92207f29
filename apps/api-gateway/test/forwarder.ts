import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { authenticationOf } from '@platform/auth'
import { createHardenedServer } from '@platform/http'
import { createLogger } from '@platform/logging'
import { TEST_INTERNAL_KEY } from '@platform/testing'
import { accounting } from '../src/accounting.ts'
import { Exchange } from '../src/exchange.ts'
import { forward } from '../src/forwarding/forwarded.ts'
import { openInstances } from '../src/forwarding/instances.ts'
import { OpenStreams } from '../src/forwarding/open-streams.ts'
import { compileRoutes, routeTable } from '../src/forwarding/route-table.ts'
import type { Resolve } from '../src/forwarding/upstream-instances.ts'
import { refuse as refuseWith } from '../src/pipeline.ts'

/** What a test changes of the forwarder. */
export interface ForwarderOptions {
  timeoutMs?: number
  resolve?: Resolve
  hasLinks?: boolean
}

/** Only the forwarding of the gateway, for whoever comes: no credential is needed, and no database. */
export async function startForwarder(services: string | readonly string[], options: ForwarderOptions = {}) {
  const origins = typeof services === 'string' ? [services] : services
  const instances = await openInstances(
    { workspaces: origins, runtime: origins, events: origins },
    {
      ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
      linkKey: options.hasLinks === true ? TEST_INTERNAL_KEY : undefined,
    },
  )
  const log = createLogger({ level: 'silent' })
  const refuse = refuseWith({ forgetCookie: () => undefined })
  const send = forward({
    instances,
    internalKey: TEST_INTERNAL_KEY,
    streams: new OpenStreams({ max: 1000, perCaller: 1000 }),
    refuse,
  })
  const matchRoute = compileRoutes(routeTable, options.timeoutMs ?? 60_000)
  const account = accounting(log, { count: 0 })
  const server = createHardenedServer(
    (request, response) => {
      const exchange = new Exchange(request, response, log)
      account(exchange)
      exchange.path = request.url ?? '/'
      exchange.correlationId = 'correlation-of-a-test'
      exchange.authentication = authenticationOf(
        { kind: 'internal' },
        { expiresAt: Number.POSITIVE_INFINITY, dependsOn: [] },
      )
      const route = matchRoute(exchange.path)
      if (route === undefined) return void response.writeHead(404).end()
      try {
        send(exchange, route)
      } catch (error) {
        refuse(exchange, error)
      }
    },
    { keepAliveTimeoutMs: 75_000, maxConnections: 1000 },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    instances,
    at: (path: string) => `http://127.0.0.1:${port}/v2/workspaces/w1/${path}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await instances[Symbol.asyncDispose]()
    },
  }
}

/** A service made of raw bytes. */
export interface RawUpstream extends AsyncDisposable {
  url: string
  port: number
  sockets: Set<Socket>
  /** Takes no new connections; those that are open stay. */
  close(): void
}

/** Starts one: `listener` gets each connection. */
export async function startRawUpstream(
  listener: (socket: Socket) => void,
  host = '127.0.0.1',
  atPort = 0,
): Promise<RawUpstream> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    listener(socket)
  })
  server.listen(atPort, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host}:${port}`,
    port,
    sockets,
    close: () => void server.close(),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      if (server.listening) server.close()
    },
  }
}

/** Answers every request on a connection with these bytes, as soon as its head is there. */
export const answering = (bytes: string) => (socket: Socket) => {
  socket.on('data', (chunk) => {
    if (chunk.toString('latin1').includes('HTTP/1.1\r\n')) socket.write(bytes)
  })
}

/** The path of the request a chunk begins with. */
export const targetOf = (chunk: Buffer): string => chunk.toString('latin1').split(' ')[1] ?? ''
