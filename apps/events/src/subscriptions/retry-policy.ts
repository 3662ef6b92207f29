import { subscriptionPaused } from '@platform/contracts'
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { LeasedQueue, SendingSubscription, TryStore } from './queue-store.ts'
import type { SubscriptionChangeStore } from './subscription-change-store.ts'

// What follows a try: the next one, an earlier one when the endpoint is back, or a pause when it stays away.

const FIRST_PAUSE_MS = 5 * SECOND_MS
const LONGEST_PAUSE_MS = 6 * HOUR_MS
const GROWTH = 3
/** Tries of a delivery end this long after the first one. */
const TRIES_MS = DAY_MS

interface Asked {
  /** Tries so far, at least one. */
  tries: number
  begunAt: Date
  now: Date
  /** What the endpoint asked for, in milliseconds. */
  retryAfterMs: number | undefined
  /** 0 to 1. */
  random: number
}

/**
 * When a delivery is tried again; undefined when its 24 hours are over. Pauses grow threefold from 5 s to 6 h, with
 * ±20 % jitter; a longer `Retry-After` is honoured up to the longest pause. The last try is at the end of the 24
 * hours.
 */
export function nextTry({ tries, begunAt, now, retryAfterMs = 0, random }: Asked): Date | undefined {
  const end = begunAt.getTime() + TRIES_MS
  if (now.getTime() >= end) return undefined
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** Math.min(tries - 1, 20))
  const jitteredMs = pauseMs * (0.8 + 0.4 * random)
  const askedMs = Math.min(LONGEST_PAUSE_MS, retryAfterMs)
  return new Date(Math.min(end, now.getTime() + Math.max(jitteredMs, askedMs)))
}

/** What failed for less than this comes due by itself soon enough. */
const OUTAGE_MS = MINUTE_MS
const HASTEN_BATCH = 1000

/** Called when something arrived where nothing had since `failingSince`. */
export type HastenRetries = (queue: LeasedQueue, failingSince: Date) => Promise<void>

/**
 * An endpoint that is back after an outage gets what it missed now: pauses between tries have grown to hours by then.
 * Where this is cut short, the rest is tried when it would have been.
 */
export const hastenRetries =
  (deps: { tries: Pick<TryStore, 'hasten'>; clock: Clock; log: Logger }): HastenRetries =>
  async ({ subscriptionId }, failingSince) => {
    const now = deps.clock.now()
    if (now.getTime() - failingSince.getTime() < OUTAGE_MS) return
    let hastened = 0
    try {
      for (let some = HASTEN_BATCH; some === HASTEN_BATCH; hastened += some)
        some = await deps.tries.hasten(subscriptionId, now, HASTEN_BATCH)
    } catch (error) {
      deps.log.warn({ err: error, subscriptionId }, 'what a webhook endpoint missed is not tried sooner')
    }
    if (hastened > 0) deps.log.info({ subscriptionId, hastened, failingSince }, 'a webhook endpoint is back')
  }

/** Pauses a subscription after a try that failed, when it is time. */
export type PauseSubscription = (subscription: SendingSubscription, isGone: boolean) => Promise<void>

/**
 * Pauses at once what answers 410, and what has not taken a single delivery for `afterMs` although it was tried; an
 * event of the workspace says so. What waits is stored for when it is resumed. An address that was changed meanwhile
 * has not failed.
 */
export const pauseFailing =
  (deps: { changes: SubscriptionChangeStore; clock: Clock; afterMs: number }): PauseSubscription =>
  async (subscription, isGone) => {
    const now = deps.clock.now()
    const failingSince = subscription.failingSince ?? now
    if (!isGone && now.getTime() - failingSince.getTime() < deps.afterMs) return

    const { id, workspaceId, name, url, createdBy } = subscription
    const reason = isGone ? 'gone' : 'failing'
    await deps.changes.commit(async (change) => {
      if (!(await change.subscriptions.pause({ id, url }, reason, now))) return
      const payload = {
        subscriptionId: id,
        name,
        host: new URL(url).host,
        reason,
        createdBy,
        failingSince: failingSince.toISOString(),
      } as const
      await change.emit(subscriptionPaused, payload, workspaceId)
    })
  }
