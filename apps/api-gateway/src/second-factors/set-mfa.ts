import { interactiveUser } from '@platform/auth'
import { setMfa as endpoint } from '@platform/contracts'
import { answer, route } from '@platform/http'
import type { Limited } from '../rate-limits/limited.ts'
import type { RateLimit } from '../rate-limits/rate-limit.ts'
import type { Passwords } from '../users/passwords.ts'
import type { UserRecord } from '../users/user.ts'
import { requirePassword } from './require-password.ts'
import type { SecondFactors } from './second-factors.ts'

/** What changing one's second factor needs. */
export interface FactorChangeNeeds {
  secondFactors: Pick<SecondFactors, 'begin' | 'remove' | 'renewRecoveryCodes'>
  users: { find(id: string): Promise<UserRecord | undefined> }
  passwords: Pick<Passwords, 'check'>
  limited: Limited
  /** Each use hashes a password, and is a guess of one: the same limit as that of changing it. */
  passwordLimit: RateLimit
}

export const setMfa = (deps: FactorChangeNeeds) =>
  route(endpoint, {
    access: interactiveUser,
    handle: ({ body, principal }) =>
      deps.limited(deps.passwordLimit, principal.userId, async () => {
        const user = await requirePassword(deps, principal, body.currentPassword)

        if (body.method === 'none') {
          await deps.secondFactors.remove(user.id, `user:${user.id}`)
          return { method: 'none' }
        }
        const { secret, qrImage } = await deps.secondFactors.begin(user)

        return answer({ secret, qrImage }, { headers: { 'cache-control': 'no-store' } })
      }),
  })
