import type { UserPrincipal } from '@platform/auth'
import {
  renewRecoveryCodes as renewRecoveryCodesContract,
  setMfa as setMfaContract,
} from '@platform/contracts'
import { respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { UserRecord } from '../../users/user.ts'
import type { Passwords } from '../passwords/passwords.ts'
import type { SecondFactors } from './second-factors.ts'

/** What changing one's second factor needs. */
export interface FactorChangeNeeds {
  secondFactors: Pick<SecondFactors, 'begin' | 'remove' | 'renewRecoveryCodes'>
  users: { find(id: string): Promise<UserRecord | undefined> }
  passwords: Pick<Passwords, 'check'>
}

export const setMfa = (deps: FactorChangeNeeds) =>
  route(setMfaContract, {
    async handle({ body, principal, request }) {
      // Each use hashes a password, and is a guess of one: the same limit as that of changing it.
      await request.takeLimit('passwordChange', principal.userId)
      const user = await requirePassword(deps, principal, body.currentPassword)

      if (body.method === 'none') {
        await deps.secondFactors.remove(user.id, `user:${user.id}`)
        return { method: 'none' as const }
      }
      const { secret, qrImage } = await deps.secondFactors.begin(user)

      return respond({ secret, qrImage }, { headers: { 'cache-control': 'no-store' } })
    },
  })

export const renewRecoveryCodes = (deps: FactorChangeNeeds) =>
  route(renewRecoveryCodesContract, {
    async handle({ body, principal, request }) {
      await request.takeLimit('passwordChange', principal.userId)
      const user = await requirePassword(deps, principal, body.currentPassword)

      const recoveryCodes = await deps.secondFactors.renewRecoveryCodes(user)
      if (recoveryCodes === undefined)
        throw new Failure(
          'RequestValidationError',
          'This account has no second factor that recovery codes could replace: enrol one with POST /v2/user/mfa.',
        )

      return respond({ recoveryCodes }, { headers: { 'cache-control': 'no-store' } })
    },
  })

/** The account of a caller who has typed its password; a session that was left open is not enough. */
async function requirePassword(
  { users, passwords }: Pick<FactorChangeNeeds, 'users' | 'passwords'>,
  { userId }: UserPrincipal,
  password: string,
): Promise<UserRecord> {
  const user = await users.find(userId)
  if (user === undefined)
    throw new Failure('AuthenticationError', 'The account of this session is gone: sign in again.')
  const check = user.email === undefined ? undefined : await passwords.check(user.email, password)
  if (check?.outcome === 'matches' && check.user.id === userId) return user
  throw new Failure('InvalidPassword', 'The current password is not right: type it again.')
}
