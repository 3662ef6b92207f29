import { RUN_TOKEN_SECONDS } from '@platform/auth'
import { automationLimits, automationLimitVariables } from '@platform/automation-checks'
import {
  count,
  days,
  httpUrl,
  milliseconds,
  optionalPort,
  pagesHost,
  port,
  positiveCount,
  seconds,
  secret,
  storeVariables,
} from '@platform/config'
import { services } from '@platform/contracts'
import { functionCallSettings, functionCallVariables, requestSize } from '@platform/function-calls'
import { DAY_MS } from '@platform/kernel'
import { limitSettings, limitVariables } from '@platform/rate-limits'
import { keyEnvProblem, keyPolicyOf, keyVariables } from '@platform/signing-keys'
import { z } from 'zod'
import { fetchSettings, fetchVariables } from './fetches/fetches-env.ts'
import { moduleSettings, moduleVariables } from './modules/modules-env.ts'
import { overrideVariables, readOverrides } from './overrides/overrides-env.ts'
import { processVariables } from './processes/processes-env.ts'

const optionalUrl = z.url({ protocol: /^https?$/ }).optional()

/** Contexts are refused at this many times their size. */
const REFUSED_AT = 4

/** A body with files in it may have a little more. */
const MAX_FILE_BYTES = 10_000_000

