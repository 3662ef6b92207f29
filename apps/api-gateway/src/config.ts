import {
  ConfigError,
  type Env,
  httpUrl,
  list,
  milliseconds,
  port,
  readConfig,
  seconds,
  storeVariables,
} from '@platform/config'
import {
  defaultServiceUrl,
  type ExternalService,
  externalServiceNames,
  externalServices,
  type ServiceBehindGateway,
  services,
  servicesBehindGateway,
} from '@platform/contracts'
import { identityEnvironment, variables, writingOrigins } from '@platform/identity/config'
import { workersField } from '@platform/service'
import { z } from 'zod'
import { edgeEnv } from './edge-env.ts'
import { apiVersionsField } from './versions/api-version.ts'

type Addresses<Name extends string> = Record<Name, ReturnType<typeof list>>

const instancesVariables = Object.fromEntries(
  servicesBehindGateway.map((name) => [
    services[name].urlVariable,
    list(defaultServiceUrl(name)).describe(`Instances of ${name}.`),
  ]),
) as Addresses<(typeof services)[ServiceBehindGateway]['urlVariable']>

const externalVariables = Object.fromEntries(
  Object.values(externalServices).map(({ urlVariable, title }) => [
    urlVariable,
    list('').describe(`Instances of ${title}; in the readiness report when set.`),
  ]),
) as Addresses<(typeof externalServices)[ExternalService]['urlVariable']>

/** What the gateway itself reads; its parts read theirs beside it. */
const schema = z.object({
  HOST: z.string().default('0.0.0.0').describe('Address the gateway listens on.'),
  PORT: port(services['api-gateway'].port).describe('Port of the gateway.'),
  GATEWAY_WORKERS: workersField.describe('Processes that share the port: a number, or auto for one a core.'),
  ...storeVariables,
  API_URL: variables.API_URL,
  CONSOLE_URL: variables.CONSOLE_URL,
  CORS_ADDITIONAL_ALLOWED_ORIGINS: variables.CORS_ADDITIONAL_ALLOWED_ORIGINS,
  ...instancesVariables,
  INTERNAL_API_KEY: variables.INTERNAL_API_KEY,
  GATEWAY_TIMEOUT: seconds(60).describe('Seconds a service may take to begin its answer.'),
  TRUSTED_PROXY_HOPS: variables.TRUSTED_PROXY_HOPS,
  INTERNAL_API_URL: httpUrl('http://127.0.0.1:3001/v2')
    .optional()
    .describe('Internal address of the API; the own port on loopback without it.'),
  ...externalVariables,
  READINESS_CACHE_TTL_MS: milliseconds(30_000).describe('How long a readiness result is kept.'),
  API_VERSIONS: apiVersionsField.describe('JSON list of versions and their dates.'),
})

type Variables = z.output<typeof schema>

/** The environment of the gateway: flat variables in, named groups with units out. */
export const apiGatewayEnv = schema
  .superRefine((env, problems) => {
    const add = (name: keyof Variables, message: string) =>
      problems.addIssue({ code: 'custom', path: [name], message })
    for (const { urlVariable: name } of servicesBehindGateway.map((service) => services[service]))
      if (env[name].length === 0 || !env[name].every((url) => URL.canParse(url)))
        add(name, 'must be http addresses')
    for (const { urlVariable: name } of Object.values(externalServices))
      if (!env[name].every((url) => URL.canParse(url))) add(name, 'must be http addresses')
  })
  .transform((env) => ({
    listen: { host: env.HOST, port: env.PORT },
    stores: { database: env.DATABASE_URL, cache: env.CACHE_URL, broker: env.BROKER_URL },
    apiUrl: env.API_URL,
    allowedOrigins: writingOrigins(env),
    upstreams: Object.fromEntries(
      servicesBehindGateway.map((name) => [name, env[services[name].urlVariable].map(originOf)]),
    ) as Record<ServiceBehindGateway, string[]>,
    internalApiKey: env.INTERNAL_API_KEY,
    gatewayTimeoutMs: env.GATEWAY_TIMEOUT * 1000,
    trustedProxyHops: env.TRUSTED_PROXY_HOPS,
    internalOrigin: new URL(env.INTERNAL_API_URL ?? `http://127.0.0.1:${env.PORT}`).origin,
    readinessCacheTtlMs: env.READINESS_CACHE_TTL_MS,
    externalServices: Object.fromEntries(
      externalServiceNames.map((name) => [name, env[externalServices[name].urlVariable].map(originOf)]),
    ) as Record<ExternalService, string[]>,
    apiVersions: env.API_VERSIONS,
  }))

export type GatewayConfig = z.output<typeof apiGatewayEnv>

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)

/** Everything the gateway reads, part by part: for the page of all variables, and to tell all problems at once. */
export const environment: readonly z.ZodType[] = [apiGatewayEnv, edgeEnv, ...identityEnvironment]

/** Throws ConfigError with the problems of every part. */
export function requireEnvironment(env: Env): void {
  const problems = environment.flatMap((schema) => problemsOf(schema, env))
  if (problems.length > 0) throw new ConfigError([...new Set(problems)])
}

function problemsOf(schema: z.ZodType, env: Env): string[] {
  try {
    readConfig(schema, env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
