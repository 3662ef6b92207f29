import { anyone } from '@platform/auth'
import {
  confirmWebSessionTicket as confirmEndpoint,
  redeemWebSessionTicket as endpoint,
} from '@platform/contracts'
import { answer, type RequestInfo, route } from '@platform/http'
import { type Clock, Failure, SECOND_MS } from '@platform/kernel'
import { accessTokenCookie, type CookiePolicy } from '../sessions/access-token-cookie.ts'
import type { BrowserSession, LeaveVisit } from '../sessions/leave-visit.ts'
import type { MintJwt } from '../sessions/mint-jwt.ts'
import type { NewSession, Session, Sessions } from '../sessions/sessions.ts'
import { languageOf } from '../sign-in/language.ts'
import { errorPage } from '../sign-in/pages/error-page.ts'
import { switchAccountPage } from '../sign-in/pages/switch-account-page.ts'
import { textsOf } from '../sign-in/pages/texts.ts'
import { isSameOrigin } from '../sign-in/same-origin.ts'
import { LOCAL_PROVIDER } from '../sign-in-log/sign-in-log.ts'
import { displayName, type UserRecord } from '../users/user.ts'
import { allowedRedirect, hashOfTicket, type WebSessionTicket } from './web-session-ticket.ts'
import type { WebSessionTicketStore } from './web-session-ticket-store.ts'

interface Needs {
  tickets: WebSessionTicketStore
  sessions: Sessions
  /** How a session was signed in to. */
  providerOf: (sessionId: string) => Promise<string | undefined>
  findUser: (userId: string) => Promise<UserRecord | undefined>
  keyRing: { signing(): { kid: string } }
  mintJwt: MintJwt
  leaveVisit: LeaveVisit
  /** Who is signed in in the browser that opens a ticket. */
  browserSession: BrowserSession
  cookies: CookiePolicy
  origin: string
  allowedOrigins: readonly string[]
  clock: Clock
}

/** GET /signin/tickets/:ticket — whoever opens it is a browser, so a ticket that is no good is told on a page. */
export const redeemWebSessionTicket = (deps: Needs) =>
  route(endpoint, {
    access: anyone,
    async handle({ params, request }) {
      // Whatever looks ahead at an address must not burn it.
      if (request.method === 'HEAD') return refused(deps, request)
      return (await question(deps, params.ticket, request)) ?? redeem(deps, params.ticket, request)
    },
  })

/** POST /signin/tickets/:ticket — the answer to the question whether another account may take the place of the one that is signed in. */
export const confirmWebSessionTicket = (deps: Needs) =>
  route(confirmEndpoint, {
    access: anyone,
    async handle({ params, request }) {
      // Of another site it would be an answer nobody has given.
      if (!isSameOrigin(request.headers, [deps.origin])) return refused(deps, request)
      return redeem(deps, params.ticket, request)
    },
  })

/**
 * Any page can make a browser open the ticket of whoever wrote the page. So where somebody else is signed in it asks them first; the
 * ticket is burnt by the answer.
 */
async function question(deps: Needs, text: string, request: RequestInfo) {
  const present = await deps.browserSession(request.headers.cookie)
  if (present === undefined || present.anonymous) return undefined
  const hash = hashOfTicket(text)
  const opened = await openedOf(
    deps,
    hash === undefined ? undefined : await deps.tickets.find(hash, deps.clock.now()),
  )
  if (opened === undefined || opened.parent.userId === present.userId) return undefined
  const user = await deps.findUser(present.userId)
  if (user === undefined) return undefined
  const { html, headers } = switchAccountPage({
    language: languageOf(undefined, request.headers['accept-language']),
    action: `${deps.origin}/signin/tickets/${text}`,
    now: nameOf(user),
    next: nameOf(opened.user),
    redirect: opened.redirect,
    stayUrl: `${deps.origin}/signin`,
  })
  const { 'content-type': contentType = 'text/html', ...rest } = headers
  return answer(html, { status: 200, contentType, headers: rest })
}

/** Two accounts may have one name. */
const nameOf = (user: UserRecord): string => user.email ?? displayName(user)

async function redeem(deps: Needs, text: string, request: RequestInfo) {
  const hash = hashOfTicket(text)
  const opened = await openedOf(
    deps,
    hash === undefined ? undefined : await deps.tickets.use(hash, deps.clock.now()),
  )
  if (opened === undefined) return refused(deps, request)

  const started = await startSession(deps, opened, request).catch(whenSignedOut)
  if (started === undefined) return refused(deps, request)
  const { jwt, seconds } = started
  if (!opened.parent.anonymous) await deps.leaveVisit(request.headers.cookie)

  const headers = {
    location: opened.redirect,
    'set-cookie': accessTokenCookie(jwt, deps.cookies, seconds),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  }
  return answer('', { status: 303, contentType: 'text/html; charset=utf-8', headers })
}

interface OpenedTicket {
  ticket: WebSessionTicket
  redirect: string
  /** The session it was made in, which still lives. */
  parent: Session
  user: UserRecord
}

async function openedOf(
  { sessions, findUser, allowedOrigins }: Needs,
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
async function startSession(deps: Needs, { ticket, parent, user }: OpenedTicket, request: RequestInfo) {
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
  { providerOf }: Needs,
  parent: Session,
  user: UserRecord,
): Promise<NonNullable<NewSession['signIn']>> {
  const provider = (await providerOf(parent.sessionId)) ?? LOCAL_PROVIDER
  return { provider, email: user.email, authData: {} }
}

function refused({ origin }: Needs, request: RequestInfo) {
  const language = languageOf(undefined, request.headers['accept-language'])
  const message = textsOf(language).ticketOver
  const { html, headers } = errorPage({ language, message, code: undefined, startUrl: `${origin}/signin` })
  const { 'content-type': contentType = 'text/html', ...rest } = headers
  return answer(html, { status: 400, contentType, headers: { ...rest, 'referrer-policy': 'no-referrer' } })
}
