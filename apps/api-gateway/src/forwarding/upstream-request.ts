import type { Dispatcher } from 'undici'
import type { Exchange } from '../exchange.ts'
import { requestHeaders } from './request-headers.ts'
import type { Upload } from './upload.ts'

/** What undici is told to send to a service: the request of the client under the gateway's own identity headers. */
export function upstreamRequest(
  exchange: Exchange,
  internalKey: string,
  body: Upload | Buffer | null,
  upgrade: 'websocket' | null,
): Dispatcher.DispatchOptions {
  return {
    path: exchange.path + exchange.search,
    method: exchange.request.method as Dispatcher.HttpMethod,
    headers: requestHeaders(exchange, internalKey),
    body,
    // Otherwise undici closes the connection after each HEAD.
    reset: false,
    upgrade,
  }
}
