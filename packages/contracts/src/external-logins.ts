import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleGuest } from './example-values.ts'
import { Bytes } from './photos.ts'
import { AnonymousSession } from './sessions.ts'

export const listLoginProviders = endpoint({
  id: 'listLoginProviders',
  summary: 'The ways to sign in that a sign-in page offers.',
  service: 'api-gateway',
  credential: 'none',
  interactive: true,
  method: 'get',
  path: '/v2/login/providers',
  response: z.object({
    localSignin: z.boolean(),
    localSignup: z.boolean(),
    providers: z.array(
      z.object({
        slug: z.string(),
        type: z.string(),
        name: z.string().optional(),
        icon: z.string().optional(),
        meta: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  }),
  failures: [],
  example: {
    response: {
      localSignin: true,
      localSignup: true,
      providers: [{ slug: 'acme-sso', type: 'oidc', name: 'Acme' }],
    },
  },
})

const interaction = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,100}$/)
  .optional()
  .describe('The sign-in to continue afterwards; a new one at the gateway without it.')

export const startLogin = endpoint({
  id: 'startLogin',
  summary:
    'Starts signing in at another provider, named by its slug or found by a mail domain: 302 to it, or ' +
    '{provider: local} where passwords are meant.',
  service: 'api-gateway',
  credential: 'none',
  interactive: true,
  method: 'get',
  path: '/v2/login',
  otherMethods:
    'To sign in with a password, open /signin in a browser; programs take an access token or the token ' +
    'endpoint of /oidc.',
  query: z.strictObject({
    provider: z.string().min(1).max(100).optional(),
    domain: z.string().min(1).max(254).optional().describe('A mail domain, or an address.'),
    interaction,
  }),
  response: z.object({ provider: z.string() }),
  limits: ['externalLogin'],
  failures: [
    'RequestValidationError',
    'ForbiddenError',
    'ObjectNotFoundError',
    'ServiceUnavailable',
    'TooManyRequests',
  ],
  otherAnswers: [{ status: 302, summary: 'Leads to the provider.' }],
  example: { response: { provider: 'local' } },
})

const callbackQuery = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

export const finishLogin = endpoint({
  id: 'finishLogin',
  summary: 'Where an OpenID provider sends people back to: checks its answer, then continues their sign-in.',
  service: 'api-gateway',
  credential: 'none',
  interactive: true,
  method: 'get',
  path: '/v2/login/callback',
  query: callbackQuery,
  response: z.string(),
  status: 302,
  failures: [],
  mediaTypes: [],
  otherAnswers: [{ status: 400, summary: 'A page says why.', mediaType: 'text/html' }],
})

export const finishLoginByForm = endpoint({
  id: 'finishLoginByForm',
  summary: 'The same for providers that answer with a form.',
  service: 'api-gateway',
  credential: 'none',
  interactive: true,
  method: 'post',
  path: '/v2/login/callback',
  bodyKind: 'bytes',
  body: Bytes,
  bodyLimitBytes: 65_536,
  response: z.string(),
  status: 302,
  failures: ['UnsupportedMediaType'],
  bodyMediaTypes: ['application/x-www-form-urlencoded'],
  mediaTypes: [],
  otherAnswers: [
    { status: 303, summary: 'Leads on with the answer of the provider.' },
    { status: 400, summary: 'A page says why.', mediaType: 'text/html' },
  ],
})

export const exchangeToken = endpoint({
  id: 'exchangeToken',
  summary: 'Swaps the id token of a provider that allows it for a JWT of the platform (after RFC 8693).',
  service: 'api-gateway',
  credential: 'none',
  interactive: true,
  method: 'post',
  path: '/v2/login/token-exchange',
  body: z.strictObject({
    provider: z.string().min(1).max(100),
    subject_token: z.string().min(1).max(16_000),
    subject_token_type: z.literal('urn:ietf:params:oauth:token-type:id_token').optional(),
    grant_type: z.literal('urn:ietf:params:oauth:grant-type:token-exchange').optional(),
    expiresAfter: z.number().int().min(1).max(31_536_000).optional().describe('Seconds the session lasts.'),
  }),
  response: AnonymousSession,
  limits: ['tokenExchange'],
  failures: [
    'RequestValidationError',
    'InvalidOrExpiredToken',
    'ForbiddenError',
    'TooManyRequests',
    'ServiceUnavailable',
  ],
  example: {
    request: { provider: 'acme-sso', subject_token: 'eyJhbGciOiJSUzI1NiJ9.…' },
    response: exampleGuest,
  },
})
