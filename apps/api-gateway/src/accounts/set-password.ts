import { interactiveUser, type Principal } from '@platform/auth'
import { setPassword as endpoint } from '@platform/contracts'
import { type RequestInfo, route } from '@platform/http'
import type { Limited } from '../rate-limits/limited.ts'
import type { Accounts } from './accounts.ts'
import type { AccountSettings } from './accounts-env.ts'
import { withoutAccessToken } from './sign-up.ts'
import { visitOf } from './visit-of.ts'

interface Needs {
  accounts: Pick<Accounts, 'requestPasswordReset' | 'resetPassword' | 'changePassword'>
  limited: Limited
  settings: AccountSettings
}

const done = { success: true }

export const setPassword = ({ accounts, limited, settings }: Needs) => {
  const { passwordReset, passwordChange } = settings.limits

  /** Each attempt shows whether the password was right: a stolen session must not find it out. */
  const change = (
    principal: Principal | undefined,
    passwords: { currentPassword: string; password: string },
    request: RequestInfo,
  ) => {
    const { userId, sessionId } = interactiveUser(principal)
    return limited(passwordChange, userId, async () => {
      await accounts.changePassword({ userId, sessionId, ...passwords }, visitOf(request))
      return done
    })
  }

  return route(endpoint, {
    access: withoutAccessToken,
    async handle({ body, principal, request }) {
      if ('currentPassword' in body) return change(principal, body, request)
      if ('token' in body) {
        await accounts.resetPassword(body.token, body.password, visitOf(request))
        return done
      }
      return limited(passwordReset, request.clientIp, async () => {
        await accounts.requestPasswordReset(body.email, visitOf(request, body.language))
        return done
      })
    },
  })
}
