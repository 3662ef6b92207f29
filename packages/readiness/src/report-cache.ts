import type { Clock } from '@platform/kernel'

/** Keeps an answer for `ttlMs`; callers that come while it is made share that one round (single flight). */
export function cachedFor<T>(ttlMs: number, clock: Clock, make: () => Promise<T>): () => Promise<T> {
  let kept: { value: Promise<T>; expiresAt: number } | undefined
  return () => {
    const now = clock.now().getTime()
    if (kept === undefined || kept.expiresAt <= now) {
      const value = make()
      kept = { value, expiresAt: now + ttlMs }
      value.catch(() => {
        kept = undefined
      })
    }
    return kept.value
  }
}
