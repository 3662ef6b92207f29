import { setMfa as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import type { UserRecord } from '../../users/user.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { requirePassword } from './require-password.ts'
import type { SecondFactors } from './second-factors.ts'

/** What changing one's second factor needs. */
export interface FactorChangeNeeds {
  secondFactors: Pick<SecondFactors, 'begin' | 'remove' | 'renewRecoveryCodes'>
  users: { find(id: string): Promise<UserRecord | undefined> }
  passwords: Pick<Passwords, 'check'>
}

export const setMfa = (deps: FactorChangeNeeds) =>
  route(endpoint, {
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
