import type { IncomingMessage, ServerResponse } from 'node:http'
import { principalKind } from '@platform/auth'
import { type Logger, requestLines } from '@platform/logging'
import { type Span, tracer } from '@platform/tracing'
import { traceIdOf } from './correlation.ts'
import { countRequest, requestsInFlight } from './metrics/requests.ts'
import type { RequestState } from './request-state.ts'

/** What is logged and counted for a client that left before its response; never sent. */
const CLIENT_GONE = 499

type Observe = (request: IncomingMessage, response: ServerResponse, state: RequestState) => Span | undefined

/**
 * One count, one line (at debug: the gateway logs each request at info) and, while traces are sent, one span for each
 * request of a service, also when its client left before. Of the path only the pattern of the route is shown. Answers
 * the span that the request's work belongs to.
 */
export function requestObserver(service: string, log: Logger): Observe {
  const write = requestLines(log, 'debug')
  const inFlight = requestsInFlight(service)
  return (request, response, state) => {
    inFlight.count += 1
    const { socket, method = '' } = request
    const sentBefore = socket.bytesWritten
    const span = beginServerSpan(request, state.correlationId)
    response.once('close', () => {
      inFlight.count -= 1
      const line = {
        service,
        method,
        route: state.route ?? 'unknown',
        apiVersion: '',
        upstream: undefined,
        status: response.writableFinished ? response.statusCode : CLIENT_GONE,
        ms: Date.now() - state.startedAt,
        bytes: socket.bytesWritten - sentBefore,
        correlationId: state.correlationId,
        principal: principalKind(state.principal),
        traceId: span?.traceId ?? traceIdOf(state.correlationId, request.headers.traceparent),
      }
      countRequest(line)
      write?.(line)
      if (span !== undefined) endServerSpan(span, line)
    })
    return span
  }
}

/** Begins the span of a request while traces are sent; it goes on with the trace of the caller. */
export const beginServerSpan = (request: IncomingMessage, correlationId: string): Span | undefined =>
  tracer?.begin(
    { name: request.method ?? '', kind: 'server', attributes: { 'http.request.method': request.method } },
    { traceparent: textOf(request.headers.traceparent), traceId: correlationId },
  )

/** Ends the span of a request with what is known of it now. */
export function endServerSpan(
  span: Span,
  line: { method: string; route: string; status: number; correlationId: string; principal: string },
): void {
  span.rename(`${line.method} ${line.route}`)
  span.set({
    'http.route': line.route,
    'http.response.status_code': line.status,
    'platform.correlation_id': line.correlationId,
    'platform.principal': line.principal,
  })
  if (line.status >= 500) span.fail(String(line.status))
  span.end()
}

const textOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined
