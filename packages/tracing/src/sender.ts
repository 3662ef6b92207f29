import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { readPairs, type TracingSettings } from './settings.ts'
import { TraceIds, Tracer } from './tracer.ts'

/**
 * Spans that wait to be sent; further ones are dropped, so that a receiver that is down costs this much memory and no
 * more.
 */
const QUEUE_SPANS = 2048
const BATCH_SPANS = 512
const SEND_EVERY_MS = 1000
/** Batches go one after the other. */
const SEND_MS = 5000
/** Longest the last spans may hold up the end of the process. */
const LAST_MS = 2000
const WARN_EVERY_MS = 60_000
const LONGEST_TEXT = 2000

/** Sends spans to a receiver, in the background and in batches. */
export interface Sender extends AsyncDisposable {
  tracer: Tracer
}

export function openSender(endpoint: string, settings: TracingSettings): Sender {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  const sendMs = settings.sendMs ?? SEND_MS
  const exporter = new OTLPTraceExporter({
    url,
    headers: readPairs(settings.headers),
    timeoutMillis: sendMs,
    concurrencyLimit: 4,
  })
  const processor = new BatchSpanProcessor({
    exporter: reporting(exporter, settings.warn),
    maxQueueSize: QUEUE_SPANS,
    maxExportBatchSize: BATCH_SPANS,
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: sendMs + 1000,
  })
  const ids = new TraceIds()
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.version': settings.version,
      'service.instance.id': String(process.pid),
      ...readPairs(settings.resourceAttributes),
      'service.name': settings.serviceName,
    }),
    sampler: samplerOf(settings),
    idGenerator: ids,
    spanLimits: { attributeValueLengthLimit: LONGEST_TEXT, attributeCountLimit: 40 },
    spanProcessors: [processor],
  })
  return {
    tracer: new Tracer(provider.getTracer('platform', settings.version), ids),
    [Symbol.asyncDispose]: () => within(LAST_MS, provider.shutdown()),
  }
}

/** Spans for a receiver that is away are lost; that is logged now and again, and nothing else happens. */
function reporting(exporter: SpanExporter, warn: TracingSettings['warn']): SpanExporter {
  let warnAt = 0
  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined && Date.now() >= warnAt) {
          warnAt = Date.now() + WARN_EVERY_MS
          warn({ spans: spans.length, err: result.error }, 'traces could not be sent')
        }
        // As a success: the library itself would write failures to the console.
        done({ code: 0 })
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}

function samplerOf({ sampler, samplerArg }: TracingSettings): Sampler {
  const root = rootSampler(sampler.replace('parentbased_', ''), samplerArg)
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

function rootSampler(name: string, share: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler()
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(share) : new AlwaysOnSampler()
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work.catch(() => undefined), late])
  clearTimeout(timer)
}
