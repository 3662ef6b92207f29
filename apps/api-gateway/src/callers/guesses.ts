import { Failure, MINUTE_MS, SECOND_MS } from '@platform/kernel'
import { LRUCache } from 'lru-cache'
import { networkOf } from '../rate-limits/network-of.ts'

const ADDRESSES_MAX = 10_000

/** Wrong guesses one address has in a minute before it must wait. */
const GUESSES_PER_MINUTE = 60

interface Tally {
  wrong: number
  endsAt: number
}

/**
 * Guesses of opaque credentials: each wrong one costs a look-up in the database, which a JWT, refused by its signature, does not. After
 * 60 wrong ones in a minute an address gets no further look-ups until the minute is over. Credentials that were seen valid are in
 * memory and go on working, so neighbours behind one address are held up only where theirs is new. Each instance counts for itself.
 */
export class Guesses {
  readonly #tallies = new LRUCache<string, Tally>({ max: ADDRESSES_MAX })
  readonly #limited: boolean

  constructor(options: { limited: boolean }) {
    this.#limited = options.limited
  }

  /** Looks something up unless the address has guessed too often; throws TooManyRequests then. Undefined counts as a wrong guess. */
  async lookUp<Found>(
    clientIp: string,
    now: number,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    if (!this.#limited) return find()
    const tally = this.#tallyOf(networkOf(clientIp), now)
    if (tally.wrong >= GUESSES_PER_MINUTE) throw tooManyGuesses(tally.endsAt - now)
    // Counted before the answer is there: guesses made at once must not all pass.
    tally.wrong += 1
    let isWrong = false
    try {
      const found = await find()
      isWrong = found === undefined
      return found
    } finally {
      if (!isWrong) tally.wrong -= 1
    }
  }

  #tallyOf(network: string, now: number): Tally {
    const known = this.#tallies.get(network)
    if (known !== undefined && known.endsAt > now) return known
    const fresh = { wrong: 0, endsAt: now + MINUTE_MS }
    this.#tallies.set(network, fresh)
    return fresh
  }
}

function tooManyGuesses(waitMs: number): Failure {
  const seconds = Math.max(1, Math.ceil(waitMs / SECOND_MS))
  return new Failure(
    'TooManyRequests',
    `Too many wrong credentials came from this address: try again in ${seconds} seconds.`,
    { details: { retryAfter: seconds }, retryAfterSeconds: seconds },
  )
}
