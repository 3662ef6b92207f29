import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { isInternalKey, readIdentity } from '@platform/auth'
import { headers as names } from '@platform/contracts'
import {
  correlationIdOf,
  isWebSocket,
  type Mount,
  refuseUpgrade,
  requestState,
  sendFailure,
} from '@platform/http'
import { Failure } from '@platform/kernel'
import { Server as SocketServer } from 'socket.io'
import {
  type Connection,
  type ConnectionLimits,
  connectionLimits,
  rememberCaller,
  SocketConnections,
} from './socket-connections.ts'

const PING_MS = 15_000
const LINGER_MS = 1000
const NO_TAG = '0'.repeat(12)

/** The part of engine.io that takes requests. */
interface Engine {
  clientsCount: number
  generateId: (request: IncomingMessage) => string
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): void
}

/** socket.io behind the front of the service: every request has shown the internal key before it comes here. */
export class SocketEndpoint {
  readonly io: SocketServer
  readonly connections: SocketConnections
  readonly #engine: Engine
  readonly #internalKey: Buffer
  readonly #upgraded = new Set<Duplex>()
  #isClosed = false

  constructor(internalKey: string, limits: ConnectionLimits = connectionLimits) {
    this.connections = new SocketConnections(limits)
    this.#internalKey = Buffer.from(internalKey)
    // It never listens: requests are handed over by the listener of the service.
    this.io = new SocketServer(createServer(), {
      serveClient: false,
      pingInterval: PING_MS,
      // Later than connections that follow nothing are ended: asked to leave, one that does not poll would stay for
      // long.
      connectTimeout: 2 * limits.newMs,
      maxHttpBufferSize: 1_000_000,
      cleanupEmptyChildNamespaces: true,
      httpCompression: false,
      destroyUpgrade: false,
      allowRequest: (_, done) => done(null, !this.#isClosed && this.#engine.clientsCount < limits.max),
    })
    this.#engine = this.io.engine as unknown as Engine
    this.io.engine.on('connection', (connection: Connection) => this.connections.add(connection))
    this.#engine.generateId = newId
  }

  get count(): number {
    return this.#engine.clientsCount
  }

  /** Polling, and the first request of most clients. */
  mount(): Mount {
    return {
      path: '/socket.io',
      listener: (request, response) => {
        const { principal, clientIp, correlationId, log } = requestState(request)
        if (this.#isClosed) {
          sendFailure(response, leaving(), log, correlationId)
          return
        }
        rememberCaller(request, { principal, ip: clientIp })
        try {
          this.#requireRoom(request)
        } catch (error) {
          sendFailure(response, error, log, correlationId)
          return
        }
        // engine.io learns from its `close` that a poll was given up; one that never had a stream has none of its own.
        if (request.closed) response.once('close', () => request.emit('close'))
        this.#engine.handleRequest(request, response)
      },
    }
  }

  /** Takes the WebSockets of the server; whatever else asks for one is refused. */
  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!isWebSocket(request)) return
      socket.on('error', () => socket.destroy())
      try {
        this.#admit(request)
      } catch (error) {
        const { headers } = request
        refuseUpgrade(socket, error, correlationIdOf(headers[names.correlationId], headers.traceparent))
        return
      }
      this.#upgraded.add(socket)
      socket.once('close', () => this.#upgraded.delete(socket))
      this.#engine.handleUpgrade(request, socket, head)
    })
  }

  /** Clients find their connection closed and open the next one elsewhere. */
  leave(): void {
    this.#isClosed = true
    this.#engine.close()
    setTimeout(() => {
      for (const socket of this.#upgraded) socket.destroy()
    }, LINGER_MS).unref()
  }

  #admit(request: IncomingMessage): void {
    const { headers, url = '' } = request
    if (!isInternalKey(headers[names.internalKey], this.#internalKey))
      throw new Failure(
        'AuthenticationError',
        'This address takes calls of the platform only: use the gateway.',
      )
    if (!/^\/socket\.io\/?\?/.test(url))
      throw new Failure('ObjectNotFoundError', 'There is no WebSocket at this address: use /socket.io/.')
    if (this.#isClosed) throw leaving()
    const ip = String(headers[names.clientIp] ?? '')
    rememberCaller(request, { principal: readIdentity(headers), ip })
    this.#requireRoom(request)
  }

  /** A request that names a connection opens none. */
  #requireRoom(request: IncomingMessage): void {
    if (!/[?&]sid=/.test(request.url ?? '')) this.connections.requireRoom(request)
  }
}

const leaving = () =>
  new Failure('ServiceUnavailable', 'This instance is leaving: connect again.', { retryAfterSeconds: 1 })

/** Begins with the instance that is to be asked further, where there are several. */
function newId({ headers }: IncomingMessage): string {
  const tag = headers[names.instance]
  return `${typeof tag === 'string' ? tag : NO_TAG}.${randomBytes(15).toString('base64url')}`
}
