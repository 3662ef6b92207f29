import type { IncomingMessage } from 'node:http'
import { hasBody } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Dispatcher } from 'undici'
import type { Exchange } from '../exchange.ts'
import { gatherBody } from './gather-body.ts'
import type { Instance, Instances } from './instances.ts'
import { requestHeaders } from './request-headers.ts'
import { responseHeaders } from './response-headers.ts'
import { isConnectFailure, isConnectionLost, toFailure } from './upstream-failure.ts'

type Controller = Dispatcher.DispatchController

/** What forwarding needs. */
export interface ForwardDeps {
  instances: Instances
  internalKey: string
  /** Answers the client when no service could. */
  refuse: (exchange: Exchange, error: unknown) => void
}

/** The raw header list undici keeps beside its parsed one. */
type WithRawHeaders = Controller & { rawHeaders: Buffer[] }

/** A body up to this size is passed on in one piece. */
const WHOLE_MAX_BYTES = 65_536

/** One request on its way to a service and its answer on the way back; the handler undici calls. */
export class Forwarded implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange
  readonly #deps: ForwardDeps
  readonly #bodyLimit: number
  readonly #hasBody: boolean
  #body: IncomingMessage | Buffer | null = null
  #instance: Instance | undefined
  #controller: Controller | undefined
  #resume: (() => void) | undefined
  #bodySent = 0
  /** Bytes of the answer's body; -1 when the service did not say. */
  #length = -1
  #failure: Failure | undefined
  #retried = false
  #abandoned = false

  constructor(exchange: Exchange, deps: ForwardDeps) {
    this.#exchange = exchange
    this.#deps = deps
    this.#bodyLimit = exchange.forwarding?.bodyLimitBytes ?? 0
    this.#hasBody = hasBody(exchange.request)
    exchange.onAbandoned = this
  }

  send(): void {
    const { request } = this.#exchange
    const length = Number(request.headers['content-length'] ?? -1)
    if (length > this.#bodyLimit) throw tooLarge(this.#bodyLimit)
    if (length > 0 && length <= WHOLE_MAX_BYTES) {
      gatherBody(request, (body) => {
        this.#body = body
        this.#dispatch(undefined)
      })
      return
    }
    if (this.#hasBody) this.#body = request
    this.#dispatch(undefined)
  }

  /** The client is gone: nobody waits for the service any more. */
  abandon(): void {
    this.#abandoned = true
    this.#controller?.abort(new Failure('RequestTimeout', 'The client is gone.'))
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#abandoned) controller.abort(new Failure('RequestTimeout', 'The client is gone.'))
  }

  /** Counted while it streams: a length was checked before, a chunked body has none. */
  onBodySent(chunk: Uint8Array): void {
    this.#bodySent += chunk.length
    if (this.#bodySent <= this.#bodyLimit) return
    this.#failure = tooLarge(this.#bodyLimit)
    this.#controller?.abort(this.#failure)
  }

  onResponseStart(
    controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return
    const { response, correlationId } = this.#exchange
    const connection = typeof headers.connection === 'string' ? headers.connection : undefined
    this.#length = Number(headers['content-length'] ?? -1)
    response.writeHead(
      status,
      responseHeaders((controller as WithRawHeaders).rawHeaders, connection, correlationId),
    )
    // The first event may be long in coming, and a client waits for the headers.
    if (this.#length < 0) response.flushHeaders()
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    const { response } = this.#exchange
    if (chunk.length === this.#length && chunk.length <= WHOLE_MAX_BYTES) {
      // As a string it leaves together with the headers in one write, which is half the cost of two.
      response.end(chunk.toString('latin1'), 'latin1')
      return
    }
    if (response.write(chunk)) return
    controller.pause()
    this.#resume ??= () => this.#controller?.resume()
    response.once('drain', this.#resume)
  }

  onResponseEnd(): void {
    this.#release()
    const { response } = this.#exchange
    if (!response.writableEnded) response.end()
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    this.#release()
    const { response } = this.#exchange
    if (this.#abandoned) return
    if (response.headersSent) {
      // The status is out already: cutting the connection is the only honest way to say that the rest is missing.
      response.destroy()
      return
    }
    if (this.#mayRetry(error)) this.#dispatch(this.#instance)
    else this.#deps.refuse(this.#exchange, this.#failure ?? toFailure(error))
  }

  #dispatch(failed: Instance | undefined): void {
    const { request, forwarding, path, search } = this.#exchange
    const instance = forwarding && this.#deps.instances.choose(forwarding.to, Date.now(), failed)
    if (instance === undefined) {
      this.#deps.refuse(
        this.#exchange,
        new Failure('ServiceUnavailable', 'The platform is busy: try again shortly.'),
      )
      return
    }
    this.#instance = instance
    this.#controller = undefined
    instance.outstanding += 1
    instance.pool.dispatch(
      {
        path: path + search,
        method: request.method as Dispatcher.HttpMethod,
        headers: requestHeaders(this.#exchange, this.#deps.internalKey),
        body: this.#body,
        // Otherwise undici closes the connection after each HEAD.
        reset: false,
      },
      this,
    )
  }

  /** Once, and only what can't happen twice: nothing reached the service, or the request is safe and had no answer. */
  #mayRetry(error: Error): boolean {
    const neverSent = isConnectFailure(error)
    if (neverSent && this.#instance !== undefined) this.#deps.instances.eject(this.#instance, Date.now())
    if (this.#retried || this.#failure !== undefined) return false
    this.#retried = neverSent || (isConnectionLost(error) && this.#exchange.isSafe && !this.#hasBody)
    return this.#retried
  }

  #release(): void {
    if (this.#instance !== undefined) this.#instance.outstanding -= 1
  }
}

const tooLarge = (limitBytes: number) =>
  new Failure('PayloadTooLarge', `The body is larger than ${limitBytes} bytes.`, {
    details: { max: limitBytes },
  })
