import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate as untilRead } from 'node:timers/promises'
import { createHardenedServer, setConnectionsPerAddress } from '@platform/http'
import { SlotList } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { pause } from './pause.ts'
import type { ServiceParts } from './service.ts'
import type { Waiting } from './starting-report.ts'

const KEEP_ALIVE_MS = 80_000
const MAX_CONNECTIONS = 10_000
/** How often connections that have become idle are closed while the last requests finish. */
const SWEEP_MS = 50
/**
 * How long a connection on which nothing was ever sent is waited for: browsers open some ahead, and Node counts them
 * as busy.
 */
const SILENT_MS = 2000

/** So long no request has come: whoever sends them has noticed. */
const CALM_MS = 500

const place = Symbol('place')

/** An answer that knows where it stands among those that are not complete. */
type Watched = ServerResponse & { [place]?: number | undefined }

/** The listening server of a service. Who answers behind it can change while it listens. */
export class FrontDoor implements AsyncDisposable {
  readonly server: Server
  #listener: RequestListener
  #isLeaving = false
  #closed: Promise<void> | undefined
  readonly #answers = new SlotList<ServerResponse>()
  /** One function for all answers: it finds the place on the one it is called for. */
  readonly #forget = forgetIn(this.#answers)
  readonly #sockets = new Set<Socket>()
  /** What whoever answers while the service is built tells about it. */
  readonly waiting: Waiting
  readonly #patienceMs: number
  /** When the last request came of those that came after all; only counted while leaving. */
  #lastRequestAt = 0

  private constructor(listener: RequestListener, patienceMs: number, waiting: Waiting) {
    this.#listener = listener
    this.waiting = waiting
    this.#patienceMs = patienceMs
    this.server = createHardenedServer(
      (request, response) => {
        this.#watch(request, response)
        this.#listener(request, response)
      },
      { keepAliveTimeoutMs: KEEP_ALIVE_MS, maxConnections: MAX_CONNECTIONS },
    )
    this.server.on('connection', (socket: Socket) => {
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
  ): Promise<FrontDoor> {
    const door = new FrontDoor(listener, options.patienceMs, options.waiting)
    door.server.listen(address.port, address.host)
    await once(door.server, 'listening')
    // Too many open files, for example: the next connection may find its place again.
    door.server.on('error', (error) => options.log.error({ err: error }, 'a connection could not be taken'))
    return door
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** From now on requests go there. */
  handTo(
    listener: RequestListener,
    options: Partial<
      Pick<ServiceParts, 'keepAliveTimeoutMs' | 'maxConnections' | 'maxConnectionsPerAddress'>
    > = {},
  ): void {
    this.#listener = listener
    this.server.keepAliveTimeout = options.keepAliveTimeoutMs ?? KEEP_ALIVE_MS
    this.server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS
    setConnectionsPerAddress(this.server, options.maxConnectionsPerAddress ?? 0)
  }

  /** Still answers, but tells every client to open its next connection elsewhere. */
  leave(): void {
    this.#isLeaving = true
    for (const response of this.#answers) response.shouldKeepAlive = false
  }

  /**
   * Resolves when no request has come for half a second, and after `maxMs` at the latest: a load balancer that is
   * busy itself notices late that this process leaves. Requests of the platform's own about its state don't count.
   */
  async forsaken(maxMs: number): Promise<void> {
    const endsAt = performance.now() + maxMs
    for (let now = performance.now(); now < endsAt; now = performance.now()) {
      if (now - this.#lastRequestAt >= CALM_MS) return
      await pause(Math.min(CALM_MS - (now - this.#lastRequestAt), endsAt - now))
    }
  }

  /** Finishes requests in flight; what takes longer than the patience is cut. Idle connections are closed at once. */
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
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    this.server.closeIdleConnections()
    const sweep = setInterval(() => setImmediate(() => this.server.closeIdleConnections()), SWEEP_MS)
    const silent = setTimeout(() => this.#cutSilent(), SILENT_MS)
    const cut = setTimeout(() => this.server.closeAllConnections(), this.#patienceMs)
    await closed
    clearInterval(sweep)
    clearTimeout(silent)
    clearTimeout(cut)
  }

  #cutSilent(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  #watch({ url }: IncomingMessage, response: Watched): void {
    if (this.#isLeaving) {
      response.shouldKeepAlive = false
      if (url?.startsWith('/sys/') !== true) this.#lastRequestAt = performance.now()
    }
    response[place] = this.#answers.add(response)
    response.on('close', this.#forget)
  }
}

const forgetIn = (answers: SlotList<ServerResponse>) =>
  function forget(this: Watched): void {
    if (this[place] === undefined) return
    answers.remove(this[place])
    this[place] = undefined
  }
