import type { Interaction } from 'oidc-provider'
import type { UserRecord } from '../users/user.ts'
import type { SignInNeeds } from './sign-in-needs.ts'
import { type WaitingSignIn, waitingIn } from './waiting-sign-in.ts'

/** A sign-in whose password was right, and whose it is. */
export interface Waiting {
  waiting: WaitingSignIn
  user: UserRecord
}

/** What is due in a sign-in. `finish`: nothing more, for example since an administrator took the second factor away. */
export type SignInStep =
  | { step: 'password'; stale: boolean }
  | ({ step: 'code' | 'enrol' | 'finish' } & Waiting)
  | ({ step: 'keepCodes'; codes: string } & Waiting)

/** Looks at the account each time: what it needs may have changed since its password was right. */
export async function stepOf(
  { users, secondFactors, clock }: Pick<SignInNeeds, 'users' | 'secondFactors' | 'clock'>,
  interaction: Pick<Interaction, 'result'>,
): Promise<SignInStep> {
  const waiting = waitingIn(interaction, clock.now())
  if (waiting === undefined || waiting === 'stale') return { step: 'password', stale: waiting === 'stale' }
  const user = await users.find(waiting.accountId)
  if (user?.status !== 'validated' || user.updatedAt.toISOString() !== waiting.account)
    return { step: 'password', stale: false }
  const { recoveryCodes: codes } = waiting
  if (codes !== undefined) return { step: 'keepCodes', codes, waiting, user }
  const need = await secondFactors.needOf(user)
  return { step: need === 'none' ? 'finish' : need, waiting, user }
}
