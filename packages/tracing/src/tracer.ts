import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, type Tracer as OtelTracer, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace'
import { Span, type SpanAttributes } from './span.ts'

/** What a span is called and where it stands between processes. */
export interface SpanOptions {
  /** Low cardinality: `GET /v2/me`, `select`, `deliver runtime`. */
  name: string
  kind: 'server' | 'client' | 'producer' | 'consumer'
  attributes?: SpanAttributes
}

/** Where a piece of work that nothing here has caused comes from. */
export interface Origin {
  /** The `traceparent` of the caller; ignored when it is not valid. */
  traceparent?: string | undefined
  /** The id of the trace to begin without it, when it has the form of one. */
  traceId?: string | undefined
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

/**
 * Begins spans and knows which one the current work belongs to. There is one while traces are sent somewhere, else
 * none.
 */
export class Tracer {
  readonly #otel: OtelTracer
  readonly #ids: TraceIds
  readonly #current = new AsyncLocalStorage<Span>()

  constructor(otel: OtelTracer, ids: TraceIds) {
    this.#otel = otel
    this.#ids = ids
  }

  /** The span of the work that is under way here; undefined outside of any. */
  active(): Span | undefined {
    return this.#current.getStore()
  }

  /** Begins work that came from outside. */
  begin(options: SpanOptions, origin: Origin): Span {
    const parent = remoteContext(origin.traceparent)
    this.#ids.next = parent === undefined ? origin.traceId : undefined
    return this.#start(options, parent ?? ROOT_CONTEXT)
  }

  /** Begins a part of the active work, or of `parent`; undefined where there is no such work: nobody would find it. */
  beginPart(options: SpanOptions, parent: Span | undefined = this.active()): Span | undefined {
    return parent && this.#start(options, trace.setSpan(ROOT_CONTEXT, parent.otel))
  }

  /** Does work that belongs to a span, in all that it calls and awaits. */
  within<T>(span: Span, work: () => T): T {
    return this.#current.run(span, work)
  }

  /** Does a part of the active work as a span of its own. */
  async around<T>(options: SpanOptions, work: () => Promise<T>): Promise<T> {
    const span = this.beginPart(options)
    return span === undefined ? await work() : await this.finish(span, work)
  }

  /** Does the work of a span and ends it, as failed when the work rejects. */
  async finish<T>(span: Span, work: () => Promise<T>): Promise<T> {
    try {
      return await this.within(span, work)
    } catch (error) {
      span.fail(error instanceof Error ? error.name : 'unknown')
      throw error
    } finally {
      span.end()
    }
  }

  #start({ name, kind, attributes = {} }: SpanOptions, context: Context): Span {
    const span = new Span(this.#otel.startSpan(name, { kind: kinds[kind] }, context))
    span.set(attributes)
    return span
  }
}

function remoteContext(traceparent: string | undefined): Context | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  const traceFlags = Number.parseInt(flags, 16) & 1
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

const TRACE_ID = /^(?!0+$)[0-9a-f]{32}$/

/**
 * Makes ids; the next trace may be given the id its request is already known by, so that logs and
 * traces meet.
 */
export class TraceIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  next: string | undefined

  generateTraceId(): string {
    const { next } = this
    this.next = undefined
    return next !== undefined && TRACE_ID.test(next) ? next : this.#random.generateTraceId()
  }

  generateSpanId(): string {
    return this.#random.generateSpanId()
  }
}
