import { discardBody, endConnectionWith } from '@platform/http'
import type { Dispatcher } from 'undici'
import type { Exchange } from '../exchange.ts'
import { responseHeaders, type UpstreamHeaders } from './forwarded-headers.ts'
import type { Instance, OpenResponse } from './instance.ts'
import { timedOut } from './upstream-failure.ts'

type Controller = Dispatcher.DispatchController

/** A response up to this size that comes in one piece is passed on in one piece. */
const WHOLE_MAX_BYTES = 65_536

/** The response of a service on its way to the client, as fast as the client takes it. */
export class RelayedResponse implements OpenResponse {
  silentSince = 0
  readonly #exchange: Exchange
  /** Bytes of the body; -1 when the service did not say. */
  #length = -1
  #resume: (() => void) | undefined
  #controller: Controller | undefined
  #instance: Instance | undefined
  /** Its slot in the list of those of the instance that are on their way. */
  #slot = -1

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  /** The instance has begun to respond; until `over`, silence of it is watched for. */
  begin(
    status: number,
    headers: UpstreamHeaders,
    controller: Controller,
    instance: Instance | undefined,
  ): void {
    this.silentSince = Date.now()
    this.#controller = controller
    this.#instance = instance
    this.#slot = instance?.responses.add(this) ?? -1
    const { request, response, correlationId, strictTransport } = this.#exchange
    this.#length = Number(headers['content-length'] ?? -1)
    const list = responseHeaders(headers, correlationId)
    if (strictTransport !== undefined) list.push('strict-transport-security', strictTransport)
    // The service has responded in the middle of the upload: what is left of it can't be told from a next request.
    if (!request.complete) {
      list.push('connection', 'close')
      endConnectionWith(request)
    }
    response.writeHead(status, list)
    // The first event may be long in coming, and a client waits for the headers.
    if (this.#length < 0) response.flushHeaders()
  }

  pass(controller: Controller, chunk: Buffer): void {
    const { request, response } = this.#exchange
    if (chunk.length === this.#length && chunk.length <= WHOLE_MAX_BYTES && request.complete) {
      // As a string it leaves together with the headers in one write, which is half the cost of two.
      response.end(chunk.toString('latin1'), 'latin1')
      return
    }
    this.silentSince = Date.now()
    if (response.write(chunk)) return
    this.silentSince = Infinity
    controller.pause()
    this.#resume ??= this.#resumed(controller)
    response.once('drain', this.#resume)
  }

  #resumed(controller: Controller): () => void {
    return () => {
      this.silentSince = Date.now()
      controller.resume()
    }
  }

  cut(): void {
    this.#controller?.abort(timedOut())
  }

  /** Nothing more comes from the instance. */
  over(): void {
    if (this.#slot >= 0) this.#instance?.responses.remove(this.#slot)
    this.#slot = -1
  }

  end(): void {
    const { request, response } = this.#exchange
    if (response.writableEnded) return
    if (request.complete) response.end()
    else discardBody(response.req, () => response.end())
  }
}