/** The environment of the runtime service. */
export const runtimeEnv = z
  .object({
    RUNTIME_PORT: optionalPort().describe('Port, where several services share one environment.'),
    PORT: port(services.runtime.port).describe('Port the service listens on.'),
    HOST: z.string().default('0.0.0.0').describe('Address the service listens on.'),
    ...processVariables,
    ...storeVariables,
    INTERNAL_API_KEY: secret.describe('Proves that a call comes from the platform.'),
    INTERNAL_API_URL: httpUrl('http://127.0.0.1:3001/v2').describe('The gateway, from inside.'),
    API_URL: httpUrl('http://localhost:3001/v2').describe(
      'Public address of the API; automations see it as global.apiUrl.',
    ),
    OIDC_PROVIDER_URL: optionalUrl.describe('Origin of the issuer, where it is not that of API_URL.'),
    CONSOLE_URL: z
      .string()
      .default('http://localhost:3000')
      .describe('Public address of the console (the first of a list).'),
    PAGES_HOST: pagesHost,
    SEARCHENGINE_URL: optionalUrl.describe('Search engine service; checked when set.'),
    ...functionCallVariables,
    REQUEST_MAX_SIZE: requestSize('20mb').describe(
      'Bytes of the parameters of a function that is called over HTTP, 20mb at most.',
    ),
    GATEWAY_TIMEOUT: seconds(60).describe(
      'Seconds after which the gateway gives up; runs end five seconds before.',
    ),
    READINESS_CACHE_TTL_MS: milliseconds(30_000).describe('How long the readiness report is kept.'),
    RUN_MAX_DURATION_SECONDS: seconds(300).describe('Longest run that somebody waits for.'),
    RUN_DURABLE_MAX_DURATION_SECONDS: seconds(86_400).describe('Longest run that an event has triggered.'),
    RUN_MAX_WAIT_DAYS: days(30).describe('Days that one `wait` may take.'),
    RUN_CONCURRENCY: count(64).describe(
      'Triggered runs an instance works on at the same time, beside up to seven times as many that wait.',
    ),
    RUN_LEASE_SECONDS: seconds(10)
      .refine((value) => value > 0, 'must be at least 1')
      .describe(
        'Seconds after which the runs of an instance are taken over that stands still; of one that died, sooner.',
      ),
    RUNS_RETENTION_DAYS: days(30).describe('Days after which runs are dropped, a week at a time.'),
    RUN_DETAILS: z
      .enum(['all', 'sampled', 'failed', 'none'])
      .default('sampled')
      .describe(
        'Of which runs that have ended all is kept that shows what each step did: all, failed (and cancelled), none, ' +
          'or sampled: failed ones, and five others a second of each workspace and instance.',
      ),
    DEFINITIONS_CACHE_SIZE: count(1000).describe('Workspaces an instance keeps in memory.'),
    DEFINITIONS_CACHE_BYTES: count(100_000_000).describe(
      'Bytes, about, of the compiled automations an instance keeps; those unused for longest are compiled again.',
    ),
    MAXIMUM_SUCCESSIVE_CALLS: count(20).describe(
      'Automations that may call or trigger one another in a row.',
    ),
    CONTEXT_RUN_EXPIRE_TIME: seconds(60).describe('Seconds the run context outlives its last write.'),
    CONTEXT_SESSION_EXPIRE_TIME: seconds(2_592_000).describe(
      'Seconds the session context outlives its last write.',
    ),
    CONTEXT_UNAUTHENTICATED_SESSION_EXPIRE_TIME: seconds(3600).describe('The same for anonymous sessions.'),
    CONTEXT_SOCKET_EXPIRE_TIME: seconds(21_600).describe('The same for the contexts of live connections.'),
    CONTEXT_RUN_MAX_SIZE: count(500_000).describe(
      'Characters of the run context; four times as many are refused.',
    ),
    CONTEXT_USER_MAX_SIZE: count(100_000).describe('The same for the user context.'),
    CONTEXT_SESSION_MAX_SIZE: count(1_000_000).describe('The same for the session context.'),
    CONTEXT_GLOBAL_MAX_SIZE: count(500_000).describe('The same for the global context.'),
    CONTEXT_SOCKET_MAX_SIZE: count(100_000).describe('The same for the socket context.'),
    UPLOADS_MAX_SIZE: count(MAX_FILE_BYTES).describe(
      'Bytes of one file in a form that a URL trigger is sent, ten million at most.',
    ),
    RATE_LIMIT_AUTOMATIONS: positiveCount(100).describe(
      'Automations a second, for each workspace and instance.',
    ),
    RATE_LIMIT_AUTOMATIONS_BURST: positiveCount(400).describe('Automations at once.'),
    RATE_LIMIT_EMITS: positiveCount(30).describe('Emitted events a second, for each workspace and instance.'),
    RATE_LIMIT_EMITS_BURST: positiveCount(100).describe('Emitted events at once.'),
    RATE_LIMIT_FETCHES: positiveCount(50).describe('Fetches a second, for each workspace and instance.'),
    RATE_LIMIT_FETCHES_BURST: positiveCount(200).describe('Fetches at once.'),
    RATE_LIMIT_FUNCTIONS: positiveCount(100).describe(
      'Calls of functions in code a second, for each workspace and instance.',
    ),
    RATE_LIMIT_FUNCTIONS_BURST: positiveCount(400).describe('Calls of functions in code at once.'),
    RATE_LIMIT_REPEATS: positiveCount(1000).describe(
      'Rounds of repeat a second, for each workspace and instance.',
    ),
    RATE_LIMIT_REPEATS_BURST: positiveCount(4000).describe('Rounds of repeat at once.'),
    ...automationLimitVariables,
    ...fetchVariables,
    ...moduleVariables,
    ...overrideVariables,
    ...keyVariables,
    ...limitVariables(['webhooks', 'runActions', 'functionRuns', 'tests']),
    BROKER_EMIT_MAXLEN: count(100_000).describe('Most characters of an event.'),
    BROKER_EMIT_EXECUTED_AUTOMATION_MAXLEN: count(10_000).describe(
      'Most characters of runtime.automations.executed.',
    ),
    DEFAULT_LOCALE: z.string().default('en').describe('Language of formatted dates.'),
    DEFAULT_TIMEZONE: z.string().default('Europe/Paris').describe('Time zone of formatted dates.'),
  })
  .superRefine((env, problems) => {
    const message = keyEnvProblem(env)
    if (message !== undefined) problems.addIssue({ code: 'custom', path: ['JWKS_ALG'], message })
    for (const { variable, message } of readOverrides(env).problems)
      problems.addIssue({ code: 'custom', path: [variable], message })
  })
  .transform((env) => ({
    port: env.RUNTIME_PORT ?? env.PORT,
    host: env.HOST,
    databaseUrl: env.DATABASE_URL,
    cacheUrl: env.CACHE_URL,
    brokerUrl: env.BROKER_URL,
    internalApiKey: env.INTERNAL_API_KEY,
    /** The gateway from inside, without the version prefix. */
    gatewayUrl: env.INTERNAL_API_URL.replace(/\/v\d+$/, ''),
    internalApiUrl: env.INTERNAL_API_URL,
    keys: keyPolicyOf(env, RUN_TOKEN_SECONDS),
    urls: {
      apiUrl: env.API_URL,
      consoleUrl: env.CONSOLE_URL.split(',')[0]?.trim() ?? '',
      pagesHost: env.PAGES_HOST,
    },
    issuer: `${new URL(env.OIDC_PROVIDER_URL ?? env.API_URL).origin}/oidc`,
    neighbours: { searchengine: env.SEARCHENGINE_URL, functions: env.FUNCTIONS_URL },
    readinessCacheTtlMs: env.READINESS_CACHE_TTL_MS,
    times: { maxMs: env.RUN_MAX_DURATION_SECONDS * 1000, gatewayTimeoutMs: env.GATEWAY_TIMEOUT * 1000 },
    runs: {
      timeLimitMs: env.RUN_DURABLE_MAX_DURATION_SECONDS * 1000,
      concurrency: env.RUN_CONCURRENCY,
      maxWaitMs: env.RUN_MAX_WAIT_DAYS * DAY_MS,
      leaseSeconds: env.RUN_LEASE_SECONDS,
      retentionDays: env.RUNS_RETENTION_DAYS,
      details: env.RUN_DETAILS,
    },
    definitions: { maxWorkspaces: env.DEFINITIONS_CACHE_SIZE, maxBytes: env.DEFINITIONS_CACHE_BYTES },
    maxDepth: env.MAXIMUM_SUCCESSIVE_CALLS,
    lifetimes: {
      run: env.CONTEXT_RUN_EXPIRE_TIME,
      session: env.CONTEXT_SESSION_EXPIRE_TIME,
      anonymousSession: env.CONTEXT_UNAUTHENTICATED_SESSION_EXPIRE_TIME,
      socket: env.CONTEXT_SOCKET_EXPIRE_TIME,
    },
    contextSizes: {
      run: env.CONTEXT_RUN_MAX_SIZE * REFUSED_AT,
      user: env.CONTEXT_USER_MAX_SIZE * REFUSED_AT,
      session: env.CONTEXT_SESSION_MAX_SIZE * REFUSED_AT,
      global: env.CONTEXT_GLOBAL_MAX_SIZE * REFUSED_AT,
      socket: env.CONTEXT_SOCKET_MAX_SIZE * REFUSED_AT,
    },
    maxFileBytes: Math.min(env.UPLOADS_MAX_SIZE, MAX_FILE_BYTES),
    rateLimits: limitSettings(env),
    automationLimits: automationLimits(env),
    fetches: fetchSettings(env),
    modules: moduleSettings(env, readOverrides(env).overrides),
    functions: functionCallSettings(env),
    maxFunctionRequestBytes: env.REQUEST_MAX_SIZE,
    throttling: env.RATE_LIMIT_DISABLED ? undefined : throttling(env),
    events: {
      maxLength: env.BROKER_EMIT_MAXLEN,
      executedMaxLength: env.BROKER_EMIT_EXECUTED_AUTOMATION_MAXLEN,
    },
    expressions: { locale: env.DEFAULT_LOCALE, timezone: env.DEFAULT_TIMEZONE },
  }))

/** Everything the service reads, for the documents and the operators’ tool. */
export const environment: readonly z.ZodType[] = [runtimeEnv]

export type RuntimeConfig = z.output<typeof runtimeEnv>

type Rates = Record<
  `RATE_LIMIT_${'AUTOMATIONS' | 'EMITS' | 'FETCHES' | 'FUNCTIONS' | 'REPEATS'}${'' | '_BURST'}`,
  number
>

const throttling = (env: Rates) => ({
  automations: { perSecond: env.RATE_LIMIT_AUTOMATIONS, burst: env.RATE_LIMIT_AUTOMATIONS_BURST },
  emits: { perSecond: env.RATE_LIMIT_EMITS, burst: env.RATE_LIMIT_EMITS_BURST },
  fetches: { perSecond: env.RATE_LIMIT_FETCHES, burst: env.RATE_LIMIT_FETCHES_BURST },
  functions: { perSecond: env.RATE_LIMIT_FUNCTIONS, burst: env.RATE_LIMIT_FUNCTIONS_BURST },
  repeats: { perSecond: env.RATE_LIMIT_REPEATS, burst: env.RATE_LIMIT_REPEATS_BURST },
})
