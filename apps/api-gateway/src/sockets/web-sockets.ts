import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isWebSocket } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Job } from '@platform/service'
import type { Exchange, Step } from '../exchange.ts'
import { endRevoked } from '../forwarding/end-revoked.ts'
import { type ForwardDeps, Forwarded, type Join } from '../forwarding/forwarded.ts'
import { OpenConnections, type OpenLimits } from '../forwarding/open-connections.ts'
import type { CompiledRoute } from '../forwarding/route-table.ts'
import { EarlyBytes } from './early-bytes.ts'
import { closeCodes, Tunnel } from './tunnel.ts'

/** Longest silence in both directions. A client that means to stay sends something every 15 s. */
const IDLE_MS = 90_000
const LINGER_MS = 500
/** 16 bytes in base64. */
const KEY = /^[A-Za-z0-9+/]{22}==$/

interface Deps {
  forward: ForwardDeps
  identify: Step
  allowedOrigins: readonly string[]
  limits: OpenLimits & { idleMs?: number }
}

interface Upgrade {
  socket: Socket
  /** What the client sent right behind its handshake. */
  head: Buffer
}

/**
 * WebSockets: each handshake goes through the same steps as any request and is refused as HTTP; what is let through
 * is joined to the service and ended when its credential ends.
 */
export class WebSockets {
  readonly #open: OpenConnections<Tunnel>
  readonly #deps: Deps
  readonly #origins: ReadonlySet<string>
  readonly #upgrades = new WeakMap<IncomingMessage, Upgrade>()
  #listener: RequestListener | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#origins = new Set(deps.allowedOrigins)
    this.#open = new OpenConnections('WebSocket', deps.limits)
  }

  /** How many are open. */
  get count(): number {
    return this.#open.count
  }

  /** Handshakes go there too. */
  through(listener: RequestListener): RequestListener {
    this.#listener = listener
    return listener
  }

  /** Gives every handshake a response that is written as HTTP, for as long as it is no WebSocket. */
  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, duplex, head: Buffer) => {
      if (!isWebSocket(request) || this.#listener === undefined) return
      const socket = duplex as Socket
      socket.on('error', () => socket.destroy())
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket)
      response.once('finish', () => this.#finish(response, socket))
      // For accounting this request is over, once.
      socket.once('close', () => response.writableFinished || response.emit('close'))
      this.#upgrades.set(request, { socket, head })
      this.#listener(request, response)
    })
  }

  /** True when the request was a handshake, and is dealt with. Throws what is wrong with it. */
  take(exchange: Exchange): boolean {
    const upgrade = this.#upgrades.get(exchange.request)
    if (upgrade === undefined) return false
    // The client left while it was identified: the room it takes would never be given back.
    if (upgrade.socket.destroyed) return true
    const route = requireHandshake(exchange)
    this.#requireOwnPage(exchange)
    const release = this.#open.take(exchange)
    upgrade.socket.once('close', release)
    const early = new EarlyBytes(upgrade.socket, upgrade.head)
    new Forwarded(exchange, route, this.#deps.forward, this.#join(upgrade.socket, early)).send()
    return true
  }

  /** A page of any site can open a socket with the cookie of its visitor, and set no header such as a CSRF token. */
  #requireOwnPage({ byCookie, request }: Exchange): void {
    if (!byCookie || this.#origins.has(request.headers.origin ?? '')) return
    throw new Failure('ForbiddenError', 'The page this WebSocket is opened by is not in the list of origins.')
  }

  readonly #join =
    (socket: Socket, early: EarlyBytes): Join =>
    (exchange, headers, service, done) => {
      if (socket.destroyed || this.#open.isClosed) {
        service.destroy()
        done()
        return
      }
      exchange.response.writeHead(101, [...headers, 'connection', 'Upgrade', 'upgrade', 'websocket'])
      exchange.response.end()
      const head = early.take()
      if (head.length > 0) service.write(head)
      const tunnel = new Tunnel(socket, service, this.#deps.limits.idleMs ?? IDLE_MS, () => {
        this.#open.delete(tunnel)
        done()
      })
      this.#open.add(tunnel, exchange)
    }

  /** A handshake whose response is anything but 101 is over, and so is its connection. */
  #finish(response: ServerResponse, socket: Socket): void {
    response.detachSocket(socket)
    response.emit('close')
    if (response.statusCode === 101) return
    socket.resume()
    socket.end()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }

  /** Ends sockets whose session, token or key has ended meanwhile. */
  job(): Job {
    return endRevoked('check-web-sockets', this.#open, this.#deps.identify, (tunnel) =>
      tunnel.end(closeCodes.policyViolation),
    )
  }

  /** The process is leaving: clients open their next socket elsewhere. */
  leave(): void {
    this.#open.isClosed = true
    for (const tunnel of this.#open.all()) tunnel.end(closeCodes.goingAway)
  }
}
/**
 * Throws unless the request is the opening handshake of a WebSocket (RFC 6455 4.1), to a line of the table that takes
 * one.
 */
function requireHandshake({ request, response, forwarding }: Exchange): CompiledRoute {
  if (forwarding?.upgrade !== 'websocket')
    throw invalid('Nothing can be upgraded here: send the request without the header upgrade.')
  const { headers, method } = request
  if (
    method !== 'GET' ||
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > 0
  )
    throw invalid('A WebSocket is opened by GET without a body.')
  if (headers['sec-websocket-version'] !== '13') {
    response.setHeader('sec-websocket-version', '13')
    throw invalid('Only version 13 of WebSocket is known.')
  }
  if (!KEY.test(headers['sec-websocket-key'] ?? ''))
    throw invalid('The header sec-websocket-key must be 16 bytes in base64.')
  return forwarding
}

const invalid = (message: string) => new Failure('RequestValidationError', message)
