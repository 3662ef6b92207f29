import { type Env, inSecret, optionalHttpUrl, optionalPort } from '@platform/config'
import { collectProcessMetrics } from '@platform/http'
import type { Logger } from '@platform/logging'
import { startTracing } from '@platform/tracing'
import { z } from 'zod'
import { openMetricsServer } from './metrics-server.ts'
import { listenFailure } from './start-failure.ts'

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
    const server = stack.use(await openMetricsServer(address, log))
    log.info({ port: server.port, host: address.host }, 'metrics can be read')
    return stack
  } catch (error) {
    await stack.disposeAsync()
    throw await listenFailure(error as Error, 'metrics', address, {
      ...env,
      METRICS_PORT: String(address.port),
    })
  }
}

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** What operators see of a process, and where it is sent; nothing is sent anywhere without an address (ADR 0015). */
export const observabilityFields = {
  METRICS_PORT: optionalPort().describe(
    'Port that answers /metrics without a credential; without it only the own port does, with the internal key. ' +
      'Of several GATEWAY_WORKERS either shows the numbers of all, labelled `worker`.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalHttpUrl().describe(
    'OTLP/HTTP address that traces are sent to, for example http://collector:4318; nothing is traced without it.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: inSecret(
    z
      .string()
      .optional()
      .describe(
        'name=value pairs sent with the traces, for example a credential; comma list, percent-encoded.',
      ),
  ),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .describe(
      'Name of the process in traces; the name of the service, or platform for all in one, without it.',
    ),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .optional()
    .describe('name=value pairs that traces say of the process; comma list, percent-encoded.'),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers)
    .default('parentbased_always_on')
    .describe('Which requests are traced.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('The share of requests that the traceidratio samplers trace, 0 to 1.'),
}
