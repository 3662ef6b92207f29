import { endCurrentSession as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { type CookiePolicy, forgetAccessTokenCookie } from './access-token-cookie.ts'
import { endingOf, type SignOut } from './sign-out.ts'

export const endCurrentSession = (deps: { signOut: SignOut; cookies: CookiePolicy }) =>
  route(endpoint, {
    async handle({ principal, request }) {
      await deps.signOut.session(principal.sessionId, endingOf(request))

      return respond({ success: true }, { headers: { 'set-cookie': forgetAccessTokenCookie(deps.cookies) } })
    },
  })
