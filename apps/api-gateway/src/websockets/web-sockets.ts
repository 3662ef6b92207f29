import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isWebSocket } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Job } from '@platform/service'
import type { Exchange } from '../exchange.ts'
import type { ForwardDeps, Join } from '../forwarding/forward-deps.ts'
import { Forwarded } from '../forwarding/forwarded.ts'
import type { Step } from '../pipeline.ts'
import { EarlyBytes } from './early-bytes.ts'
import { endRevoked, ROUND_PAUSE_MS } from './end-revoked.ts'
import { OpenSockets, type SocketLimits } from './open-sockets.ts'
import { requireHandshake } from './require-handshake.ts'
import { closeCodes, Tunnel } from './tunnel.ts'

/** Longest silence in both directions. Whoever means to stay says so every 15 s (reference: live stream). */
const IDLE_MS = 90_000
const LINGER_MS = 500

interface Deps {
  forward: ForwardDeps
  identify: Step
  allowedOrigins: readonly string[]
  limits: SocketLimits & { idleMs?: number }
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
  readonly open: OpenSockets
  readonly #deps: Deps
  readonly #origins: ReadonlySet<string>
  readonly #upgrades = new WeakMap<IncomingMessage, Upgrade>()
  #listener: RequestListener | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#origins = new Set(deps.allowedOrigins)
    this.open = new OpenSockets(deps.limits)
  }

  /** Handshakes go there too. */
  through(listener: RequestListener): RequestListener {
    this.#listener = listener
    return listener
  }

  /** Gives every handshake an answer that is written as HTTP, for as long as it is no WebSocket. */
  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, duplex, head: Buffer) => {
      if (!isWebSocket(request) || this.#listener === undefined) return
      const socket = duplex as Socket
      socket.on('error', () => socket.destroy())
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket)
      response.once('finish', () => this.#finish(response, socket))
      // Whoever accounts for requests hears once that this one is over.
      socket.once('close', () => response.writableFinished || response.emit('close'))
      this.#upgrades.set(request, { socket, head })
      this.#listener(request, response)
    })
  }

  /** True when the request was a handshake, and is dealt with. Throws what is wrong with it. */
  take(exchange: Exchange): boolean {
    const upgrade = this.#upgrades.get(exchange.request)
    if (upgrade === undefined) return false
    // The client left while it was asked who it is: its place would never be given back.
    if (upgrade.socket.destroyed) return true
    const route = requireHandshake(exchange)
    this.#requireOwnPage(exchange)
    const release = this.open.take(exchange)
    upgrade.socket.once('close', release)
    const early = new EarlyBytes(upgrade.socket, upgrade.head)
    new Forwarded(exchange, route, this.#deps.forward, this.#join(upgrade.socket, early)).send()
    return true
  }

  /** A page of somebody else can open a socket with the cookie of its visitor, and no header it could be asked for. */
  #requireOwnPage({ byCookie, request }: Exchange): void {
    if (!byCookie || this.#origins.has(request.headers.origin ?? '')) return
    throw new Failure('ForbiddenError', 'The page this WebSocket is opened by is not in the list of origins.')
  }

  readonly #join =
    (socket: Socket, early: EarlyBytes): Join =>
    (exchange, headers, service, done) => {
      if (socket.destroyed || this.open.isClosed) {
        service.destroy()
        done()
        return
      }
      exchange.response.writeHead(101, [...headers, 'connection', 'Upgrade', 'upgrade', 'websocket'])
      exchange.response.end()
      const head = early.take()
      if (head.length > 0) service.write(head)
      const tunnel = new Tunnel(socket, service, this.#deps.limits.idleMs ?? IDLE_MS, () => {
        this.open.ended(tunnel)
        done()
      })
      this.open.opened(tunnel, exchange)
    }

  /** A handshake that was answered by anything but 101 is over, and so is its connection. */
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
    return {
      name: 'check-web-sockets',
      everyMs: ROUND_PAUSE_MS,
      run: (signal) =>
        endRevoked(
          this.open.tunnels,
          this.#deps.identify,
          (tunnel) => tunnel.end(closeCodes.policyViolation),
          signal,
        ),
    }
  }

  /** The process is leaving: clients open their next socket elsewhere. */
  leave(): void {
    this.open.isClosed = true
    for (const tunnel of this.open.tunnels.all()) tunnel.end(closeCodes.goingAway)
  }
}
