import { rateLimits } from '@platform/contracts'
import type { LimitState } from '@platform/http'
import type { Limits } from '@platform/rate-limits'

/** How often somebody may try to sign in. */
export interface AttemptLimits {
  /** Counts an attempt before its password is looked at. Answers the limit that is over when there were too many, else undefined. */
  count(email: string, ip: string): Promise<LimitState | undefined>
  /** Forgets the attempts at an address: its owner has signed in. */
  forget(email: string): Promise<void>
}

/** Per e-mail address (reference 5.3), and per client for those who try one password at many addresses. */
export const attemptLimits = ({ rateLimiter }: { rateLimiter: Limits }): AttemptLimits => ({
  async count(email, ip) {
    const states = await Promise.all([
      rateLimiter.take(rateLimits.login, email),
      rateLimiter.take(rateLimits.loginAddress, ip),
    ])
    return states.find((state) => state !== undefined && state.remaining < 0)
  },
  forget: (email) => rateLimiter.forget(rateLimits.login, email),
})
