import { type Clock, MINUTE_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { HeldQueue } from './queue-store.ts'
import type { TryStore } from './try-store.ts'

/** What failed for less than this comes due by itself soon enough. */
const OUTAGE_MS = MINUTE_MS
const BATCH = 1000

/** Called when something arrived where nothing had since `failingSince`. */
export type HastenRetries = (held: HeldQueue, failingSince: Date) => Promise<void>

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
      for (let some = BATCH; some === BATCH; hastened += some)
        some = await deps.tries.hasten(subscriptionId, now, BATCH)
    } catch (error) {
      deps.log.warn({ err: error, subscriptionId }, 'what a webhook endpoint missed is not tried sooner')
    }
    if (hastened > 0) deps.log.info({ subscriptionId, hastened, failingSince }, 'a webhook endpoint is back')
  }
