import { rateLimits } from '@platform/contracts'
import type { LimitState, RateLimiter } from '@platform/http'
import { LOCAL_PROVIDER, type SignInLog } from '../../audit/sign-in-log.ts'
import type { UserRecord } from '../../users/user.ts'

interface AttemptContext {
  ip: string
  correlationId?: string
}

interface Needs {
  rateLimiter: RateLimiter
  signInLog: Pick<SignInLog, 'codeFailed'>
  /** Told once a day at most, when the last wrong code of the day was tried. */
  lockedForToday: (user: UserRecord, context: AttemptContext) => Promise<void>
}

/**
 * Does `attempt` when there were not too many; an attempt that comes to nothing is logged. Six digits can be guessed:
 * so there are limits for an account a minute, for an address a minute (of those who have many passwords), and of
 * wrong codes for an account a day.
 */
export const codeAttempts =
  (needs: Needs) =>
  async <T>(
    user: UserRecord,
    context: AttemptContext,
    attempt: () => Promise<T | undefined>,
  ): Promise<T | 'wrong' | { tooMany: LimitState }> => {
    const { rateLimiter } = needs
    const soon = await Promise.all([
      rateLimiter.take(rateLimits.secondFactor, user.id),
      rateLimiter.take(rateLimits.secondFactorAddress, context.ip),
    ])
    const tooMany = soon.find(isOver)
    if (tooMany !== undefined) return { tooMany }
    const today = await rateLimiter.take(rateLimits.secondFactorDay, user.id)
    if (isOver(today)) return { tooMany: today }

    const result = await attempt().catch((error: unknown) => {
      rateLimiter.giveBack(rateLimits.secondFactorDay, user.id)
      throw error
    })
    if (result === undefined) return wrong(needs, user, context, today)
    rateLimiter.giveBack(rateLimits.secondFactorDay, user.id)
    return result
  }

const isOver = (state: LimitState | undefined): state is LimitState =>
  state !== undefined && state.remaining < 0

async function wrong(
  { signInLog, lockedForToday }: Needs,
  user: UserRecord,
  context: AttemptContext,
  today: LimitState | undefined,
): Promise<'wrong'> {
  await signInLog.codeFailed({ provider: LOCAL_PROVIDER, userId: user.id, email: user.email, ...context })
  if (today?.remaining === 0) await lockedForToday(user, context)
  return 'wrong'
}
