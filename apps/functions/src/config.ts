import {
  count,
  httpUrl,
  isOwnMachine,
  list,
  milliseconds,
  nodeEnv,
  optionalPort,
  port,
  positiveCount,
  secret,
} from '@platform/config'
import { services } from '@platform/contracts'
import { customCodeSettings, customCodeVariables } from '@platform/custom-code'
import { requestSize } from '@platform/function-calls'
import { limitVariables } from '@platform/rate-limits'
import { z } from 'zod'

/** What a developer's own machine is called. */
const LOOPBACK = ['127.0.0.0/8', '::1']

/** The environment of the service that runs functions in code. */
export const functionsEnv = z
  .object({
    NODE_ENV: nodeEnv,
    PORT: port(services.functions.port).describe('Port of the service when it runs alone.'),
    FUNCTIONS_PORT: optionalPort().describe('Port, where several services share one environment.'),
    HOST: z.string().default('0.0.0.0').describe('Address the service listens on.'),
    API_URL: httpUrl('http://localhost:3001/v2').describe('Public address of the API.'),
    INTERNAL_API_KEY: secret.describe('Proves that a call comes from the platform.'),
    READINESS_CACHE_TTL_MS: milliseconds(30_000).describe('How long the readiness report is kept.'),
    REQUEST_MAX_SIZE: requestSize('20mb').describe('Bytes of the parameters of a function, 20mb at most.'),
    ...customCodeVariables,
    FETCH_MAX_TIMEOUT_MS: milliseconds(600_000).describe('Longest call that a function makes.'),
    FETCH_MAX_RESPONSE_BYTES: count(10_000_000).describe('Bytes an answer to a fetch may have, unpacked.'),
    FETCH_ALLOWED_HOSTS: list('').describe(
      'Hosts, addresses and ranges functions may call although they are private, for example api.internal,10.1.0.0/16.',
    ),
    FETCH_FORBIDDEN_HOSTS: list('').describe(
      'Hosts, with those below them, addresses and ranges functions may not call although they are public or allowed.',
    ),
    FETCH_CONCURRENCY: positiveCount(100).describe(
      'Fetches under way at once, for each workspace and instance; others wait.',
    ),
    RATE_LIMIT_FETCHES: positiveCount(50).describe('Fetches a second, for each workspace and instance.'),
    RATE_LIMIT_FETCHES_BURST: positiveCount(200).describe('Fetches at once.'),
    ...limitVariables([]),
    FETCH_USER_AGENT_HEADER: z
      .string()
      .regex(/^[\x20-\x7e]{1,200}$/, 'must be 1 to 200 visible characters')
      .default('platform-runtime/2')
      .describe('User-Agent of a fetch that names none.'),
  })
  .transform((env) => ({
    port: env.FUNCTIONS_PORT ?? env.PORT,
    host: env.HOST,
    internalApiKey: env.INTERNAL_API_KEY,
    readinessCacheTtlMs: env.READINESS_CACHE_TTL_MS,
    maxRequestBytes: env.REQUEST_MAX_SIZE,
    code: customCodeSettings(env),
    fetchesAtOnce: env.FETCH_CONCURRENCY,
    throttling: env.RATE_LIMIT_DISABLED
      ? undefined
      : { fetches: { perSecond: env.RATE_LIMIT_FETCHES, burst: env.RATE_LIMIT_FETCHES_BURST } },
    outside: {
      allowed: [...env.FETCH_ALLOWED_HOSTS, ...(isOwnMachine(env) ? LOOPBACK : [])],
      allowedBy: 'FETCH_ALLOWED_HOSTS',
      forbidden: env.FETCH_FORBIDDEN_HOSTS,
      timeoutMs: env.FETCH_MAX_TIMEOUT_MS,
      maxResponseBytes: env.FETCH_MAX_RESPONSE_BYTES,
      userAgent: env.FETCH_USER_AGENT_HEADER,
    },
  }))

/** Everything the service reads, for the documents and the operators’ tool. */
export const environment: readonly z.ZodType[] = [functionsEnv]

export type FunctionsConfig = z.output<typeof functionsEnv>
