import { interactiveUser, type Principal } from '@platform/auth'
import {
  requestDeletion as requestDeletionContract,
  setPassword as setPasswordContract,
  signUp as signUpContract,
  validateAccount as validateAccountContract,
} from '@platform/contracts'
import { type RequestInfo, route } from '@platform/http'
import { presentUser } from '../users/user.ts'
import { type Accounts, requestContextOf } from './accounts.ts'

export const signUp = ({ accounts }: { accounts: Pick<Accounts, 'signUp'> }) =>
  route(signUpContract, {
    async handle({ body, request }) {
      await request.takeLimit('signUp', request.clientIp)

      const { user } = await accounts.signUp(body, requestContextOf(request, body.language))

      return presentUser(user)
    },
  })

export const validateAccount = ({
  accounts,
}: {
  accounts: Pick<Accounts, 'validate' | 'requestValidation'>
}) =>
  route(validateAccountContract, {
    async handle({ body, request }) {
      if ('token' in body) {
        await accounts.validate(body.token, requestContextOf(request))
        return { success: true }
      }
      await request.takeLimit('validationMail', request.clientIp)
      await accounts.requestValidation(body.email, requestContextOf(request, body.language))

      return { success: true }
    },
  })

const done = { success: true }

export const setPassword = ({
  accounts,
}: {
  accounts: Pick<Accounts, 'requestPasswordReset' | 'resetPassword' | 'changePassword'>
}) => {
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

  return route(setPasswordContract, {
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

export const requestDeletion = ({ accounts }: { accounts: Pick<Accounts, 'requestDeletion'> }) =>
  route(requestDeletionContract, {
    async handle({ principal, request }) {
      await accounts.requestDeletion(principal.userId, requestContextOf(request))

      return { success: true }
    },
  })
