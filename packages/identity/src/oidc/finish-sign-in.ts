import { cookieTokenOf } from '@platform/auth'
import { finishSignIn as endpoint } from '@platform/contracts'
import { type RequestInfo, respond, route } from '@platform/http'
import { errorPage } from '../pages/error-page.ts'
import { languageOf } from '../pages/language.ts'
import type { Page } from '../pages/page.ts'
import { signedInPage } from '../pages/signed-in-page.ts'
import { textsOf } from '../pages/texts.ts'
import { accessTokenCookie } from '../sessions/access-token-cookie.ts'
import type { LeaveSession } from '../sessions/leave-session.ts'
import { displayName, type UserRecord } from '../users/user.ts'
import type { ReadAccessToken } from './access-token-reader.ts'
import { GATEWAY_CLIENT_ID, gatewayCallback } from './clients.ts'
import type { ExchangeCode } from './exchange-code.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { forgetTicketCookie, readTicket } from './sign-in-ticket.ts'

interface Needs {
  settings: OidcSettings
  exchange: ExchangeCode
  readAccessToken: ReadAccessToken
  leaveSession: LeaveSession
  users: { find(id: string): Promise<UserRecord | undefined> }
  /** True where the first administrator was given the sample workspace. */
  hasSample: boolean
}

/** Super administrators may see every workspace, so also the one that the first of them was given. */
const SAMPLE_PATH = '/workspaces/slug:hello'

type Query = Record<string, string | string[]>

/**
 * GET /signin/callback — with a code: trades it, sets the cookie and comes back without it, so that loading the page
 * again does not look like a replay. Without: shows who is signed in.
 */
export const finishSignIn = (needs: Needs) =>
  route(endpoint, {
    handle: ({ query, request }) =>
      'state' in query ? comeBack(needs, query, request) : showSignedIn(needs, request),
  })

async function comeBack({ settings, exchange, leaveSession }: Needs, query: Query, request: RequestInfo) {
  const { state, code, iss } = query
  const ticket = readTicket(request.headers.cookie, String(state), settings.cookieSecret)
  if (ticket === undefined || iss !== settings.issuer) return failed(settings, request, undefined)
  if (typeof code !== 'string') return failed(settings, request, query)

  const form = {
    grant_type: 'authorization_code',
    client_id: GATEWAY_CLIENT_ID,
    redirect_uri: gatewayCallback(settings),
    code,
    code_verifier: ticket.verifier,
  }
  const { status, body } = await exchange(form, {
    ip: request.clientIp,
    userAgent: request.headers['user-agent'],
  })
  if (status !== 200 || body.access_token === undefined) return failed(settings, request, body)
  await leaveSession(request.headers.cookie)

  const cookies = [
    accessTokenCookie(body.access_token, settings.cookies, body.expires_in),
    forgetTicketCookie(ticket.state, settings.cookies.secure),
  ]
  const headers = { location: gatewayCallback(settings), 'set-cookie': cookies, 'cache-control': 'no-store' }
  return respond('', { status: 303, contentType: 'text/html; charset=utf-8', headers })
}

async function showSignedIn({ settings, readAccessToken, users, hasSample }: Needs, request: RequestInfo) {
  const token = cookieTokenOf(request.headers.cookie)
  const claims = token === undefined ? undefined : await readAccessToken(token)
  const user = claims && (await users.find(claims.sub))
  if (user === undefined) return failed(settings, request, undefined)
  const page = signedInPage({
    language: languageOf(user.language, request.headers['accept-language']),
    name: displayName(user),
    email: user.email,
    superAdmin: user.platformRole === 'superAdmin',
    apiUrl: settings.apiUrl,
    sampleUrl:
      hasSample && user.platformRole === 'superAdmin' ? `${settings.apiUrl}${SAMPLE_PATH}` : undefined,
    origin: settings.origin,
    signOutUrl: `${settings.issuer}/session/end?client_id=${GATEWAY_CLIENT_ID}`,
  })
  return pageAnswer(200, page)
}

function failed(
  settings: OidcSettings,
  request: RequestInfo,
  reason: Query | { error?: string; error_description?: string } | undefined,
) {
  const language = languageOf(undefined, request.headers['accept-language'])
  const { error, error_description: description } = reason ?? {}
  const { expired, refused } = textsOf(language)
  const told = [error, description].filter((part) => typeof part === 'string')
  const code = told.length === 0 ? undefined : told.join(': ')
  const message = code === undefined ? expired : refused
  return pageAnswer(400, errorPage({ language, message, code, startUrl: `${settings.origin}/signin` }))
}

function pageAnswer(status: number, { html, headers }: Page) {
  const { 'content-type': contentType = 'text/html', ...rest } = headers
  return respond(html, { status, contentType, headers: rest })
}
