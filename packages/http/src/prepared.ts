import type { IncomingMessage, ServerResponse } from 'node:http'
import { headers as names } from '@platform/contracts'
import { isUnchanged, strongEtag } from './conditional.ts'
import { RouteResponse, sendRaw, sendStream } from './respond.ts'
import type { Route } from './route.ts'

type Contract = Route['contract']

/** The type of every answer that is no file. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** An answer that has passed its schema: nothing can fail any more but the connection. */
export interface Prepared {
  status: number
  headers: Readonly<Record<string, string | string[]>>
  body: string | Uint8Array
  contentType: string
  /** `_id` of the record that was made, where the answer holds a secret. */
  createdId?: string | undefined
  /** True for an answer that was given before. */
  isReplay?: boolean
  /** Writes the body, where it has no end yet. */
  stream?: ((response: ServerResponse) => void) | undefined
}

/**
 * Makes what will be sent. Nothing is set on the response before: a failure must not carry the headers of a success.
 */
export function prepare(contract: Contract, result: unknown): Prepared {
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

/** Of nothing there is no JSON text. */
const jsonOf = (value: unknown): string => (JSON.stringify(value) as string | undefined) ?? ''

/** Sends it; a single resource with its tag, or 304 to who has it (decisions A6). */
export function sendPrepared(
  contract: Contract,
  request: IncomingMessage,
  response: ServerResponse,
  prepared: Prepared,
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
