import {
  count,
  flag,
  isOwnMachine,
  list,
  milliseconds,
  nodeEnv,
  type ProxySettings,
  positiveCount,
  proxySettings,
  proxyVariables,
} from '@platform/config'
import { z } from 'zod'

/** What limits of 0 would make wait for ever. */
const atLeastOne = (value: number): boolean => value > 0
const ONE = 'must be at least 1'

/** What `fetch` reads. */
export const fetchVariables = {
  NODE_ENV: nodeEnv,
  ...proxyVariables,
  FETCH_ALLOW_H2: flag(false).describe('true speaks HTTP/2 with servers that offer it.'),
  FETCH_TIMEOUT_MS: milliseconds(30_000)
    .refine(atLeastOne, ONE)
    .describe('Longest attempt of a fetch that names no timeout.'),
  FETCH_MAX_TIMEOUT_MS: milliseconds(600_000)
    .refine(atLeastOne, ONE)
    .describe('Longest timeout an automation may give a fetch.'),
  FETCH_MAX_RESPONSE_BYTES: count(10_000_000).describe('Bytes an answer to a fetch may have, unpacked.'),
  FETCH_MAX_RETRIES: count(3).describe('How often a fetch is tried again after a failure that may pass.'),
  FETCH_RETRY_CODES: list('ECONNRESET,UND_ERR_SOCKET,EPIPE,EHOSTUNREACH,ENETUNREACH').describe(
    'Errors of connections that may pass.',
  ),
  FETCH_RETRY_STATUS: z
    .string()
    .default('429,503,502')
    .refine((text) => text.split(',').every((one) => /^\s*([45]\d\d)?\s*$/.test(one)), {
      error: 'must be a comma list of statuses from 400 to 599',
    })
    .transform((text) => text.split(',').map(Number).filter(atLeastOne))
    .describe('Statuses that may pass; a Retry-After of up to 60 s is waited for.'),
  FETCH_ALLOWED_HOSTS: list('').describe(
    'Hosts, addresses and ranges automations may call although they are private, ' +
      'for example api.internal,10.1.0.0/16. In development on loopback (NODE_ENV, HOST, ' +
      'API_URL) this machine is one of them.',
  ),
  FETCH_FORBIDDEN_HOSTS: list('').describe(
    'Hosts, with those below them, addresses and ranges automations may not call although they are public or allowed.',
  ),
  FETCH_USER_AGENT_HEADER: z
    .string()
    .regex(/^[\x20-\x7e]{1,200}$/, 'must be 1 to 200 visible characters')
    .default('platform-runtime/2')
    .describe('User-Agent of a fetch that names none.'),
  FETCH_CONCURRENCY: positiveCount(100).describe(
    'Fetches under way at once, for each workspace and instance; others wait.',
  ),
  FETCH_STREAMS: count(1000).describe(
    'Streams that fetches have opened and read at once, for each workspace and instance; one more is an error.',
  ),
}

/** How automations call the outside. */
export interface FetchSettings {
  readonly timeoutMs: number
  readonly maxTimeoutMs: number
  readonly maxResponseBytes: number
  readonly maxRetries: number
  /** Before the first attempt after another; later ones are waited for longer. */
  readonly firstPauseMs: number
  readonly retryCodes: readonly string[]
  readonly retryStatus: readonly number[]
  readonly allowedHosts: readonly string[]
  readonly forbiddenHosts: readonly string[]
  readonly userAgent: string
  readonly allowsHttp2: boolean
  readonly proxies: ProxySettings
  /** Under way at once for one workspace. */
  readonly concurrency: number
  /** Open at once for one workspace. */
  readonly streams: number
}

type FetchEnv = z.output<z.ZodObject<typeof fetchVariables>> & { HOST: string; API_URL: string }

/** What a developer's own machine is called; `localhost` is resolved like any name. */
const LOOPBACK = ['127.0.0.0/8', '::1']

export const fetchSettings = (env: FetchEnv): FetchSettings => ({
  timeoutMs: Math.min(env.FETCH_TIMEOUT_MS, env.FETCH_MAX_TIMEOUT_MS),
  maxTimeoutMs: env.FETCH_MAX_TIMEOUT_MS,
  maxResponseBytes: env.FETCH_MAX_RESPONSE_BYTES,
  maxRetries: env.FETCH_MAX_RETRIES,
  firstPauseMs: 500,
  retryCodes: env.FETCH_RETRY_CODES,
  retryStatus: env.FETCH_RETRY_STATUS,
  allowedHosts: [...env.FETCH_ALLOWED_HOSTS, ...(isOwnMachine(env) ? LOOPBACK : [])],
  forbiddenHosts: env.FETCH_FORBIDDEN_HOSTS,
  userAgent: env.FETCH_USER_AGENT_HEADER,
  allowsHttp2: env.FETCH_ALLOW_H2,
  proxies: proxySettings(env),
  concurrency: env.FETCH_CONCURRENCY,
  streams: env.FETCH_STREAMS,
})
