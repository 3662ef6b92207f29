import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { limits } from '@platform/contracts'
import { hasBody, mediaTypeOf, parseStrictJson, readBody, wholeRequest } from '@platform/http'
import type { Exchange } from '../exchange.ts'
import type { VersionedCall } from './versioned-call.ts'

/**
 * Makes the JSON body of a request for another version one for v2. It is read only after it is known that the caller
 * may send it, and only where a transform needs it; anything that is no JSON is left for v2 to refuse.
 */
export function changeRequest(exchange: Exchange): void | Promise<void> {
  if (exchange.version === undefined) return undefined
  const { request, version } = exchange
  if (!version.transforms.some(({ up }) => up !== undefined)) return undefined
  const isPlainJson =
    mediaTypeOf(request) === 'application/json' && request.headers['content-encoding'] === undefined
  return isPlainJson && hasBody(request) ? changeBody(exchange, version) : undefined
}

async function changeBody(exchange: Exchange, version: VersionedCall): Promise<void> {
  const limit = exchange.forwarding?.bodyLimitBytes ?? limits.bodyBytes
  const bytes = await readBody(exchange.request, limit)
  // A chunked body may turn out to be empty.
  const body =
    bytes.length === 0 ? bytes : Buffer.from(JSON.stringify(changed(parseStrictJson(bytes), version)))
  exchange.request = requestWith(exchange.request, body)
}

const changed = (body: unknown, { transforms }: VersionedCall): unknown =>
  transforms.reduceRight((value, { up }) => up?.(value) ?? value, body)

/** The same request with another body, all of which is there. */
function requestWith(request: IncomingMessage, body: Buffer): IncomingMessage {
  const { method, url, httpVersion, httpVersionMajor, httpVersionMinor } = request
  const kept = request.rawHeaders.filter((_, index) => !FRAMING.has(nameAt(request.rawHeaders, index)))
  const rawHeaders = [...kept, 'Content-Length', String(body.length)]
  const headers: IncomingHttpHeaders = { ...request.headers, 'content-length': String(body.length) }
  for (const name of FRAMING) if (name !== 'content-length') delete headers[name]
  const head = { method, url, httpVersion, httpVersionMajor, httpVersionMinor, rawHeaders, headers }
  return wholeRequest(request.socket, head, body)
}

/** What the body was framed by on the wire. */
const FRAMING = new Set(['content-length', 'transfer-encoding', 'expect', 'trailer'])

/** The name of the header an entry of the raw list belongs to. */
const nameAt = (raw: readonly string[], index: number): string =>
  raw[index - (index % 2)]?.toLowerCase() ?? ''
