import { count, inSecret, optionalHttpUrl, seconds, secret } from '@platform/config'
import { z } from 'zod'
import { variables } from '../variables.ts'
import { GATEWAY_CLIENT_ID } from './clients.ts'
import { externalClientsField } from './external-clients.ts'
import { oidcSettings } from './oidc-settings.ts'

/** What the OIDC server and the sign-in pages read. */
export const oidcEnv = z
  .object({
    API_URL: variables.API_URL,
    OIDC_PROVIDER_URL: variables.OIDC_PROVIDER_URL,
    CONSOLE_URL: variables.CONSOLE_URL,
    OIDC_STUDIO_CLIENT_ID: variables.OIDC_STUDIO_CLIENT_ID,
    ACCESS_TOKENS_MAX_AGE: variables.ACCESS_TOKENS_MAX_AGE,
    REFRESH_TOKENS_MAX_AGE: count(0).describe(
      'Seconds a refresh token works; 0 is ACCESS_TOKENS_MAX_AGE and 30 days.',
    ),
    SESSION_COOKIES_MAX_AGE: seconds(2_592_000).describe('Seconds a browser stays signed in.'),
    SESSION_COOKIES_SIGN_SECRET: variables.SESSION_COOKIES_SIGN_SECRET,
    CORS_ADDITIONAL_ALLOWED_ORIGINS: variables.CORS_ADDITIONAL_ALLOWED_ORIGINS,
    OIDC_CLIENT_REGISTRATION_TOKEN: secret
      .regex(/^[A-Za-z0-9._~+/-]+=*$/, 'must be a token as Authorization: Bearer can carry it')
      .optional()
      .describe('Lets programs register OIDC clients; without it there is no registration.'),
    OIDC_EXTERNAL_CLIENTS: inSecret(
      externalClientsField.describe(
        'JSON list of apps: client_id, client_name, redirect_uris, and if needed resourceScopes and firstParty (true).',
      ),
    ),
  })
  .superRefine((env, problems) => {
    const own: readonly string[] = [env.OIDC_STUDIO_CLIENT_ID, GATEWAY_CLIENT_ID]
    const taken = env.OIDC_EXTERNAL_CLIENTS.find(({ client_id }) => own.includes(client_id))
    if (taken === undefined) return
    const message = `names the client ${taken.client_id}, which the platform has itself`
    problems.addIssue({ code: 'custom', path: ['OIDC_EXTERNAL_CLIENTS'], message })
  })
  .superRefine((env, problems) => {
    const wrong = env.CONSOLE_URL.find((url) => !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    if (wrong === undefined && env.CONSOLE_URL.length > 0) return
    problems.addIssue({ code: 'custom', path: ['CONSOLE_URL'], message: 'must be http or https addresses' })
  })
  .transform((env) =>
    oidcSettings({
      apiUrl: env.API_URL,
      providerUrl: env.OIDC_PROVIDER_URL,
      consoleUrls: env.CONSOLE_URL.map((url) => url.replace(/\/+$/, '')),
      studioClientId: env.OIDC_STUDIO_CLIENT_ID,
      accessTokenSeconds: env.ACCESS_TOKENS_MAX_AGE,
      refreshTokenSeconds: env.REFRESH_TOKENS_MAX_AGE || undefined,
      sessionSeconds: env.SESSION_COOKIES_MAX_AGE,
      cookieSecret: env.SESSION_COOKIES_SIGN_SECRET,
      additionalOrigins: env.CORS_ADDITIONAL_ALLOWED_ORIGINS,
      registrationToken: env.OIDC_CLIENT_REGISTRATION_TOKEN,
      externalClients: env.OIDC_EXTERNAL_CLIENTS,
    }),
  )

/** How people sign in. */
export const signInEnv = z
  .object({
    LOGIN_URL: optionalHttpUrl().describe(
      'Sign-in form of a console, which gets ?interaction=…; without it the gateway shows its own.',
    ),
    DISABLE_LOCAL_SIGNIN: variables.DISABLE_LOCAL_SIGNIN,
  })
  .transform((env) => ({ signIn: { loginUrl: env.LOGIN_URL, withPassword: !env.DISABLE_LOCAL_SIGNIN } }))

export type SignInSettings = z.output<typeof signInEnv>['signIn']
