import { count, inSecret, seconds } from '@platform/config'
import type { LimitName } from '@platform/contracts'
import { masterKeysField } from '@platform/master-keys'
import { limitSettings, limitVariables } from '@platform/rate-limits'
import { z } from 'zod'
import { keyPolicyProblem } from './keys/signing-keys/key-policy.ts'
import { variables } from './variables.ts'

/** The limits that are taken here: those of accounts, sign-ins and credentials. */
const identityLimits = [
  'signUp',
  'anonymousLogin',
  'tokenExchange',
  'signIn',
  'externalLogin',
  'login',
  'loginDevice',
  'loginAddress',
  'passwordReset',
  'passwordChange',
  'validationMail',
  'deletionMail',
  'contacts',
  'webSessionTicket',
  'upload',
  'secondFactor',
  'secondFactorAddress',
  'secondFactorDay',
  'badApiKeys',
  'badCredentials',
] as const satisfies readonly LimitName[]

const schema = z.object({
  NODE_ENV: variables.NODE_ENV,
  API_URL: variables.API_URL,
  OIDC_PROVIDER_URL: variables.OIDC_PROVIDER_URL,
  CONSOLE_URL: variables.CONSOLE_URL,
  CORS_ADDITIONAL_ALLOWED_ORIGINS: variables.CORS_ADDITIONAL_ALLOWED_ORIGINS,
  INTERNAL_API_KEY: variables.INTERNAL_API_KEY,
  SECRETS_MASTER_KEYS: inSecret(
    masterKeysField.describe('<id>:<base64 of 32 bytes>, comma list; the first one seals.'),
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
  OIDC_STUDIO_CLIENT_ID: variables.OIDC_STUDIO_CLIENT_ID,
  ANONYMOUS_SESSIONS_MAX: count(100_000).describe(
    'Anonymous sessions that are kept at once; beyond that, those of the network with the most give way, the ' +
      'longest idle first.',
  ),
  ...limitVariables(identityLimits),
})

type Variables = z.output<typeof schema>

/** What all of identity stands on: addresses, keys, secrets, limits. Its areas read theirs beside it. */
export const identityEnv = schema
  .superRefine((env, problems) => {
    const add = (name: keyof Variables, message: string) =>
      problems.addIssue({ code: 'custom', path: [name], message })
    const keyProblem = keyPolicyProblem({ kty: env.JWKS_KTY, alg: env.JWKS_ALG, size: env.JWKS_SIZE })
    if (keyProblem !== undefined) add('JWKS_ALG', keyProblem)
    if (env.NODE_ENV === 'production' && isPlainHttp(env.API_URL)) {
      add('API_URL', 'is http on a name that is not loopback: credentials would travel in clear, use https')
    }
  })
  .transform((env) => ({
    apiUrl: env.API_URL,
    issuer: `${new URL(env.OIDC_PROVIDER_URL ?? env.API_URL).origin}/oidc`,
    secureCookies: !env.API_URL.startsWith('http:') || !isLoopback(env.API_URL),
    allowedOrigins: writingOrigins(env),
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
    studioClientId: env.OIDC_STUDIO_CLIENT_ID,
    anonymousSessionsMax: env.ANONYMOUS_SESSIONS_MAX,
    rateLimits: limitSettings(env),
  }))

export type IdentityConfig = z.output<typeof identityEnv>

/** Origins whose pages may write with a cookie. */
export const writingOrigins = (
  env: Pick<Variables, 'API_URL' | 'CONSOLE_URL' | 'CORS_ADDITIONAL_ALLOWED_ORIGINS'>,
): string[] => [env.API_URL, ...env.CONSOLE_URL, ...env.CORS_ADDITIONAL_ALLOWED_ORIGINS].map(originOf)

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
