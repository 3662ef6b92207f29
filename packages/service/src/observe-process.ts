import type { Env } from '@platform/config'
import { collectProcessMetrics } from '@platform/http'
import type { Logger } from '@platform/logging'
import { startTracing } from '@platform/tracing'
import type { z } from 'zod'
import { listenFailure } from './listen-failure.ts'
import { openMetricsDoor } from './metrics-door.ts'
import type { observabilityFields } from './observability-env.ts'

type Config = z.output<z.ZodObject<typeof observabilityFields>>

interface Observed {
  config: Config
  env: Env
  /** Names of the services that run in this process. */
  services: readonly string[]
  version: string
  log: Logger
}

/**
 * Numbers of the process, a port to read them where one is wanted, and traces where somebody wants them; until
 * disposed.
 */
export async function observeProcess({
  config,
  env,
  services,
  version,
  log,
}: Observed): Promise<AsyncDisposable> {
  collectProcessMetrics(version)
  const stack = new AsyncDisposableStack()
  const [alone = 'platform', ...others] = services
  const serviceName = config.OTEL_SERVICE_NAME ?? (others.length === 0 ? alone : 'platform')
  stack.use(
    await startTracing({
      endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: config.OTEL_EXPORTER_OTLP_HEADERS,
      resourceAttributes: config.OTEL_RESOURCE_ATTRIBUTES,
      sampler: config.OTEL_TRACES_SAMPLER,
      samplerArg: config.OTEL_TRACES_SAMPLER_ARG,
      serviceName,
      version,
      warn: (fields, message) => log.warn(fields, message),
    }),
  )
  if (config.METRICS_PORT === undefined) return stack
  const address = { port: config.METRICS_PORT, host: env.HOST ?? '0.0.0.0' }
  try {
    const door = stack.use(await openMetricsDoor(address, log))
    log.info({ port: door.port, host: address.host }, 'metrics can be read')
    return stack
  } catch (error) {
    await stack.disposeAsync()
    throw await listenFailure(error as Error, 'metrics', address, {
      ...env,
      METRICS_PORT: String(address.port),
    })
  }
}
