import type { TracingSettings } from './settings.ts'
import type { Tracer } from './tracer.ts'

/**
 * The tracer of the process while traces are sent somewhere; undefined costs one comparison wherever something could
 * be traced.
 */
export let tracer: Tracer | undefined

/**
 * Sends traces to the OTLP receiver that `endpoint` names, until disposed; does nothing without one (ADR 0015). A
 * receiver that is slow or away never holds anything up: at most 2,048 spans wait for it, further ones are dropped.
 */
export async function startTracing(settings: TracingSettings): Promise<AsyncDisposable> {
  const { endpoint } = settings
  if (endpoint === undefined) return { [Symbol.asyncDispose]: async () => undefined }
  // Loaded here, so that a process that traces nothing never reads it.
  const { openSender } = await import('./sender.ts')
  const sender = openSender(endpoint, settings)
  tracer = sender.tracer
  return {
    async [Symbol.asyncDispose]() {
      if (tracer === sender.tracer) tracer = undefined
      await sender[Symbol.asyncDispose]()
    },
  }
}
