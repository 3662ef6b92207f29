import { type RequestInfo, respond } from '@platform/http'
import { type Clock, Failure, SECOND_MS } from '@platform/kernel'
import { LOCAL_PROVIDER } from '../../audit/sign-in-log.ts'
import type { MintJwt } from '../../keys/mint-jwt.ts'
import { errorPage } from '../../pages/error-page.ts'
import { languageOf } from '../../pages/language.ts'
import { textsOf } from '../../pages/texts.ts'
import type { UserRecord } from '../../users/user.ts'
import { accessTokenCookie, type CookiePolicy } from '../access-token-cookie.ts'
import type { BrowserSession, LeaveSession } from '../leave-session.ts'
import type { NewSession, Session, Sessions } from '../sessions.ts'
import { allowedRedirect, hashOfTicket, type WebSessionTicket } from './web-session-ticket.ts'
import type { WebSessionTicketStore } from './web-session-ticket-store.ts'

/** What it takes to turn a ticket into a session of the browser that opened it. */
export interface RedemptionNeeds {
  tickets: WebSessionTicketStore
  sessions: Sessions
  /** How a session was signed in to. */
  providerOf: (sessionId: string) => Promise<string | undefined>
  findUser: (userId: string) => Promise<UserRecord | undefined>
  keyRing: { signing(): { kid: string } }
  mintJwt: MintJwt
  leaveSession: LeaveSession
  /** Who is signed in in the browser that opens a ticket. */
  browserSession: BrowserSession
  cookies: CookiePolicy
  origin: string
  allowedOrigins: readonly string[]
  clock: Clock
}

/** Burns a ticket and signs the browser in, or answers the page of a ticket that is no good. */
export async function redeem(deps: RedemptionNeeds, text: string, request: RequestInfo) {
  const hash = hashOfTicket(text)
  const opened = await openedOf(
    deps,
    hash === undefined ? undefined : await deps.tickets.use(hash, deps.clock.now()),
  )
  if (opened === undefined) return refused(deps, request)

  const started = await startSession(deps, opened, request).catch(whenSignedOut)
  if (started === undefined) return refused(deps, request)
  const { jwt, seconds } = started
  if (!opened.parent.anonymous) await deps.leaveSession(request.headers.cookie)

  const headers = {
    location: opened.redirect,
    'set-cookie': accessTokenCookie(jwt, deps.cookies, seconds),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  }
  return respond('', { status: 303, contentType: 'text/html; charset=utf-8', headers })
}

interface OpenedTicket {
  ticket: WebSessionTicket
  redirect: string
  /** The session it was made in, which still lives. */
  parent: Session
  user: UserRecord
}

/** What a ticket opens, while the session it was made in lives and its user may sign in. */
export async function openedOf(
  { sessions, findUser, allowedOrigins }: RedemptionNeeds,
  ticket: WebSessionTicket | undefined,
): Promise<OpenedTicket | undefined> {
  const redirect = ticket && allowedRedirect(ticket.redirect, allowedOrigins)
  const parent = ticket && (await sessions.find(ticket.sessionId))
  if (ticket === undefined || redirect === undefined || parent === undefined) return undefined
  const user = await findUser(parent.userId)
  if (user?.status !== 'validated') return undefined
  return { ticket, redirect, parent, user }
}

/** A session of its own, with the rights of the one the ticket was made in, and never longer than that. */
async function startSession(
  deps: RedemptionNeeds,
  { ticket, parent, user }: OpenedTicket,
  request: RequestInfo,
) {
  const now = deps.clock.now().getTime()
  const lastsMs = Math.min(parent.expiresAt.getTime() - now, deps.cookies.maxAgeSeconds * SECOND_MS)
  const owner = { userId: parent.userId, clientId: parent.clientId, expiresAt: new Date(now + lastsMs) }
  const userAgent = request.headers['user-agent']
  const { sessionId } = await deps.sessions.start({
    ...owner,
    anonymous: parent.anonymous,
    basis: { sessionId: parent.sessionId },
    ip: request.clientIp,
    ...(userAgent === undefined ? {} : { userAgent }),
    signingKid: deps.keyRing.signing().kid,
    ...(parent.anonymous ? {} : { signIn: await signInOf(deps, parent, user) }),
  })
  const jwt = deps.mintJwt({ ...owner, sessionId, scopes: ticket.scopes })
  return { jwt, seconds: Math.floor(lastsMs / SECOND_MS) }
}

/** The session the ticket was made in ended at this very moment. */
function whenSignedOut(error: unknown): undefined {
  if (error instanceof Failure && error.name === 'AuthenticationError') return undefined
  throw error
}

/** Told as a sign-in: from now on another browser acts for this person. */
async function signInOf(
  { providerOf }: RedemptionNeeds,
  parent: Session,
  user: UserRecord,
): Promise<NonNullable<NewSession['signIn']>> {
  const provider = (await providerOf(parent.sessionId)) ?? LOCAL_PROVIDER
  return { provider, email: user.email, authData: {} }
}

/** The page of a ticket that was used, is over or never was. */
export function refused({ origin }: RedemptionNeeds, request: RequestInfo) {
  const language = languageOf(undefined, request.headers['accept-language'])
  const message = textsOf(language).ticketOver
  const { html, headers } = errorPage({ language, message, code: undefined, startUrl: `${origin}/signin` })
  const { 'content-type': contentType = 'text/html', ...rest } = headers
  return respond(html, { status: 400, contentType, headers: { ...rest, 'referrer-policy': 'no-referrer' } })
}
