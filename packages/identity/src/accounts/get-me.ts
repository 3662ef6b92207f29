import { getMe as endpoint, headers as names, type User } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { CsrfTokens } from '../sessions/access-token-cookie.ts'
import { userEtag } from '../users/user-etag.ts'

export const getMe = (deps: { findUser: (userId: string) => Promise<User | undefined>; csrf: CsrfTokens }) =>
  route(endpoint, {
    async handle({ principal }) {
      const user = await deps.findUser(principal.userId)
      if (user === undefined)
        throw new Failure('AuthenticationError', 'The account of this session is gone: sign in again.')

      const { sessionId, expiresAt } = principal
      const me = {
        ...user,
        sessionId,
        expires: new Date(expiresAt ?? 0).toISOString(),
        org: null,
        permissions: [],
        organizations: [],
      }
      return respond(me, {
        headers: {
          etag: userEtag(user, [user.mfa, sessionId, me.expires]),
          [names.csrfToken]: deps.csrf.of(sessionId),
          'cache-control': 'no-store',
        },
      })
    },
  })
