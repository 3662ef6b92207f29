import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Endpoint, headers as names } from '@platform/contracts'
import { Failure, StoreError } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { z } from 'zod'
import { isUnchanged, strongEtag } from './conditional.ts'
import { endResponse } from './end-response.ts'
import { setLimitHeaders, TooManyRequests } from './limit-state.ts'

/** A contract, whatever its schemas. */
export type AnyEndpoint = Endpoint<string, z.ZodType, z.ZodType, z.ZodType>

/** The type of every response that is no file. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** What a handler returns where a plain value is not enough: another status, headers, or bytes that are no JSON. */
export class RouteResponse {
  readonly body: unknown
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[]>>
  /** Set for bytes or text that are sent as they are. */
  readonly contentType: string | undefined
  /**
   * `_id` of the record that was made, where the response holds a secret: all that a replay shows of it.
   */
  readonly createdId: string | undefined
  /** Set where the response has no end yet: called when its headers are out, not for HEAD; ends the response itself. */
  readonly stream: ((response: ServerResponse) => void) | undefined

  constructor(
    body: unknown,
    options: {
      status?: number
      headers?: Record<string, string | string[]>
      contentType?: string
      createdId?: string
      stream?: (response: ServerResponse) => void
    } = {},
  ) {
    this.body = body
    this.status = options.status
    this.headers = options.headers ?? {}
    this.contentType = options.contentType
    this.createdId = options.createdId
    this.stream = options.stream
  }
}

/** Shorthand of `new RouteResponse`. */
export const respond = (
  body: unknown,
  options?: ConstructorParameters<typeof RouteResponse>[1],
): RouteResponse => new RouteResponse(body, options)

/** A response that has passed its schema: nothing can fail any more but the connection. */
export interface PreparedResponse {
  status: number
  headers: Readonly<Record<string, string | string[]>>
  body: string | Uint8Array
  contentType: string
  /** `_id` of the record that was made, where the response holds a secret. */
  createdId?: string | undefined
  /** True for a response that was given before. */
  isReplay?: boolean
  /** Writes the body, where it has no end yet. */
  stream?: ((response: ServerResponse) => void) | undefined
}

/**
 * Makes what will be sent. Nothing is set on the response before: a failure must not carry the headers of a success.
 */
export function prepare(contract: AnyEndpoint, result: unknown): PreparedResponse {
  const { headers, ...wrapped } = result instanceof RouteResponse ? result : new RouteResponse(result)
  const status = wrapped.status ?? contract.status ?? 200
  if (wrapped.contentType !== undefined) {
    const body = wrapped.body instanceof Uint8Array ? wrapped.body : String(wrapped.body ?? '')
    return { status, headers, body, contentType: wrapped.contentType, stream: wrapped.stream }
  }
  const isEmpty = wrapped.body === undefined && (status === 204 || (status >= 300 && status < 400))
  // The contract's response schema is also the filter: a field it does not name never leaves.
  const body = isEmpty ? '' : jsonOf(contract.response.parse(wrapped.body))
  return { status, headers, body, contentType: JSON_TYPE, createdId: wrapped.createdId }
}

/** `JSON.stringify` answers undefined for undefined. */
const jsonOf = (value: unknown): string => (JSON.stringify(value) as string | undefined) ?? ''

/** Sends a prepared response: a single resource with its tag, or 304 to a caller who has the resource already. */
export function sendPrepared(
  contract: AnyEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
  prepared: PreparedResponse,
  correlationId: string,
): void {
  if (response.destroyed) return
  const { headers, status, body, contentType } = prepared
  response.setHeader(names.correlationId, correlationId)
  for (const name in headers) response.setHeader(name, headers[name] as string | string[])
  if (!response.hasHeader('cache-control') && contentType === JSON_TYPE)
    response.setHeader('cache-control', 'no-store')
  if (prepared.stream !== undefined) {
    sendStream(response, status, contentType, prepared.stream)
    return
  }
  if (contract.etag === true && contract.method === 'get' && status === 200) {
    const etag = String(headers.etag ?? strongEtag(body))
    response.setHeader('etag', etag)
    if (isUnchanged(request.headers, etag)) {
      sendRaw(response, 304, '', contentType)
      return
    }
  }
  sendRaw(response, status, body, contentType)
}

/**
 * Sends a JSON body with its length; it is not to be stored unless `cache-control` was set before. `undefined` is an
 * empty body.
 */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = body === undefined ? '' : JSON.stringify(body)
  if (response.destroyed) return
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store')
  send(response, status, text, JSON_TYPE)
}

/** Sends text or bytes as they are. */
export function sendRaw(response: ServerResponse, status: number, body: unknown, contentType: string): void {
  if (response.destroyed) return
  send(response, status, body instanceof Uint8Array ? body : String(body ?? ''), contentType)
}

/** Sends the headers of a response that has no end yet, and hands the response to who writes it. */
function sendStream(
  response: ServerResponse,
  status: number,
  contentType: string,
  stream: (response: ServerResponse) => void,
): void {
  response.statusCode = status
  setSafetyHeaders(response)
  response.setHeader('content-type', contentType)
  if (response.req.method === 'HEAD') {
    response.end()
    return
  }
  response.flushHeaders()
  stream(response)
}

function send(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  contentType: string,
): void {
  response.statusCode = status
  setSafetyHeaders(response)
  if (status !== 204 && status !== 304) {
    response.setHeader('content-type', contentType)
    response.setHeader('content-length', typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength)
  }
  endResponse(response, body)
}

/** Headers of every response: browsers neither guess its type nor send its address to others. */
export function setSafetyHeaders(response: ServerResponse): void {
  response.setHeader('x-content-type-options', 'nosniff')
  if (!response.hasHeader('referrer-policy')) response.setHeader('referrer-policy', 'no-referrer')
}

/**
 * What a caller may see of an error; everything unknown becomes InternalError with a fixed sentence.
 */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof StoreError && error.unavailable) {
    const message = 'A store the platform needs does not answer: try again shortly.'
    return new Failure('ServiceUnavailable', message, { cause: error, retryAfterSeconds: 1 })
  }
  return new Failure(
    'InternalError',
    'Something went wrong on our side; the correlation id names it in the log.',
    { cause: error },
  )
}

/** Answers an error in the one error shape and logs what the caller must not see. */
export function sendFailure(
  response: ServerResponse,
  error: unknown,
  log: Logger,
  correlationId: string,
): void {
  const failure = toFailure(error)
  if (failure.status === 500) log.error({ err: failure.cause ?? failure, correlationId }, 'request failed')
  else if (failure.status === 503)
    log.warn({ err: failure.cause ?? failure, correlationId }, 'request could not be served')
  if (response.headersSent) {
    // Half a response must not look like a whole one.
    if (!response.writableEnded) response.destroy()
    return
  }
  setRetryHeaders(response, failure)
  response.setHeader(names.correlationId, correlationId)
  response.setHeader('cache-control', 'no-store')
  sendJson(response, failure.status, failure)
}

function setRetryHeaders(response: ServerResponse, failure: Failure): void {
  if (failure instanceof TooManyRequests) setLimitHeaders(response, failure.state)
  const retryAfter = failure.retryAfterSeconds ?? (failure.status === 503 ? 1 : undefined)
  if (retryAfter !== undefined) response.setHeader('retry-after', String(Math.max(1, Math.ceil(retryAfter))))
}
