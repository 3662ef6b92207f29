import {
  ConfigError,
  count,
  type Env,
  httpUrl,
  list,
  milliseconds,
  port,
  readConfig,
  seconds,
  secret,
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
import { masterKeysField } from '@platform/master-keys'
import { limitSettings, limitVariables } from '@platform/rate-limits'
import { workersField } from '@platform/service'
import { z } from 'zod'
import { accountsEnv } from './accounts/accounts-env.ts'
import { authProvidersEnv } from './auth-providers/auth-providers-env.ts'
import { edgeEnv } from './edge-env.ts'
import { gatewayLimits } from './gateway-limits.ts'
import { mailsEnv } from './mails/mails-env.ts'
import { oidcEnv } from './oidc/oidc-env.ts'
import { photosEnv } from './photos/photos-env.ts'
import { secondFactorsEnv } from './second-factors/second-factors-env.ts'
import { signInEnv } from './sign-in/sign-in-env.ts'
import { keyPolicyProblem } from './signing-keys/key-policy.ts'
import { usersEnv } from './users/users-env.ts'
import { variables } from './variables.ts'
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
  NODE_ENV: variables.NODE_ENV,
  HOST: z.string().default('0.0.0.0').describe('Address the gateway listens on.'),
  PORT: port(services['api-gateway'].port).describe('Port of the gateway.'),
  GATEWAY_WORKERS: workersField.describe('Processes that share the port: a number, or auto for one a core.'),
  DATABASE_URL: z.string({ error: 'is required' }).describe('postgres:… or embedded:<directory>.'),
  CACHE_URL: z.string().default('memory:').describe('redis:… or memory:.'),
  BROKER_URL: z
    .string()
    .default('postgres:')
    .describe('nats:… or postgres: for the database of the service.'),
  API_URL: variables.API_URL,
  OIDC_PROVIDER_URL: variables.OIDC_PROVIDER_URL,
  CONSOLE_URL: variables.CONSOLE_URL,
  CORS_ADDITIONAL_ALLOWED_ORIGINS: variables.CORS_ADDITIONAL_ALLOWED_ORIGINS,
  ...instancesVariables,
  INTERNAL_API_KEY: secret.describe('Proves to services that a call comes from the platform.'),
  SECRETS_MASTER_KEYS: masterKeysField.describe(
    '<id>:<base64 of 32 bytes>, comma list; the first one seals.',
  ),
  SESSION_COOKIES_SIGN_SECRET: variables.SESSION_COOKIES_SIGN_SECRET,
  ACCESS_TOKENS_MAX_AGE: variables.ACCESS_TOKENS_MAX_AGE,
  ACCESS_TOKENS_PER_USER_MAX: count(100).describe('Live access tokens a user may have.'),
  JWKS_ROTATION_DAYS: z.coerce
    .number()
    .positive()
    .default(30)
    .describe('Age at which the signing key is replaced.'),
  JWKS_PUBLISH_AHEAD: seconds(3600).describe('Seconds a new key is published before it signs.'),
  JWKS_KTY: z.string().default('RSA').describe('Key type: RSA or EC.'),
  JWKS_ALG: z.string().default('RS256').describe('RS/PS 256–512 or ES256, ES384, ES512.'),
  JWKS_SIZE: z.coerce.number().int().default(2048).describe('RSA 2048–8192; EC 256, 384 or 521.'),
  GATEWAY_TIMEOUT: seconds(60).describe('Seconds a service may take to begin its answer.'),
  TRUSTED_PROXY_HOPS: variables.TRUSTED_PROXY_HOPS,
  INTERNAL_API_URL: httpUrl('http://127.0.0.1:3001/v2')
    .optional()
    .describe('Internal address of the API; the own port on loopback without it.'),
  ...externalVariables,
  READINESS_CACHE_TTL_MS: milliseconds(30_000).describe('How long a readiness result is kept.'),
  OIDC_STUDIO_CLIENT_ID: variables.OIDC_STUDIO_CLIENT_ID,
  ANONYMOUS_SESSIONS_MAX: count(100_000).describe(
    'Anonymous sessions that are kept at once; beyond that, those of the network with the most give way, the longest idle first.',
  ),
  ...limitVariables(gatewayLimits),
  API_VERSIONS: apiVersionsField.describe('JSON list of versions and their dates.'),
})

