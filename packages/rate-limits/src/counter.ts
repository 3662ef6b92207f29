import type { Counted } from '@platform/cache'
import type { RateLimit } from '@platform/contracts'
import { SECOND_MS } from '@platform/kernel'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

/** Adds to a counter that vanishes `ttlMs` after its first use. */
export type Increment = (limit: string, key: string, by: number, ttlMs: number) => Promise<Counted>

type Window = Pick<RateLimit, 'name' | 'points' | 'seconds'>

/**
 * A limiter of rate-limiter-flexible that counts with `increment`. It believes to speak with the `redis` client,
 * whose home is packages/cache: its script adds to a counter, sets the expiry at the first use and answers both, as
 * `increment` does.
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

  /** Where the counter of a key is kept. */
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

/** A limit that is over is told as a rejection. */
function refusal(rejected: unknown): RateLimiterRes {
  if (rejected instanceof RateLimiterRes) return rejected
  throw rejected
}
