import { anyone, type Principal } from '@platform/auth'
import { anonymousScopes, createAnonymousSession as endpoint, type User } from '@platform/contracts'
import { answer, route } from '@platform/http'
import { type Clock, Failure } from '@platform/kernel'
import { isOver, limitHeaders, type RateLimit, tooManyRequests } from '../rate-limits/rate-limit.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { accessTokenCookie, type CookiePolicy } from '../sessions/access-token-cookie.ts'
import type { MintJwt } from '../sessions/mint-jwt.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** What starting an anonymous session needs. */
export interface AnonymousSessionDeps {
  insertUser: (times: { expiresAt: Date }) => Promise<User>
  sessions: Sessions
  mintJwt: MintJwt
  rateLimiter: RateLimiter
  clock: Clock
  cookies: CookiePolicy
  clientId: string
  perMinute: number
}

export const createAnonymousSession = (deps: AnonymousSessionDeps) => {
  const limit: RateLimit = { name: 'anonymous-login', points: deps.perMinute, seconds: 60 }
  return route(endpoint, {
    access: (principal) => withoutAccessToken(anyone(principal)),
    async handle({ body, request }) {
      const state = await deps.rateLimiter.take(limit, request.clientIp)
      const headers = limitHeaders(state, deps.clock)
      if (state !== undefined && isOver(state)) return refused(tooManyRequests(state), headers)

      const seconds = Math.min(body?.expiresAfter ?? deps.cookies.maxAgeSeconds, deps.cookies.maxAgeSeconds)
      const expiresAt = new Date(deps.clock.now().getTime() + seconds * 1000)
      const user = await deps.insertUser({ expiresAt })
      const owner = { userId: user.id, clientId: deps.clientId, expiresAt }
      const { sessionId } = await deps.sessions.start({
        ...owner,
        anonymous: true,
        ip: request.clientIp,
        ...agentOf(request),
      })
      const token = deps.mintJwt({ ...owner, sessionId, scopes: anonymousScopes })

      const cookie = accessTokenCookie(token, deps.cookies, seconds)
      const session = { ...user, userId: user.id, sessionId, token, expires: expiresAt.toISOString() }
      return answer(session, { headers: { ...headers, 'set-cookie': cookie } })
    },
  })
}

/** decisions C4: an access token acts for an account, it can't sign anybody in. */
function withoutAccessToken(principal: Principal | undefined): Principal | undefined {
  if (principal?.kind !== 'user' || principal.via !== 'accessToken') return principal
  throw new Failure('ForbiddenError', 'An access token may not start a session: call without a credential.')
}

const agentOf = ({
  headers,
}: {
  headers: Record<string, string | string[] | undefined>
}): { userAgent?: string } => {
  const userAgent = headers['user-agent']
  return typeof userAgent === 'string' ? { userAgent } : {}
}

/** A refusal that carries the headers of the limit. */
const refused = (failure: Failure, headers: Record<string, string>) =>
  answer(JSON.stringify(failure), {
    status: failure.status,
    headers: { ...headers, 'retry-after': String(failure.retryAfterSeconds) },
    contentType: 'application/json; charset=utf-8',
  })
