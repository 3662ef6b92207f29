import type { Counted } from '@platform/cache'
import type { RateLimit } from '@platform/contracts'
import { SECOND_MS } from '@platform/kernel'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

/** Adds to a counter that vanishes `ttlMs` after its first use. */
export type Increment = (limit: string, key: string, by: number, ttlMs: number) => Promise<Counted>

type Window = Pick<RateLimit, 'name' | 'points' | 'seconds'>

/**
 * A limiter of rate-limiter-flexible that counts with `increment` in place of the library's own Redis script, which
 * does the same: it adds to a counter, sets the expiry at the first use and answers both. The library's drivers can't
 * keep two promises of the limits. Its Redis driver has no deadline for a call and no pause after a lost one, as
 * packages/cache has; and its driver for memory keeps a timer for each key without an upper bound, where the memory
 * cache forgets the oldest. A base class for other stores is not exported.
 */
const limiterOn = (
  limit: Window,
  increment: Increment,
  insuranceLimiter?: RateLimiterRedis,
): RateLimiterRedis =>
  new RateLimiterRedis({
    storeClient: {
      eval: async (_script: string, { keys: [key = ''], arguments: [by, seconds] }: ScriptCall) => {
        const { value, remainingMs } = await increment(
          limit.name,
          key,
          Number(by),
          Number(seconds) * SECOND_MS,
        )
        return [value, remainingMs]
      },
    },
    useRedisPackage: true,
    keyPrefix: `rate:${limit.name}`,
    points: limit.points,
    duration: limit.seconds,
    ...(insuranceLimiter === undefined ? {} : { insuranceLimiter }),
  })

interface ScriptCall {
  keys: string[]
  arguments: string[]
}

/** What a counter said to a wish. */
export interface Granted {
  /** How much of the wish fits into the limit. */
  points: number
  /** What is left of the limit beyond that. */
  beyond: number
  /** Milliseconds until the window ends. */
  endsInMs: number
}

/** Counts one window of a limit, in the store all processes share or, while that is down, in this process. */
export class Counter {
  readonly #limiter: RateLimiterRedis
  readonly #points: number
  readonly #windowMs: number

  constructor(limit: Window, stores: { shared: Increment; own: Increment }) {
    this.#points = limit.points
    this.#windowMs = limit.seconds * SECOND_MS
    this.#limiter = limiterOn(limit, stores.shared, limiterOn(limit, stores.own))
  }

  /** The key of a counter in the cache. */
  storedAt(key: string): string {
    return this.#limiter.getKey(key)
  }

  /** Best effort: what can't be given back is there again with the next window. */
  giveBack(key: string, points: number): void {
    this.#limiter.reward(key, points).catch(() => undefined)
  }

  async take(key: string, wished: number): Promise<Granted> {
    const { consumedPoints, msBeforeNext } = await this.#limiter.consume(key, wished).catch(refusal)
    const before = consumedPoints - wished
    return {
      points: Math.min(wished, Math.max(0, this.#points - before)),
      beyond: Math.max(0, this.#points - consumedPoints),
      endsInMs: Math.min(this.#windowMs, msBeforeNext),
    }
  }
}

/** The library rejects with its result where a limit is over. */
function refusal(rejected: unknown): RateLimiterRes {
  if (rejected instanceof RateLimiterRes) return rejected
  throw rejected
}
