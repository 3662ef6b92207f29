import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace'

const TRACE_ID = /^(?!0+$)[0-9a-f]{32}$/

/**
 * Makes ids; the next trace may be given the id its request is already known by, so that logs and traces meet
 * (decisions A4).
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
