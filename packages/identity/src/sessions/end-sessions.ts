import {
  endAllSessions as endAllSessionsContract,
  endCurrentSession as endCurrentSessionContract,
  endSession as endSessionContract,
} from '@platform/contracts'
import { type RequestInfo, respond, route } from '@platform/http'
import { type Clock, Failure } from '@platform/kernel'
import { type CookiePolicy, forgetAccessTokenCookie } from './access-token-cookie.ts'
import type { SessionStore } from './session-store.ts'
import type { Ending } from './sessions.ts'

/**
 * Ends sessions together with whatever could give them another JWT: grants, codes and refresh tokens of the OIDC
 * server.
 */
export interface SignOut {
  session(sessionId: string, ending: Ending): Promise<void>
  everywhere(userId: string, ending: Ending): Promise<void>
}

/** Where an ending was asked for. */
const endingOf = ({ clientIp, correlationId }: RequestInfo): Ending => ({
  ip: clientIp,
  correlationId,
})

export const endSession = (deps: {
  records: Pick<SessionStore, 'isLiveOf'>
  signOut: SignOut
  clock: Clock
}) =>
  route(endSessionContract, {
    async handle({ params: { sessionId }, principal, request }) {
      const isOwn = await deps.records.isLiveOf(sessionId, principal.userId, deps.clock.now())
      if (!isOwn)
        throw new Failure(
          'ObjectNotFoundError',
          'You have no session with this id: GET /v2/user/sessions lists them.',
        )

      await deps.signOut.session(sessionId, endingOf(request))

      return { id: sessionId }
    },
  })

export const endCurrentSession = (deps: { signOut: SignOut; cookies: CookiePolicy }) =>
  route(endCurrentSessionContract, {
    async handle({ principal, request }) {
      await deps.signOut.session(principal.sessionId, endingOf(request))

      return respond({ success: true }, { headers: { 'set-cookie': forgetAccessTokenCookie(deps.cookies) } })
    },
  })

export const endAllSessions = (deps: { signOut: SignOut; cookies: CookiePolicy }) =>
  route(endAllSessionsContract, {
    async handle({ principal, request }) {
      await deps.signOut.everywhere(principal.userId, endingOf(request))

      return respond({ success: true }, { headers: { 'set-cookie': forgetAccessTokenCookie(deps.cookies) } })
    },
  })