type Variables = z.output<typeof schema>

/** The environment of the gateway: flat variables in, named groups with units out. */
export const apiGatewayEnv = schema
  .superRefine((env, problems) => {
    const add = (name: keyof Variables, message: string) =>
      problems.addIssue({ code: 'custom', path: [name], message })
    const keyProblem = keyPolicyProblem({ kty: env.JWKS_KTY, alg: env.JWKS_ALG, size: env.JWKS_SIZE })
    if (keyProblem !== undefined) add('JWKS_ALG', keyProblem)
    if (env.NODE_ENV === 'production' && isPlainHttp(env.API_URL)) {
      add('API_URL', 'is http on a name that is not loopback: credentials would travel in clear, use https')
    }
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
    issuer: `${new URL(env.OIDC_PROVIDER_URL ?? env.API_URL).origin}/oidc`,
    secureCookies: !env.API_URL.startsWith('http:') || !isLoopback(env.API_URL),
    allowedOrigins: [env.API_URL, ...env.CONSOLE_URL, ...env.CORS_ADDITIONAL_ALLOWED_ORIGINS].map(originOf),
    upstreams: Object.fromEntries(
      servicesBehindGateway.map((name) => [name, env[services[name].urlVariable].map(originOf)]),
    ) as Record<ServiceBehindGateway, string[]>,
    internalApiKey: env.INTERNAL_API_KEY,
    masterKeys: env.SECRETS_MASTER_KEYS,
    cookieSecret: env.SESSION_COOKIES_SIGN_SECRET,
    tokens: { maxAgeSeconds: env.ACCESS_TOKENS_MAX_AGE, maxTokens: env.ACCESS_TOKENS_PER_USER_MAX },
    keys: {
      kty: env.JWKS_KTY as 'RSA' | 'EC',
      alg: env.JWKS_ALG,
      size: env.JWKS_SIZE,
      rotationMs: env.JWKS_ROTATION_DAYS * 86_400_000,
      publishAheadMs: env.JWKS_PUBLISH_AHEAD * 1000,
      keepRotatedMs: (env.ACCESS_TOKENS_MAX_AGE + 60) * 1000,
    },
    gatewayTimeoutMs: env.GATEWAY_TIMEOUT * 1000,
    trustedProxyHops: env.TRUSTED_PROXY_HOPS,
    internalOrigin: new URL(env.INTERNAL_API_URL ?? `http://127.0.0.1:${env.PORT}`).origin,
    readinessCacheTtlMs: env.READINESS_CACHE_TTL_MS,
    externalServices: Object.fromEntries(
      externalServiceNames.map((name) => [name, env[externalServices[name].urlVariable].map(originOf)]),
    ) as Record<ExternalService, string[]>,
    studioClientId: env.OIDC_STUDIO_CLIENT_ID,
    anonymousSessionsMax: env.ANONYMOUS_SESSIONS_MAX,
    rateLimits: limitSettings(env),
    apiVersions: env.API_VERSIONS,
  }))

export type GatewayConfig = z.output<typeof apiGatewayEnv>

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)
const isPlainHttp = (url: string): boolean => url.startsWith('http:') && !isLoopback(url)

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    /^127\./.test(hostname) ||
    hostname === '[::1]'
  )
}

/** Everything the gateway reads, part by part: for the page of all variables, and to tell all problems at once. */
export const environment: readonly z.ZodType[] = [
  apiGatewayEnv,
  accountsEnv,
  authProvidersEnv,
  edgeEnv,
  mailsEnv,
  oidcEnv,
  photosEnv,
  secondFactorsEnv,
  signInEnv,
  usersEnv,
]

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
