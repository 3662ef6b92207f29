import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate as untilRead } from 'node:timers/promises'
import { acceptLinks, createHardenedServer, type ServedLinks, setConnectionsPerAddress } from '@platform/http'
import { SlotList } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { pause } from './pause.ts'
import type { Waiting } from './retry-until-available.ts'
import type { ServiceParts } from './service.ts'

const KEEP_ALIVE_MS = 80_000
const MAX_CONNECTIONS = 10_000
/** How often connections that have become idle are closed while the last requests finish. */
const SWEEP_MS = 50
/**
 * How long a connection without a single byte is waited for: browsers open some ahead, and Node counts them as busy.
 */
const SILENT_MS = 2000

/** After so long without a request, clients and load balancers have noticed that the process leaves. */
const QUIET_MS = 500

const slot = Symbol('slot')

/** A response that knows its slot among those that are not complete. */
type Watched = ServerResponse & { [slot]?: number | undefined }

/** The listening server of a service. The listener behind it can change while it listens. */
export class HttpServer implements AsyncDisposable {
  readonly http: Server
  #listener: RequestListener
  #isLeaving = false
  #closed: Promise<void> | undefined
  readonly #responses = new SlotList<ServerResponse>()
  /** One function for all responses: it finds the slot on the one it is called for. */
  readonly #forget = forgetIn(this.#responses)
  readonly #sockets = new Set<Socket>()
  /** What the service waits for while it is built; shown by the listener of that time. */
  readonly waiting: Waiting
  readonly #patienceMs: number
  /** When the last request came; only noted while leaving. */
  #lastRequestAt = 0
  #links: ServedLinks | undefined

  private constructor(listener: RequestListener, patienceMs: number, waiting: Waiting) {
    this.#listener = listener
    this.waiting = waiting
    this.#patienceMs = patienceMs
    this.http = createHardenedServer(this.#receive, {
      keepAliveTimeoutMs: KEEP_ALIVE_MS,
      maxConnections: MAX_CONNECTIONS,
    })
    this.http.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  /**
   * Listens at once. `patienceMs` is how long closing waits for the last requests. Rejects with the error of
   * `listen`.
   */
  static async open(
    address: { port: number; host: string },
    listener: RequestListener,
    options: { patienceMs: number; log: Logger; waiting: Waiting },
  ): Promise<HttpServer> {
    const server = new HttpServer(listener, options.patienceMs, options.waiting)
    server.http.listen(address.port, address.host)
    await once(server.http, 'listening')
    // Too many open files, for example: the next connection may be taken again.
    server.http.on('error', (error) => options.log.error({ err: error }, 'a connection could not be taken'))
    return server
  }

  get port(): number {
    return (this.http.address() as AddressInfo).port
  }

  /** From now on requests go there. */
  handTo(
    listener: RequestListener,
    options: Partial<
      Pick<ServiceParts, 'keepAliveTimeoutMs' | 'maxConnections' | 'maxConnectionsPerAddress'>
    > = {},
  ): void {
    this.#listener = listener
    this.http.keepAliveTimeout = options.keepAliveTimeoutMs ?? KEEP_ALIVE_MS
    this.http.maxConnections = options.maxConnections ?? MAX_CONNECTIONS
    setConnectionsPerAddress(this.http, options.maxConnectionsPerAddress ?? 0)
  }

  /** From now on who has the internal key may send requests over links, too. */
  takeLinks(internalApiKey: string): void {
    this.#links = acceptLinks(this.http, internalApiKey, this.#receive)
  }

  /** Still answers, but asks every client to open its next connection elsewhere. */
  leave(): void {
    this.#isLeaving = true
    for (const response of this.#responses) response.shouldKeepAlive = false
    this.#links?.leave()
  }

  /**
   * Resolves when no request has come for half a second, and after `maxMs` at the latest: a load balancer that is
   * busy itself notices late that this process leaves. Requests of the platform's own about its state don't count.
   */
  async untilAbandoned(maxMs: number): Promise<void> {
    const endsAt = performance.now() + maxMs
    for (let now = performance.now(); now < endsAt; now = performance.now()) {
      if (now - this.#lastRequestAt >= QUIET_MS) return
      await pause(Math.min(QUIET_MS - (now - this.#lastRequestAt), endsAt - now))
    }
  }

  /** Closes idle connections at once and finishes requests in flight; what takes longer than `patienceMs` is cut. */
  [Symbol.asyncDispose](): Promise<void> {
    this.leave()
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    // A timer that fires late comes before what was sent meanwhile is read, and a connection with an unread request
    // looks idle: one round takes the connections that wait, the next reads what came on them.
    await untilRead()
    await untilRead()
    const closed = new Promise<void>((resolve) => this.http.close(() => resolve()))
    this.http.closeIdleConnections()
    const sweep = setInterval(() => setImmediate(() => this.http.closeIdleConnections()), SWEEP_MS)
    const silent = setTimeout(() => this.#cutSilent(), SILENT_MS)
    const cut = setTimeout(() => this.#cut(), this.#patienceMs)
    await closed
    clearInterval(sweep)
    clearTimeout(silent)
    clearTimeout(cut)
  }

  readonly #receive: RequestListener = (request, response) => {
    this.#watch(request, response)
    this.#listener(request, response)
  }

  #cut(): void {
    this.http.closeAllConnections()
    this.#links?.cut()
  }

  #cutSilent(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  #watch({ url }: IncomingMessage, response: Watched): void {
    if (this.#isLeaving) {
      response.shouldKeepAlive = false
      if (url?.startsWith('/sys/') !== true) this.#lastRequestAt = performance.now()
    }
    response[slot] = this.#responses.add(response)
    response.on('close', this.#forget)
  }
}

const forgetIn = (responses: SlotList<ServerResponse>) =>
  function forget(this: Watched): void {
    if (this[slot] === undefined) return
    responses.remove(this[slot])
    this[slot] = undefined
  }
