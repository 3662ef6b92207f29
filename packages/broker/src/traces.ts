import type { EventRecord } from '@platform/contracts'
import { type Origin, tracer } from '@platform/tracing'

/** The header of a message that carries a trace on (W3C Trace Context). */
export const TRACE_HEADER = 'traceparent'

/** Beside the records, not in them: which span emitted an event is no part of what its readers get. */
const traces = new WeakMap<EventRecord, string | undefined>()

/** Remembers where a record that was read came from. */
export function rememberTrace(record: EventRecord, traceparent: string | null | undefined): void {
  if (tracer !== undefined) traces.set(record, traceparent || undefined)
}

/**
 * Remembers that records belong to the work that is under way here, or to none, for those who write them later in one
 * statement with those of others. Does nothing while nothing is traced.
 */
export function rememberTraces(records: readonly EventRecord[]): void {
  if (tracer === undefined) return
  const traceparent = tracer.active()?.traceparent
  for (const record of records) traces.set(record, traceparent)
}

/** The `traceparent` of the work that emitted a record: what is remembered, else what is under way here. */
export const traceOf = (record: EventRecord): string | undefined =>
  traces.has(record) ? traces.get(record) : tracer?.active()?.traceparent

/**
 * Where work on these events comes from: the trace that all of them share, by their spans or else by their
 * correlation id.
 */
export function originOf(events: readonly EventRecord[]): Origin {
  const parents = events.map((event) => traces.get(event))
  const [traceparent] = parents
  if (traceparent !== undefined && new Set(parents.map(traceIdOf)).size === 1) return { traceparent }
  const ids = new Set(events.map(({ source }) => source.correlationId))
  const [traceId] = ids.size === 1 ? ids : []
  return { traceId }
}

const traceIdOf = (traceparent: string | undefined): string | undefined => traceparent?.split('-')[1]
