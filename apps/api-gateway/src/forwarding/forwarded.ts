import type { Duplex } from 'node:stream'
import { bodyTooLarge, firstByteTimes, hasBody } from '@platform/http'
import type { Dispatcher } from 'undici'
import type { Exchange } from '../exchange.ts'
import type { ForwardDeps, Join } from './forward-deps.ts'
import { gatherBody } from './gather-body.ts'
import type { Instance, Waiting } from './instance.ts'
import type { CompiledRoute } from './match-route.ts'
import { mayRepeat } from './may-repeat.ts'
import { RelayedAnswer } from './relayed-answer.ts'
import { responseHeaders, type UpstreamHeaders } from './response-headers.ts'
import { choose } from './session-instance.ts'
import { Upload } from './upload.ts'
import { busy, clientGone, noteFailure, timedOut, toFailure, unreachable } from './upstream-failure.ts'
import { upstreamRequest } from './upstream-request.ts'

type Controller = Dispatcher.DispatchController

/** A body up to this size is passed on in one piece. */
const WHOLE_MAX_BYTES = 65_536
/** A request that was given no connection by then is refused: nothing of it was sent. */
const UNSENT_MAX_MS = 3000

/** One request on its way to a service and its answer on the way back; the handler undici calls. */
export class Forwarded implements Dispatcher.DispatchHandler, Waiting {
  waitingSince = 0
  readonly #exchange: Exchange
  readonly #deps: ForwardDeps
  readonly #route: CompiledRoute
  readonly #join: Join | undefined
  readonly #hasBody: boolean
  readonly #answer: RelayedAnswer
  #body: Upload | Buffer | null = null
  #instance: Instance | undefined
  /** Its place among those that wait for the instance; -1 while it does not. */
  #place = -1
  /** Set as soon as there is a connection to send on. */
  #controller: Controller | undefined
  #retried = false
  /** Nobody waits for the service any more: the client is gone, or was told that the time is over. */
  #isOver = false

  /** With `join` the service is asked to upgrade. */
  constructor(exchange: Exchange, route: CompiledRoute, deps: ForwardDeps, join?: Join) {
    this.#exchange = exchange
    this.#join = join
    this.#route = route
    this.#deps = deps
    this.#hasBody = hasBody(exchange.request)
    this.#answer = new RelayedAnswer(exchange)
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
    this.#answered(headers.connection)
    this.#deps.streams.begun(this.#exchange, headers)
    this.#answer.begin(status, headers, controller, this.#instance)
  }

  onRequestUpgrade(_controller: Controller, _status: number, headers: UpstreamHeaders, socket: Duplex): void {
    this.#answered(undefined)
    const list = responseHeaders(headers, this.#exchange.correlationId)
    this.#join?.(this.#exchange, list, socket, () => this.#release())
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#answer.pass(controller, chunk)
  }

  onResponseEnd(): void {
    this.#release()
    this.#answer.end()
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
    const instance = choose(instances, this.#route, this.#exchange.search, failed)
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
    if (!this.#route.stream) instance.outstanding += 1
    this.#place = instance.waiting.add(this)
    const upgrade = this.#join === undefined ? null : 'websocket'
    const tag = this.#route.affinity ? instance.tag : undefined
    const request = upstreamRequest(this.#exchange, { internalKey, body: this.#body, upgrade, tag })
    const pool = this.#route.stream ? instance.streams : instance.pool
    pool.dispatch(request, this)
  }

  /** An answer has begun. A service that is leaving says so with its answers: it is asked sooner than its turn. */
  #answered(connection: string | string[] | undefined): void {
    const instance = this.#instance
    if (instance === undefined) return
    this.#stopWaiting()
    firstByteTimes(this.#route.to).observe((Date.now() - this.waitingSince) / 1000)
    if (!instance.breaker.isCalm) instance.breaker.succeeded()
    if (connection === 'close') instance.probedAt = 0
  }

  #mayRetry(error: Error): boolean {
    const wasSent = this.#controller !== undefined
    if (this.#retried || !mayRepeat(this.#exchange, wasSent, this.#hasBody, error)) return false
    this.#retried = this.#deps.instances.budget(this.#route.to).spend()
    return this.#retried
  }

  #stopWaiting(): void {
    if (this.#place < 0) return
    this.#instance?.waiting.remove(this.#place)
    this.#place = -1
  }

  #release(): void {
    if (this.#instance === undefined) return
    if (!this.#route.stream) this.#instance.outstanding -= 1
    this.#stopWaiting()
    this.#answer.over()
    this.#instance = undefined
  }
}
