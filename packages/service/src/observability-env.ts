import { optionalHttpUrl, optionalPort } from '@platform/config'
import { z } from 'zod'

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
    'Port that answers /metrics without a credential; without it only the own port does, with the internal key. Of several GATEWAY_WORKERS either shows the numbers of all, labelled `worker`.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalHttpUrl().describe(
    'OTLP/HTTP address that traces are sent to, for example http://collector:4318; nothing is traced without it.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .optional()
    .describe(
      'name=value pairs sent with the traces, for example a credential; comma list, percent-encoded.',
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
