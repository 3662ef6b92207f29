import { sessionHolder } from '@platform/auth'
import { endCurrentSession as endpoint } from '@platform/contracts'
import { answer, route } from '@platform/http'
import { type CookiePolicy, forgetAccessTokenCookie } from './access-token-cookie.ts'
import type { Sessions } from './sessions.ts'

export const endCurrentSession = (deps: { sessions: Sessions; cookies: CookiePolicy }) =>
  route(endpoint, {
    access: sessionHolder,
    async handle({ principal }) {
      await deps.sessions.end(principal.sessionId)

      return answer({ success: true }, { headers: { 'set-cookie': forgetAccessTokenCookie(deps.cookies) } })
    },
  })
