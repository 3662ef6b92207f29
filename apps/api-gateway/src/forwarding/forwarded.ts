import type { Duplex } from 'node:stream'
import { headers as names } from '@platform/contracts'
import { bodyTooLarge, firstByteTimes, hasBody } from '@platform/http'
import type { Dispatcher } from 'undici'
import type { Exchange } from '../exchange.ts'
import { requestHeaders, responseHeaders, type UpstreamHeaders } from './forwarded-headers.ts'
import type { Instance, Waiting } from './instance.ts'
import type { Instances } from './instances.ts'
import { isStream, type OpenStreams } from './open-streams.ts'
import { RelayedResponse } from './relayed-response.ts'
import type { CompiledRoute } from './route-table.ts'
import { gatherBody, Upload } from './upload.ts'
import {
  busy,
  clientGone,
  mayRepeat,
  noteFailure,
  timedOut,
  toFailure,
  unreachable,
} from './upstream-failure.ts'

/** What forwarding needs. */
export interface ForwardDeps {
  instances: Instances
  internalKey: string
  /** Lists each response that begins and may have no end. */
  streams: OpenStreams
  /** Responds to the client when no service could. */
  refuse: (exchange: Exchange, error: unknown) => void
}

/** Takes both ends of a connection that is no HTTP any more; `done` is to be called when it has ended. */
export type Join = (exchange: Exchange, headers: string[], socket: Duplex, done: () => void) => void

/** Sends a request to the service its line names and streams the response back. Bodies are never parsed. */
export const forward =
  (deps: ForwardDeps) =>
  (exchange: Exchange, route: CompiledRoute): void => {
    // The client left while it was asked who it is: nothing would ever end what is begun for it now.
    if (exchange.response.destroyed) return
    if (route.stream) exchange.response.once('close', deps.streams.take(exchange))
    new Forwarded(exchange, route, deps).send()
  }

type Controller = Dispatcher.DispatchController

/** A body up to this size is passed on in one piece. */
const WHOLE_MAX_BYTES = 65_536
/** A request that was given no connection by then is refused: nothing of it was sent. */
const UNSENT_MAX_MS = 3000

/** One request on its way to a service and the response on its way back; the handler undici calls. */
export class Forwarded implements Dispatcher.DispatchHandler, Waiting {
  waitingSince = 0
  readonly #exchange: Exchange
  readonly #deps: ForwardDeps
  readonly #route: CompiledRoute
  readonly #join: Join | undefined
  readonly #hasBody: boolean
  readonly #relayed: RelayedResponse
  #body: Upload | Buffer | null = null
  #instance: Instance | undefined
  /** Its slot in the list of those that wait for the instance; -1 while it does not. */
  #slot = -1
  /** Set as soon as there is a connection to send on. */
  #controller: Controller | undefined
  #retried = false
  /** True while it is one of the requests that the instance has to respond to. */
  #isCounted = false
  /** The service is not waited for any more: its client is gone, or has its error already. */
  #isOver = false

  /** With `join` the service is asked to upgrade. */
  constructor(exchange: Exchange, route: CompiledRoute, deps: ForwardDeps, join?: Join) {
    this.#exchange = exchange
    this.#join = join
    this.#route = route
    this.#deps = deps
    this.#hasBody = hasBody(exchange.request)
    this.#relayed = new RelayedResponse(exchange)
    exchange.onAbandoned = this
  }

