import type { ServerResponse } from 'node:http'
import { headers as names } from '@platform/contracts'
import { Failure, StoreError } from '@platform/kernel'
import type { Logger } from '@platform/logging'

/** What a handler answers when a plain value is not enough: another status, headers, or bytes that are no JSON. */
export class Answer {
  readonly body: unknown
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[]>>
  /** Set for bytes or text that are sent as they are. */
  readonly contentType: string | undefined

  constructor(
    body: unknown,
    options: { status?: number; headers?: Record<string, string | string[]>; contentType?: string } = {},
  ) {
    this.body = body
    this.status = options.status
    this.headers = options.headers ?? {}
    this.contentType = options.contentType
  }
}

/** Shorthand of `new Answer`. */
export const answer = (body: unknown, options?: ConstructorParameters<typeof Answer>[1]): Answer =>
  new Answer(body, options)

/** Sends a JSON body with its length. `undefined` becomes an empty body. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = body === undefined ? '' : JSON.stringify(body)
  response.statusCode = status
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('content-length', Buffer.byteLength(text))
  response.end(text)
}

/** Sends text or bytes as they are. */
export function sendRaw(response: ServerResponse, status: number, body: unknown, contentType: string): void {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(String(body ?? ''))
  response.statusCode = status
  response.setHeader('content-type', contentType)
  response.setHeader('content-length', bytes.byteLength)
  response.end(bytes)
}

/** What a caller may see of an error; everything unknown becomes InternalError with a fixed sentence (decisions A1, A2). */
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
    response.destroy()
    return
  }
  const retryAfter = failure.retryAfterSeconds ?? (failure.status === 503 ? 1 : undefined)
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter))
  response.setHeader(names.correlationId, correlationId)
  // A body that was not read to its end would be taken for the next request.
  if (!response.req.complete) response.setHeader('connection', 'close')
  sendJson(response, failure.status, failure)
}
