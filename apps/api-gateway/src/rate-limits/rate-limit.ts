import { type Clock, Failure } from '@platform/kernel'

/** A limit: so many times in so many seconds for one key. */
export interface RateLimit {
  /** Short name, shown in the RateLimit headers. */
  name: string
  points: number
  seconds: number
}

/** Where a caller stands. */
export interface LimitState {
  limit: RateLimit
  used: number
  /** Seconds until the window ends. */
  resetSeconds: number
}

/** The window an instant belongs to, and how long it still lasts. */
export function windowOf(limit: RateLimit, now: Date): { index: number; resetSeconds: number } {
  const seconds = now.getTime() / 1000
  const index = Math.floor(seconds / limit.seconds)
  return { index, resetSeconds: Math.max(1, Math.ceil((index + 1) * limit.seconds - seconds)) }
}

/** True when the caller has used more than the limit allows. */
export const isOver = ({ limit, used }: LimitState): boolean => used > limit.points

/** Both header families of a limited route (decisions A8). */
export function limitHeaders(state: LimitState | undefined, clock: Clock): Record<string, string> {
  if (state === undefined) return {}
  const { limit, used, resetSeconds } = state
  const remaining = Math.max(0, limit.points - used)
  return {
    'ratelimit-policy': `"${limit.name}";q=${limit.points};w=${limit.seconds}`,
    ratelimit: `"${limit.name}";r=${remaining};t=${resetSeconds}`,
    'x-ratelimit-limit': String(limit.points),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(clock.now().getTime() / 1000) + resetSeconds),
  }
}

/** What a caller over the limit is told. */
export const tooManyRequests = ({ resetSeconds }: LimitState): Failure =>
  new Failure('TooManyRequests', `Too many requests: try again in ${resetSeconds} seconds.`, {
    details: { retryAfter: resetSeconds },
    retryAfterSeconds: resetSeconds,
  })
