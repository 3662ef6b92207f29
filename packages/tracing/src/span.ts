import { type Span as OtelSpan, SpanStatusCode } from '@opentelemetry/api'

/** What may be said of a piece of work: names from short lists, numbers; never values of users. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>

/** A piece of work that is timed. */
export class Span {
  readonly otel: OtelSpan

  constructor(otel: OtelSpan) {
    this.otel = otel
  }

  /** 32 hexadecimal characters. */
  get traceId(): string {
    return this.otel.spanContext().traceId
  }

  /** The value of the header that lets the next process go on with this trace (W3C Trace Context). */
  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.otel.spanContext()
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  }

  rename(name: string): void {
    this.otel.updateName(name)
  }

  set(attributes: SpanAttributes): void {
    for (const [name, value] of Object.entries(attributes))
      if (value !== undefined) this.otel.setAttribute(name, value)
  }

  /** Marks the work as failed. Only the name of an error is sent: its message may contain what a user typed. */
  fail(errorName: string): void {
    this.otel.setAttribute('error.type', errorName)
    this.otel.setStatus({ code: SpanStatusCode.ERROR })
  }

  end(): void {
    this.otel.end()
  }
}
