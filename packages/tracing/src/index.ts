export type { TracingSettings } from './settings.ts'
export type { Span, SpanAttributes } from './span.ts'
export { startTracing, tracer } from './start-tracing.ts'
export type { Origin, SpanOptions, Tracer } from './tracer.ts'
