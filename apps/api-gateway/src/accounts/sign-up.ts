import { type Access, anyone, type Principal } from '@platform/auth'
import { signUp as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Limited } from '../rate-limits/limited.ts'
import { presentUser } from '../users/user.ts'
import type { Accounts } from './accounts.ts'
import type { AccountSettings } from './accounts-env.ts'
import { visitOf } from './visit-of.ts'

interface Needs {
  accounts: Pick<Accounts, 'signUp'>
  limited: Limited
  settings: AccountSettings
}

/** Everybody but a program with an access token: it acts for an account, it makes none (decisions C4). */
export const withoutAccessToken: Access<Principal | undefined> = (principal) => {
  const caller = anyone(principal)
  if (caller?.kind !== 'user' || caller.via !== 'accessToken') return caller
  throw new Failure('ForbiddenError', 'An access token may not do this: use the JWT of a sign-in, or none.')
}

export const signUp = ({ accounts, limited, settings }: Needs) =>
  route(endpoint, {
    access: withoutAccessToken,
    handle: ({ body, request }) =>
      limited(settings.limits.signUp, request.clientIp, async () => {
        const { user } = await accounts.signUp(body, visitOf(request, body.language))

        return presentUser(user)
      }),
  })
