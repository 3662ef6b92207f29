import type { ServerResponse } from 'node:http'
import { principalKind } from '@platform/auth'
import { beginServerSpan, countRequest, endServerSpan, traceIdOf } from '@platform/http'
import { type Logger, type RequestLine, requestLines } from '@platform/logging'
import { tracer } from '@platform/tracing'
import type { Exchange } from './exchange.ts'

const SERVICE = 'api-gateway'
const key = Symbol('exchange')

type Carrier = ServerResponse & { [key]?: Exchange }

/**
 * One count, one line and, while traces are sent, one span for each request that came; and what still works for a
 * client that is gone is told to stop. The exchange knows its correlation id already. `inFlight` counts the requests
 * of this server.
 */
export function accounting(log: Logger, inFlight: { count: number }): (exchange: Exchange) => void {
  const onClose = closing(requestLines(log), inFlight)
  return (exchange) => {
    const { request } = exchange
    const response: Carrier = exchange.response
    inFlight.count += 1
    exchange.sentBefore = request.socket.bytesWritten
    if (tracer !== undefined) exchange.span = beginServerSpan(request, exchange.correlationId)
    response[key] = exchange
    response.on('close', onClose)
  }
}

/** Begins the part of a request's span that a service takes. */
export function traceForwarding(exchange: Exchange): void {
  const { span, request, route = '' } = exchange
  if (span === undefined) return
  const name = `${request.method} ${route}`
  exchange.upstreamSpan = tracer?.beginPart(
    { name, kind: 'client', attributes: { 'http.route': route } },
    span,
  )
}

/** One function for all requests: it finds its exchange on the response it is called for. */
const closing = (write: ((line: RequestLine) => void) | undefined, inFlight: { count: number }) =>
  function onClose(this: ServerResponse): void {
    const exchange = (this as Carrier)[key]
    if (exchange === undefined) return
    if (!this.writableFinished) exchange.onAbandoned?.abandon()
    inFlight.count -= 1
    // The client left before there was a status.
    const line = lineOf(exchange, this.headersSent ? this.statusCode : 499)
    countRequest(line)
    write?.(line)
    if (exchange.span !== undefined) endSpans(exchange, line)
  }

function lineOf(exchange: Exchange, status: number): RequestLine & { service: string } {
  const { request, correlationId, route = 'unknown', version } = exchange
  return {
    service: SERVICE,
    method: request.method ?? '',
    route,
    status,
    ms: Date.now() - exchange.startedAt,
    // Of the request as it came: the one of the exchange may have been replaced.
    bytes: exchange.response.req.socket.bytesWritten - exchange.sentBefore,
    correlationId,
    traceId: exchange.span?.traceId ?? traceIdOf(correlationId, request.headers.traceparent),
    principal: principalKind(exchange.principal),
    apiVersion: version === undefined ? plainVersion(route) : (version.used ?? version.name),
    upstream: exchange.upstream,
  }
}

/** The version of a path that nothing was changed for. */
const plainVersion = (route: string): string => (route.startsWith('/v2') ? 'v2' : '')

function endSpans({ span, upstreamSpan, upstream }: Exchange, line: RequestLine): void {
  if (upstreamSpan !== undefined) {
    upstreamSpan.set({ 'http.response.status_code': line.status, 'server.address': upstream })
    upstreamSpan.end()
  }
  if (span !== undefined) endServerSpan(span, line)
}
