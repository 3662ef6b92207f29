import { headers as names } from '@platform/contracts'
import type { Dispatcher } from 'undici'
import type { Exchange } from '../exchange.ts'
import { requestHeaders } from './request-headers.ts'
import type { Upload } from './upload.ts'

/** What a request to a service has beside what the client has sent. */
interface Addition {
  internalKey: string
  body: Upload | Buffer | null
  upgrade: 'websocket' | null
  /** What the instance is called, where it begins sessions. */
  tag: string | undefined
}

/** What undici is told to send to a service: the request of the client under the gateway's own identity headers. */
export function upstreamRequest(
  exchange: Exchange,
  { internalKey, body, upgrade, tag }: Addition,
): Dispatcher.DispatchOptions {
  const headers = requestHeaders(exchange, internalKey)
  if (tag !== undefined) headers.push(names.instance, tag)
  return {
    path: exchange.path + exchange.search,
    method: exchange.request.method as Dispatcher.HttpMethod,
    headers,
    body,
    // Otherwise undici closes the connection after each HEAD.
    reset: false,
    upgrade,
  }
}
