import { setTimeout as pause } from 'node:timers/promises'
import { atMost } from '@platform/kernel'
import { LRUCache } from 'lru-cache'

/** How much of each kind of work a workspace may do each second on this instance, and how much at once. */
export type ThrottleLimits<Work extends string> = Readonly<
  Record<Work, { readonly perSecond: number; readonly burst: number }>
>

/** Makes busy workspaces wait, each for itself, so that the others don't wait for them. */
export interface Throttle<Work extends string> {
  /** Milliseconds to wait before doing `amount` of the work; 0 when there is room. */
  take(workspaceId: string, work: Work, amount: number, nowMs: number): number
  /** Gives back what was taken and will not be done: who comes later must not wait for it. */
  giveBack(workspaceId: string, work: Work, amount: number): void
}

/** Enough for every workspace that is busy at the same time; one that falls out starts with a full burst again. */
const MAX_BUCKETS = 20_000

/** A throttle without limits. */
export const unlimited: Throttle<string> = { take: () => 0, giveBack: () => undefined }

/** Token buckets kept as one number each: the instant at which the bucket would be full again. */
export function createThrottle<Work extends string>(limits: ThrottleLimits<Work>): Throttle<Work> {
  const fullAt = new LRUCache<string, number>(atMost(MAX_BUCKETS))
  return {
    take(workspaceId, work, amount, nowMs) {
      const { perSecond, burst } = limits[work]
      const key = `${work} ${workspaceId}`
      const start = Math.max(nowMs, fullAt.get(key) ?? 0)
      const next = start + (amount * 1000) / perSecond
      fullAt.set(key, next)
      return Math.max(0, next - nowMs - (burst * 1000) / perSecond)
    },
    giveBack(workspaceId, work, amount) {
      const key = `${work} ${workspaceId}`
      const at = fullAt.get(key)
      if (at !== undefined) fullAt.set(key, at - (amount * 1000) / limits[work].perSecond)
    },
  }
}

/** Resolves when the workspace may do the work once more; rejects with the signal, and then nothing is taken. */
export async function throttled<Work extends string>(
  throttle: Throttle<Work>,
  workspaceId: string,
  work: Work,
  signal: AbortSignal,
): Promise<void> {
  const waitMs = throttle.take(workspaceId, work, 1, performance.now())
  if (waitMs <= 0) return
  try {
    await pause(waitMs, undefined, { signal })
  } catch (error) {
    throttle.giveBack(workspaceId, work, 1)
    throw error
  }
}
