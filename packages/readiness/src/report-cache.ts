import type { Clock } from '@platform/kernel'

/**
 * Keeps a result for `ttlMs` after it was made; callers that come while it is made share that one round (single
 * flight). A failed round rejects for those who waited for it, and is not kept.
 */
export function cachedFor<T>(ttlMs: number, clock: Clock, make: () => Promise<T>): () => Promise<T> {
  let current: { value: Promise<T>; expiresAt: number } | undefined
  const begin = () => {
    const round = { value: (async () => make())(), expiresAt: Number.POSITIVE_INFINITY }
    round.value.then(
      () => {
        round.expiresAt = clock.now().getTime() + ttlMs
      },
      () => {
        current = undefined
      },
    )
    return round
  }
  return () => {
    if (current === undefined || current.expiresAt <= clock.now().getTime()) current = begin()
    return current.value
  }
}
