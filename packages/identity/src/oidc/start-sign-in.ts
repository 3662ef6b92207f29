import { startSignIn as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { GATEWAY_CLIENT_ID, gatewayCallback } from './clients.ts'
import { isLoopback, type OidcSettings } from './oidc-settings.ts'
import { challengeOf, newTicket, type SignInTicket, ticketCookie } from './sign-in-ticket.ts'

/** GET /signin — leaves for the authorization endpoint with a fresh state and PKCE challenge. */
export const startSignIn = ({ settings }: { settings: OidcSettings }) =>
  route(endpoint, {
    async handle({ query, request }) {
      if (isOtherLoopbackName(request.headers.host, settings.origin))
        return redirect(`${settings.origin}/signin`)

      const ticket = newTicket()
      const cookie = ticketCookie(ticket, { secret: settings.cookieSecret, secure: settings.cookies.secure })

      return redirect(authorizationUrl(settings, ticket, query), cookie)
    },
  })

/** Of what a caller may add, these reach the sign-in page. */
const passedOn = ['ui_locales', 'login_hint', 'prompt', 'acr_values']

function authorizationUrl(
  settings: OidcSettings,
  ticket: SignInTicket,
  query: Record<string, string | string[]>,
): string {
  const url = new URL(`${settings.issuer}/auth`)
  const parameters = {
    client_id: GATEWAY_CLIENT_ID,
    redirect_uri: gatewayCallback(settings),
    response_type: 'code',
    scope: 'openid profile email',
    state: ticket.state,
    code_challenge: challengeOf(ticket.verifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  for (const name of passedOn) if (typeof query[name] === 'string') url.searchParams.set(name, query[name])
  return url.href
}

/** 127.0.0.1 and localhost are the same machine but not the same site: cookies of one are not sent to the other. */
function isOtherLoopbackName(host: string | undefined, origin: string): boolean {
  const given = URL.parse(`http://${host ?? ''}`)
  const own = new URL(origin)
  return given !== null && given.host !== own.host && isLoopback(given.hostname) && isLoopback(own.hostname)
}

const redirect = (location: string, cookie?: string) =>
  respond('', {
    status: 303,
    contentType: 'text/html; charset=utf-8',
    headers: {
      location,
      'cache-control': 'no-store',
      ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
    },
  })
