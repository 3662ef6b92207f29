import { count, flag, httpUrl, list, optionalHttpUrl, seconds, secret } from '@platform/config'
import { z } from 'zod'

/**
 * The variables that more than one part of identity or the gateway reads, each with one meaning, one default and one
 * rule.
 */
export const variables = {
  NODE_ENV: z
    .string()
    .default('production')
    .describe(
      'In production the API takes https only, and strangers make no accounts unless a mail proves them.',
    ),
  API_URL: httpUrl('http://localhost:3001/v2').describe('Public address of the API: the audience of JWTs.'),
  OIDC_PROVIDER_URL: optionalHttpUrl().describe(
    'Public origin of the OIDC server; the origin of API_URL without it.',
  ),
  CONSOLE_URL: list('http://localhost:3000').describe(
    'Addresses of the console: where signing in may lead, and origins that may read and write with a cookie.',
  ),
  CORS_ADDITIONAL_ALLOWED_ORIGINS: list('').describe(
    'Further origins that may read and write with a cookie.',
  ),
  INTERNAL_API_KEY: secret.describe('Proves to services that a call comes from the platform.'),
  TRUSTED_PROXY_HOPS: count(0).describe('Proxies in front whose X-Forwarded-For entry is believed.'),
  SESSION_COOKIES_SIGN_SECRET: secret.describe('Signs cookies and CSRF tokens.'),
  ACCESS_TOKENS_MAX_AGE: seconds(2_592_000).describe(
    'Longest lifetime of JWTs and access tokens, in seconds.',
  ),
  OIDC_STUDIO_CLIENT_ID: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,100}$/, 'must be 1–100 characters of [A-Za-z0-9._-]')
    .default('local-client-id')
    .describe('Client of the console and of anonymous sessions.'),
  SMTP_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.-]{1,253}$|^[0-9A-Fa-f:]{2,45}$/, 'must be a host name or an address')
    .optional()
    .describe(
      'Mail server. Without it mails wait in production, where only administrators make accounts then, and become ' +
        'files in development.',
    ),
  DISABLE_LOCAL_SIGNIN: flag(false).describe('Takes no passwords: people sign in with other providers.'),
}
