import { anonymousScopes, createAnonymousSession as endpoint, type User } from '@platform/contracts'
import { type RequestInfo, respond, route } from '@platform/http'
import { type Clock, Failure, SECOND_MS } from '@platform/kernel'
import type { MintJwt } from '../../keys/mint-jwt.ts'
import { accessTokenCookie, type CookiePolicy } from '../access-token-cookie.ts'
import type { Sessions } from '../sessions.ts'
import type { AnonymousRoom } from './anonymous-room.ts'

/** What starting an anonymous session needs. */
export interface AnonymousSessionDeps {
  insertUser: (times: { expiresAt: Date }) => Promise<User>
  sessions: Sessions
  keyRing: { signing(): { kid: string } }
  mintJwt: MintJwt
  room: AnonymousRoom
  clock: Clock
  cookies: CookiePolicy
  clientId: string
}

export const createAnonymousSession = (deps: AnonymousSessionDeps) => {
  const { maxAgeSeconds } = deps.cookies
  return route(endpoint, {
    async handle({ body, request }) {
      if (body?.orgSlug !== undefined) throw noOrganization(body.orgSlug)
      await deps.room(request.clientIp)

      const seconds = Math.min(body?.expiresAfter ?? maxAgeSeconds, maxAgeSeconds)
      const { session, token } = await startSession(deps, seconds, request)

      const cookie = accessTokenCookie(token, deps.cookies, seconds)
      return respond(
        { ...session, token },
        { headers: { 'set-cookie': cookie }, createdId: session.sessionId },
      )
    },
  })
}

async function startSession(deps: AnonymousSessionDeps, seconds: number, request: RequestInfo) {
  const expiresAt = new Date(deps.clock.now().getTime() + seconds * SECOND_MS)
  const signingKid = deps.keyRing.signing().kid
  const user = await deps.insertUser({ expiresAt })
  const owner = { userId: user.id, clientId: deps.clientId, expiresAt }
  const userAgent = request.headers['user-agent']
  const { sessionId } = await deps.sessions.start({
    ...owner,
    anonymous: true,
    ip: request.clientIp,
    signingKid,
    ...(userAgent === undefined ? {} : { userAgent }),
  })
  const session = { ...user, userId: user.id, sessionId, expires: expiresAt.toISOString() }
  return { session, token: deps.mintJwt({ ...owner, sessionId, scopes: anonymousScopes }) }
}

/** There are no organizations to come to yet; the sentence stays true when there are. */
const noOrganization = (slug: string) =>
  new Failure('ObjectNotFoundError', `There is no organization "${slug}" that lets visitors in.`)
