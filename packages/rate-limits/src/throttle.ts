import { setTimeout as pause } from 'node:timers/promises'
import { atMost } from '@platform/kernel'
import { LRUCache } from 'lru-cache'

/** How much of a kind of work may be done each second, and how much at once. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** How much of each kind of work a workspace may do on this instance. */
export type ThrottleLimits<Work extends string> = Readonly<Record<Work, Rate>>

/** Makes busy workspaces wait, each for itself, so that the others don't wait for them. */
export interface Throttle<Work extends string> {
  /** Milliseconds to wait before doing `amount` of the work; 0 when there is room. */
  take(workspaceId: string, work: Work, amount: number, nowMs: number): number
  /** Gives back what was taken and will not be done: who comes later must not wait for it. */
  giveBack(workspaceId: string, work: Work, amount: number): void
  /** What holds for the workspace now; undefined where nothing does. */
  rateOf(workspaceId: string, work: Work): Rate | undefined
}

/** Enough for every workspace that is busy at the same time; one that falls out starts with a full burst again. */
const MAX_BUCKETS = 20_000

/** A throttle without limits. */
export const unlimited: Throttle<string> = {
  take: () => 0,
  giveBack: () => undefined,
  rateOf: () => undefined,
}

/** A bucket of tokens: when it would be full again, in milliseconds, while so many come back each second. */
interface Bucket {
  fullAt: number
  perSecond: number
}

/**
 * Token buckets. `limitsOf` answers the limits of one workspace at once, without asking anything outside: undefined
 * where nothing holds it back.
 */
export function createThrottle<Work extends string>(
  limits: ThrottleLimits<Work>,
  limitsOf: (workspaceId: string) => ThrottleLimits<Work> | undefined = () => limits,
): Throttle<Work> {
  const buckets = new LRUCache<string, Bucket>(atMost(MAX_BUCKETS))
  const rateOf = (workspaceId: string, work: Work) => limitsOf(workspaceId)?.[work]
  return {
    rateOf,
    take(workspaceId, work, amount, nowMs) {
      const rate = rateOf(workspaceId, work)
      if (rate === undefined) return 0
      const { perSecond, burst } = rate
      const key = `${work} ${workspaceId}`
      let bucket = buckets.get(key)
      if (bucket === undefined) {
        bucket = { fullAt: nowMs, perSecond }
        buckets.set(key, bucket)
      }
      bucket.fullAt = Math.max(nowMs, fullAtWith(bucket, perSecond, nowMs)) + (amount * 1000) / perSecond
      bucket.perSecond = perSecond
      return Math.max(0, bucket.fullAt - nowMs - (burst * 1000) / perSecond)
    },
    giveBack(workspaceId, work, amount) {
      const bucket = buckets.get(`${work} ${workspaceId}`)
      if (bucket !== undefined) bucket.fullAt -= (amount * 1000) / bucket.perSecond
    },
  }
}

/** What is missing in a bucket goes on missing when the limit changes; it comes back at another pace. */
const fullAtWith = ({ fullAt, perSecond: before }: Bucket, perSecond: number, nowMs: number): number =>
  before === perSecond ? fullAt : nowMs + ((fullAt - nowMs) * before) / perSecond

/** Workspaces of which something was told, the latest. */
const MAX_TOLD = 20_000

/** Limits of workspaces as others tell them, undefined where nothing holds one back; `limits` for all others. */
export function toldLimits<Work extends string>(limits: ThrottleLimits<Work>) {
  const told = new LRUCache<string, { readonly limits: ThrottleLimits<Work> | undefined }>(atMost(MAX_TOLD))
  return {
    limitsOf(workspaceId: string): ThrottleLimits<Work> | undefined {
      const known = told.get(workspaceId)
      return known === undefined ? limits : known.limits
    },
    tell: (workspaceId: string, its: ThrottleLimits<Work> | undefined) =>
      void told.set(workspaceId, { limits: its }),
    forget: (workspaceId: string) => void told.delete(workspaceId),
  }
}

/** A wait that `take` has told. */
export interface ThrottledWait<Work extends string> {
  readonly workspaceId: string
  readonly work: Work
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
  /** True where nobody wants the work any more; asked about once a second. */
  readonly isOver?: () => boolean
}

/** So often a wait looks whether the limits have changed. */
const LOOK_MS = 1000

/**
 * Resolves when a wait is over: sooner or later than was told where the limits of the workspace change meanwhile.
 * Rejects with the signal.
 */
export async function waitOut<Work extends string>(
  throttle: Pick<Throttle<Work>, 'rateOf'>,
  { workspaceId, work, waitMs, signal, isOver }: ThrottledWait<Work>,
): Promise<void> {
  let [leftMs, rate] = [waitMs, throttle.rateOf(workspaceId, work)]
  while (leftMs > 0 && isOver?.() !== true) {
    const startedAt = performance.now()
    await pause(Math.min(leftMs, LOOK_MS), undefined, { signal })
    const now = throttle.rateOf(workspaceId, work)
    leftMs = waitWith(leftMs - (performance.now() - startedAt), rate, now)
    rate = now
  }
}

/** The same place behind others, in milliseconds, under another limit. */
function waitWith(leftMs: number, before: Rate | undefined, now: Rate | undefined): number {
  if (now === before || before === undefined) return leftMs
  if (now === undefined) return 0
  const missing = (leftMs * before.perSecond) / 1000 + before.burst
  return ((missing - now.burst) * 1000) / now.perSecond
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
    await waitOut(throttle, { workspaceId, work, waitMs, signal })
  } catch (error) {
    throttle.giveBack(workspaceId, work, 1)
    throw error
  }
}
