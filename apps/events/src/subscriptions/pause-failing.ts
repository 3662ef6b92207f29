import { subscriptionPaused } from '@platform/contracts'
import type { Clock } from '@platform/kernel'
import type { Sending } from './queue-store.ts'
import type { SubscriptionChangeStore } from './subscription-change-store.ts'

/** Pauses a subscription after a try that failed, when it is time. */
export type PauseSubscription = (subscription: Sending, isGone: boolean) => Promise<void>

/**
 * Pauses at once what answers 410, and what has not taken a single delivery for `afterMs` although it was tried;
 * tells of it with an event of the workspace. What waits is kept for when it is resumed. An address that was changed
 * meanwhile has not failed.
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
      const told = { subscriptionId: id, name, host: new URL(url).host, reason, createdBy } as const
      await change.tell(
        subscriptionPaused,
        { ...told, failingSince: failingSince.toISOString() },
        workspaceId,
      )
    })
  }