  send(): void {
    const { request } = this.#exchange
    const length = Number(request.headers['content-length'] ?? -1)
    if (length > this.#route.bodyLimitBytes) throw bodyTooLarge(this.#route.bodyLimitBytes)
    if (length > 0 && length <= WHOLE_MAX_BYTES) {
      gatherBody(request, (body) => {
        this.#body = body
        this.#dispatch(undefined)
      })
      return
    }
    this.#dispatch(undefined)
  }

  get timeoutMs(): number {
    return Math.min(this.#route.timeoutMs, this.#controller === undefined ? UNSENT_MAX_MS : Infinity)
  }

  abandon(): void {
    this.#isOver = true
    this.#controller?.abort(clientGone)
  }

  expire(): void {
    if (this.#body instanceof Upload && this.#body.goesOn(this.waitingSince)) {
      this.waitingSince = Date.now()
      return
    }
    this.#stopWaiting()
    this.#isOver = true
    const failure = this.#controller === undefined ? busy() : timedOut()
    this.#controller?.abort(failure)
    this.#deps.refuse(this.#exchange, failure)
  }

  disconnect(): void {
    this.#controller?.abort(unreachable())
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(clientGone)
  }

  onBodySent(): void {
    if (this.#body instanceof Upload) this.waitingSince = Date.now()
  }

  onResponseStart(controller: Controller, status: number, headers: UpstreamHeaders): void {
    if (status < 200 || this.#isOver) return
    this.#responded(headers.connection)
    if (this.#route.stream) this.#deps.streams.begun(this.#exchange, headers)
    else if (this.#route.mayStream && isStream(headers['content-type'])) this.#discount()
    this.#relayed.begin(status, headers, controller, this.#instance)
  }

  onRequestUpgrade(_controller: Controller, _status: number, headers: UpstreamHeaders, socket: Duplex): void {
    this.#responded(undefined)
    const list = responseHeaders(headers, this.#exchange.correlationId)
    this.#join?.(this.#exchange, list, socket, () => this.#release())
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#relayed.pass(controller, chunk)
  }

  onResponseEnd(): void {
    this.#release()
    this.#relayed.end()
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    const instance = this.#instance
    this.#release()
    const { response } = this.#exchange
    if (response.headersSent) {
      // The status is out already: cutting the connection is the only honest way to say that the rest is missing.
      if (!this.#isOver) response.destroy()
      return
    }
    if (instance !== undefined) noteFailure(instance, error, this.#controller === undefined, this.#isOver)
    if (this.#isOver) return
    if (this.#mayRetry(error)) this.#dispatch(instance)
    else this.#deps.refuse(this.#exchange, toFailure(error))
  }

  #dispatch(failed: Instance | undefined): void {
    const { instances, internalKey, refuse } = this.#deps
    const instance = instances.choose(this.#route, this.#exchange.search, failed)
    if (instance === undefined) {
      refuse(this.#exchange, busy())
      return
    }
    this.waitingSince = Date.now()
    if (failed === undefined) {
      instances.budget(this.#route.to).earn()
      // A body that was read before leaves the service no less time than we wait.
      this.#exchange.deadlineAt = this.waitingSince + this.#route.timeoutMs
    }
    if (this.#hasBody && !(this.#body instanceof Buffer))
      this.#body = new Upload(this.#exchange.request, this.#route.bodyLimitBytes)
    this.#instance = instance
    this.#exchange.upstream = instance.origin
    this.#controller = undefined
    // What has no end is bounded by connections of its own: counted, it would make the instance refuse everybody else.
    if (!this.#route.stream) {
      instance.outstanding += 1
      this.#isCounted = true
    }
    this.#slot = instance.waiting.add(this)
    const headers = requestHeaders(this.#exchange, internalKey)
    if (this.#route.affinity) headers.push(names.instance, instance.tag)
    if (this.#sendByLink(instance, headers)) return
    const pool = this.#route.stream || this.#route.mayStream ? instance.streams : instance.pool
    pool.dispatch(
      {
        path: this.#exchange.path + this.#exchange.search,
        method: this.#exchange.request.method as Dispatcher.HttpMethod,
        headers,
        body: this.#body,
        // Otherwise undici closes the connection after each HEAD.
        reset: false,
        upgrade: this.#join === undefined ? null : 'websocket',
      },
      this,
    )
  }

  /** What is small, comes to an end and stays HTTP goes over the link of the instance, where it has one open. */
  #sendByLink({ link }: Instance, headers: readonly string[]): boolean {
    const { request, path, search } = this.#exchange
    const body = this.#body
    if (link === undefined || this.#route.stream || this.#join !== undefined || body instanceof Upload)
      return false
    return link.dispatch(
      { method: request.method ?? '', target: path + search, headers, body: body ?? undefined },
      this,
    )
  }

  /** A response has begun. A service that is leaving says so in its responses: it is probed before its turn. */
  #responded(connection: string | string[] | undefined): void {
    const instance = this.#instance
    if (instance === undefined) return
    this.#stopWaiting()
    firstByteTimes(this.#route.to).observe((Date.now() - this.waitingSince) / 1000)
    if (!instance.breaker.isHealthy) instance.breaker.succeeded()
    if (connection === 'close') instance.probedAt = 0
  }

  #mayRetry(error: Error): boolean {
    const wasSent = this.#controller !== undefined
    if (this.#retried || !mayRepeat(this.#exchange, wasSent, this.#hasBody, error)) return false
    this.#retried = this.#deps.instances.budget(this.#route.to).spend()
    return this.#retried
  }

  #stopWaiting(): void {
    if (this.#slot < 0) return
    this.#instance?.waiting.remove(this.#slot)
    this.#slot = -1
  }

  /** It is no longer among what the instance has to respond to. */
  #discount(): void {
    if (this.#isCounted && this.#instance !== undefined) this.#instance.outstanding -= 1
    this.#isCounted = false
  }

  #release(): void {
    if (this.#instance === undefined) return
    this.#discount()
    this.#stopWaiting()
    this.#relayed.over()
    this.#instance = undefined
  }
}
