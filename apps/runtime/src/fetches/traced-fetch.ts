import { hash, randomUUID } from 'node:crypto'
import { tracer } from '@platform/tracing'

/**
 * Sends with the `traceparent` of a span of its own while traces are sent somewhere; else with one of the trace that
 * the correlation id names, so that the other side's traces and our events meet.
 */
export function tracedFetch<T>(
  method: string,
  correlationId: string,
  send: (traceparent: string) => Promise<T>,
): Promise<T> {
  const span = tracer?.beginPart({ name: `fetch ${method}`, kind: 'client' })
  if (span === undefined || tracer === undefined)
    return send(`00-${traceIdOf(correlationId)}-${newSpanId()}-01`)
  return tracer.finish(span, () => send(span.traceparent))
}

const traceIdOf = (correlationId: string): string =>
  /^(?!0+$)[0-9a-f]{32}$/.test(correlationId) ? correlationId : hash('sha256', correlationId).slice(0, 32)

/** Sixteen random digits: Node draws UUIDs from the system many at a time. */
function newSpanId(): string {
  const random = randomUUID()
  return random.slice(0, 8) + random.slice(28)
}
