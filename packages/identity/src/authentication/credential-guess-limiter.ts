import { rateLimits } from '@platform/contracts'
import { type RateLimiter, TooManyRequests } from '@platform/http'

/**
 * Guesses of opaque credentials: each wrong one costs a look-up in the database, which a JWT, refused by its
 * signature, does not. After 60 wrong ones in a minute an address gets no further look-ups until the minute is over.
 * Credentials that were seen valid are in memory and go on working, so neighbours behind one address are held up only
 * where theirs is new.
 */
export class CredentialGuessLimiter {
  readonly #rateLimiter: RateLimiter

  constructor({ rateLimiter }: { rateLimiter: RateLimiter }) {
    this.#rateLimiter = rateLimiter
  }

  /**
   * Looks something up unless the address has guessed too often; throws TooManyRequests then. Undefined counts as a
   * wrong guess.
   */
  async lookUp<Found>(clientIp: string, find: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const limit = rateLimits.badCredentials
    // Counted before the answer is there: guessLimiter made at once must not all pass.
    const state = await this.#rateLimiter.take(limit, clientIp)
    if (state !== undefined && state.remaining < 0) {
      const wait = `try again in ${state.resetSeconds} seconds.`
      throw new TooManyRequests(state, `Too many wrong credentials came from this address: ${wait}`)
    }
    let isWrong = false
    try {
      const found = await find()
      isWrong = found === undefined
      return found
    } finally {
      if (!isWrong) this.#rateLimiter.giveBack(limit, clientIp)
    }
  }
}
