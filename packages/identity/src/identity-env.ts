import { count, inSecret } from '@platform/config'
import type { LimitName } from '@platform/contracts'
import { masterKeysField } from '@platform/master-keys'
import { limitSettings, limitVariables } from '@platform/rate-limits'
import { keyEnvProblem, keyPolicyOf, keyVariables } from '@platform/signing-keys'
import { z } from 'zod'
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
  ...keyVariables,
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
    const keyProblem = keyEnvProblem(env)
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
    keys: keyPolicyOf(env, env.ACCESS_TOKENS_MAX_AGE),
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
