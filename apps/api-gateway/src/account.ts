import type { ServerResponse } from 'node:http'
import { principalKind } from '@platform/auth'
import { countRequest } from '@platform/http'
import { type Logger, type RequestLine, requestLines } from '@platform/logging'
import type { Exchange } from './exchange.ts'

const SERVICE = 'api-gateway'
const key = Symbol('exchange')

type Carrier = ServerResponse & { [key]?: Exchange }

/** One count and one line for each answered request, and word to whoever works for a client that is gone. */
export function accounting(log: Logger): (exchange: Exchange) => void {
  const onClose = closing(requestLines(log))
  return (exchange) => {
    const response: Carrier = exchange.response
    response[key] = exchange
    response.on('close', onClose)
  }
}

/** One function for all requests: it finds its exchange on the response it is called for. */
const closing = (write: ((line: RequestLine) => void) | undefined) =>
  function onClose(this: ServerResponse): void {
    const exchange = (this as Carrier)[key]
    if (exchange === undefined) return
    if (!this.writableFinished) exchange.onAbandoned?.abandon()
    const { startedAt, request, correlationId } = exchange
    const { method = '' } = request
    const route = exchange.route ?? 'unknown'
    const principal = principalKind(exchange.principal)
    const ms = Date.now() - startedAt
    // Nobody was answered: the client left before there was a status.
    const status = this.headersSent ? this.statusCode : 499
    countRequest({ service: SERVICE, route, status: String(status), principal }, ms / 1000)
    write?.({ method, route, status, ms, correlationId, principal })
  }
