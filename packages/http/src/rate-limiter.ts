import type { RateLimit } from '@platform/contracts'

/** Where a caller stands after one use of a limit. */
export interface LimitState {
  /** The limit as it is configured. */
  limit: RateLimit
  /** Uses left before the limit is over; negative means that this one was too many. */
  remaining: number
  /** Whole seconds, at least 1, until there is room again. */
  resetSeconds: number
}

/** Counts what callers use of their limits. Implemented by packages/rate-limits. */
export interface RateLimiter {
  /**
   * Takes `points` uses (1 without) for `key` and tells where the caller stands; undefined when limits are switched
   * off. `key` is the id of a user, a key or a workspace, or an address; IPv6 addresses of one network count
   * together. Never rejects because a store is down: the process then counts for itself.
   */
  take(limit: RateLimit, key: string, points?: number): Promise<LimitState | undefined>
  /** Gives uses back that turned out not to count, within the window they were taken in. */
  giveBack(limit: RateLimit, key: string, points?: number): void
}
