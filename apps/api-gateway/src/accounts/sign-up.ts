import { type Access, anyone, type Principal } from '@platform/auth'
import { signUp as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { presentUser } from '../users/user.ts'
import type { Accounts } from './accounts.ts'
import { visitOf } from './visit-of.ts'

interface Needs {
  accounts: Pick<Accounts, 'signUp'>
}

/** Everybody but a program with an access token: it acts for an account, it makes none (decisions C4). */
export const withoutAccessToken: Access<Principal | undefined> = (principal) => {
  const caller = anyone(principal)
  if (caller?.kind !== 'user' || caller.via !== 'accessToken') return caller
  throw new Failure(
    'ForbiddenError',
    'An access token may not make an account: leave out the Authorization header, or send the JWT of a session (sign in at /signin).',
  )
}

export const signUp = ({ accounts }: Needs) =>
  route(endpoint, {
    access: withoutAccessToken,
    async handle({ body, request }) {
      await request.takeLimit('signUp', request.clientIp)

      const { user } = await accounts.signUp(body, visitOf(request, body.language))

      return presentUser(user)
    },
  })
