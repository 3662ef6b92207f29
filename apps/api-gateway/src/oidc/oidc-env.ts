import { count, flag, httpUrl, list, optionalHttpUrl, seconds, secret } from '@platform/config'
import { z } from 'zod'
import { oidcSettings } from './oidc-settings.ts'

/** What the OIDC server and the sign-in pages read. */
export const oidcEnv = z
  .object({
    API_URL: httpUrl('http://localhost:3001/v2').describe('Public address of the API: the audience of JWTs.'),
    OIDC_PROVIDER_URL: optionalHttpUrl().describe(
      'Public origin of the OIDC server; the origin of API_URL without it.',
    ),
    CONSOLE_URL: list('http://localhost:3000').describe(
      'Addresses of the console: where signing in may lead.',
    ),
    OIDC_STUDIO_CLIENT_ID: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,100}$/, 'must be 1–100 characters of [A-Za-z0-9._-]')
      .default('local-client-id')
      .describe('Client of the console and of anonymous sessions.'),
    ACCESS_TOKENS_MAX_AGE: seconds(2_592_000).describe(
      'Longest lifetime of JWTs and access tokens, in seconds.',
    ),
    REFRESH_TOKENS_MAX_AGE: count(0).describe(
      'Seconds a refresh token works; 0 is ACCESS_TOKENS_MAX_AGE and 30 days.',
    ),
    SESSION_COOKIES_MAX_AGE: seconds(2_592_000).describe('Seconds a browser stays signed in.'),
    SESSION_COOKIES_SIGN_SECRET: secret.describe('Signs cookies and CSRF tokens.'),
    RATE_LIMIT_DISABLED: flag(false).describe(
      'Switches all limits off; for benches and end-to-end tests only.',
    ),
  })
  .superRefine((env, problems) => {
    const wrong = env.CONSOLE_URL.find((url) => !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    if (wrong === undefined && env.CONSOLE_URL.length > 0) return
    problems.addIssue({ code: 'custom', path: ['CONSOLE_URL'], message: 'must be http or https addresses' })
  })
  .transform((env) => ({
    settings: oidcSettings({
      apiUrl: env.API_URL,
      providerUrl: env.OIDC_PROVIDER_URL,
      consoleUrls: env.CONSOLE_URL.map((url) => url.replace(/\/+$/, '')),
      studioClientId: env.OIDC_STUDIO_CLIENT_ID,
      accessTokenSeconds: env.ACCESS_TOKENS_MAX_AGE,
      refreshTokenSeconds: env.REFRESH_TOKENS_MAX_AGE || undefined,
      sessionSeconds: env.SESSION_COOKIES_MAX_AGE,
      cookieSecret: env.SESSION_COOKIES_SIGN_SECRET,
    }),
    attemptsLimited: !env.RATE_LIMIT_DISABLED,
  }))
