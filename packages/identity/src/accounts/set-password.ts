import { interactiveUser, type Principal } from '@platform/auth'
import { setPassword as endpoint } from '@platform/contracts'
import { type RequestInfo, route } from '@platform/http'
import type { Accounts } from './accounts.ts'
import { requestContextOf } from './request-context.ts'

interface Needs {
  accounts: Pick<Accounts, 'requestPasswordReset' | 'resetPassword' | 'changePassword'>
}

const done = { success: true }

export const setPassword = ({ accounts }: Needs) => {
  /** Each attempt shows whether the password was right: a stolen session must not find it out. */
  const change = async (
    principal: Principal | undefined,
    passwords: { currentPassword: string; password: string },
    request: RequestInfo,
  ) => {
    const { userId, sessionId } = interactiveUser(principal)
    await request.takeLimit('passwordChange', userId)
    await accounts.changePassword({ userId, sessionId, ...passwords }, requestContextOf(request))
    return done
  }

  return route(endpoint, {
    async handle({ body, principal, request }) {
      if ('currentPassword' in body) return change(principal, body, request)
      if ('token' in body) {
        await accounts.resetPassword(body.token, body.password, requestContextOf(request))
        return done
      }
      await request.takeLimit('passwordReset', request.clientIp)
      await accounts.requestPasswordReset(body.email, requestContextOf(request, body.language))
      return done
    },
  })
}
