import type { IncomingMessage, ServerResponse } from 'node:http'
import { type RateLimiter, requestState } from '@platform/http'
import { withReadForm } from './form-request.ts'
import { limitOidc } from './limit-oidc.ts'
import { requireAddress, requireMethod } from './oidc-addresses.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { sendError } from './send-error.ts'

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

interface Needs {
  settings: OidcSettings
  provider: Listener
  interactions: Interactions
  rateLimiter: RateLimiter
}

/** One page or form of an authorization that waits for a person. Answers everything itself, its own errors included. */
export type InteractionListener = (
  request: IncomingMessage,
  response: ServerResponse,
  uid: string,
) => Promise<void>

/** What there is under /oidc/interaction/:uid: by the rest of the path ('' for the page itself), then by method. */
export type Interactions = Readonly<
  Record<string, Readonly<Partial<Record<'GET' | 'POST', InteractionListener>>>>
>

const INTERACTION = /^\/interaction\/([A-Za-z0-9_-]{1,100})(?:\/([a-z-]{1,30}))?$/

/**
 * Everything under /oidc: the pages people sign in with, and the OIDC server. The key set is the gateway's own route
 * before it.
 */
export const oidcListener =
  (needs: Needs) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    prepare(request, response, needs.settings)
    answer(needs, request, response).catch((error: unknown) => {
      sendError(request, response, error, needs.settings)
    })
  }

/**
 * The discovery documents at the root, where some clients look: the same ones as under the issuer (RFC 8414 appends
 * its path).
 */
export const wellKnownListener =
  ({ settings, provider, rateLimiter }: Omit<Needs, 'interactions'>) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const path = pathOf(request).replace(/\/oidc$/, '')
    const mounted = Object.assign(request, { originalUrl: `/oidc/.well-known${path}`, baseUrl: '/oidc' })
    mounted.url = `/.well-known${path}`
    prepare(mounted, response, settings)
    answerAsServer({ settings, provider, rateLimiter }, mounted, response).catch((error: unknown) => {
      sendError(mounted, response, error, settings)
    })
  }

async function answer(needs: Needs, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = pathOf(request)
  const method = request.method ?? ''
  const [, uid, step = ''] = INTERACTION.exec(path) ?? []
  const listeners = uid === undefined ? undefined : needs.interactions[step]
  if (uid === undefined || listeners === undefined) return answerAsServer(needs, request, response)
  requireMethod(method, Object.keys(listeners), response)
  return listeners[method as 'GET' | 'POST']?.(request, response, uid)
}

async function answerAsServer(
  { provider, settings, rateLimiter }: Omit<Needs, 'interactions'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = pathOf(request)
  requireAddress({ method: request.method, path }, response, settings)
  await limitOidc(rateLimiter, request, path, response)
  return provider(await withReadForm(request, path), response)
}

/** Without the query, nor a slash at its end. */
const pathOf = (request: IncomingMessage): string => {
  const path = (request.url ?? '').split('?', 1)[0] ?? ''
  return path.endsWith('/') ? path.slice(0, -1) : path
}

/**
 * The server makes addresses from the request. It gets the public ones, whatever Host a client sends, so that no
 * token, redirect or document ever names another.
 */
function prepare(request: IncomingMessage, response: ServerResponse, { origin }: OidcSettings): void {
  const { host, protocol } = new URL(origin)
  const { headers } = request
  headers.host = host
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
  headers['x-forwarded-for'] = requestState(request).clientIp
  delete headers['x-forwarded-host']
  response.setHeader('x-correlation-id', requestState(request).correlationId)
  response.setHeader(
    'content-security-policy',
    "default-src 'none'; script-src 'report-sample'; frame-ancestors 'none'; base-uri 'none'",
  )
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('x-frame-options', 'DENY')
  response.setHeader('referrer-policy', 'same-origin')
}
