import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestState, sendFailure } from '@platform/http'
import { withMarkedToken } from './marked-token.ts'
import type { OidcSettings } from './oidc-settings.ts'

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

interface Needs {
  settings: OidcSettings
  provider: Listener
  interactions: { show: InteractionListener; submit: InteractionListener }
}

type InteractionListener = (request: IncomingMessage, response: ServerResponse, uid: string) => Promise<void>

const ABOUT_A_TOKEN = /^\/token\/(introspection|revocation)$/
const INTERACTION = /^\/interaction\/([A-Za-z0-9_-]{1,100})(\/login)?$/

/** Everything under /oidc: the pages people sign in with, and the OIDC server. The key set is the gateway's own route before it. */
export const oidcListener =
  (needs: Needs) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    prepare(request, response, needs.settings)
    answer(needs, request, response).catch((error: unknown) => {
      const { log, correlationId } = requestState(request)
      sendFailure(response, error, log, correlationId)
    })
  }

/** The discovery documents at the root, where some clients look: the same ones as under the issuer (RFC 8414 appends its path). */
export const wellKnownListener =
  ({ settings, provider }: Pick<Needs, 'settings' | 'provider'>) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const path = (request.url ?? '/').split('?', 1)[0]?.replace(/\/oidc$/, '') ?? '/'
    const mounted = Object.assign(request, { originalUrl: `/oidc/.well-known${path}`, baseUrl: '/oidc' })
    mounted.url = `/.well-known${path}`
    prepare(mounted, response, settings)
    provider(mounted, response).catch((error: unknown) => {
      const { log, correlationId } = requestState(request)
      sendFailure(response, error, log, correlationId)
    })
  }

async function answer(
  { provider, interactions }: Needs,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0] ?? ''
  const [, uid, login] = INTERACTION.exec(path) ?? []
  if (uid !== undefined && login === undefined && request.method === 'GET')
    return interactions.show(request, response, uid)
  if (uid !== undefined && login !== undefined && request.method === 'POST')
    return interactions.submit(request, response, uid)
  const isAboutToken = request.method === 'POST' && ABOUT_A_TOKEN.test(path)
  return provider(isAboutToken ? await withMarkedToken(request) : request, response)
}

/**
 * The server makes addresses from the request. It gets the public ones, whatever Host a client sends, so that no token, redirect or
 * document ever names another.
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
