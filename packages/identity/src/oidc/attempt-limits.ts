import { rateLimits } from '@platform/contracts'
import type { LimitState } from '@platform/http'
import type { Limits } from '@platform/rate-limits'

/** Somebody who tries a password. */
export interface Attempt {
  email: string
  ip: string
  /** The browser, where it has signed in to this address before. */
  deviceId?: string | undefined
}

/** How often somebody may try to sign in. */
export interface AttemptLimits {
  /**
   * Counts an attempt before its password is looked at. Answers the limit that is over when there were too many, else
   * undefined.
   */
  count(attempt: Attempt): Promise<LimitState | undefined>
  /** Forgets the attempts at an address, or those in a known browser: its owner has signed in. */
  forget(attempt: Attempt): Promise<void>
}

/**
 * Per e-mail address, and per client for those who try one password at many addresses. A browser that
 * has signed in to the address before has a count of its own, which nobody else can use up (ADR 0046).
 */
export const attemptLimits = ({ rateLimiter }: { rateLimiter: Limits }): AttemptLimits => ({
  async count(attempt) {
    const states = await Promise.all([
      rateLimiter.take(limitOf(attempt), keyOf(attempt)),
      rateLimiter.take(rateLimits.loginAddress, attempt.ip),
    ])
    return states.find((state) => state !== undefined && state.remaining < 0)
  },
  forget: (attempt) => rateLimiter.forget(limitOf(attempt), keyOf(attempt)),
})

const limitOf = ({ deviceId }: Attempt) =>
  deviceId === undefined ? rateLimits.login : rateLimits.loginDevice

const keyOf = ({ email, deviceId }: Attempt): string =>
  deviceId === undefined ? email : `${deviceId} ${email}`
