import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What the gateway's own sign-in remembers between leaving for the form and coming back with a code. */
export interface SignInTicket {
  state: string
  verifier: string
}

/** As long as the form may stay open. */
const MAX_AGE_SECONDS = 3600
const PATH = '/signin/callback'

/** Fresh secrets for one sign-in. */
export function newTicket(): SignInTicket {
  const secret = () => randomBytes(32).toString('base64url')
  return { state: secret(), verifier: secret() }
}

/** The PKCE challenge of a verifier, method S256. */
export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url')

/** One cookie a sign-in, so that two tabs don't disturb each other. */
const nameOf = (state: string): string => `_signin_${state.slice(0, 10)}`

/** The Set-Cookie value that keeps a ticket in the browser, signed. */
export function ticketCookie(
  ticket: SignInTicket,
  { secret, secure }: { secret: string; secure: boolean },
): string {
  const value = `${ticket.state}.${ticket.verifier}`
  return `${nameOf(ticket.state)}=${value}.${sign(value, secret)}; Max-Age=${MAX_AGE_SECONDS}; ${attributes(secure)}`
}

/** The Set-Cookie value that removes it. */
export const forgetTicketCookie = (state: string, secure: boolean): string =>
  `${nameOf(state)}=; Max-Age=0; ${attributes(secure)}`

/** The ticket of the sign-in that `state` belongs to; undefined when this browser has none or it was forged. */
export function readTicket(
  cookies: string | undefined,
  state: string,
  secret: string,
): SignInTicket | undefined {
  const name = `${nameOf(state)}=`
  const value = (cookies ?? '')
    .split(';')
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(name))
    ?.slice(name.length)
  const [kept = '', verifier = '', signature = ''] = value?.split('.') ?? []
  if (!equal(signature, sign(`${kept}.${verifier}`, secret)) || !equal(kept, state)) return undefined
  return { state, verifier }
}

const attributes = (secure: boolean): string =>
  `Path=${PATH}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`

const sign = (value: string, secret: string): string =>
  createHmac('sha256', secret).update('gateway sign-in ticket').update(value).digest('base64url')

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
