import type { BriefRecord } from '@platform/broker'
import type { EventRecord } from '@platform/contracts'
import type { Clock } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import { AskedDocument } from '@platform/search'
import { mayReceive } from '../event-log/event-visibility.ts'
import { TimeSlice } from '../event-log/time-slice.ts'
import { type DeliveryStore, deliveryOf, type NewDelivery } from './delivery-store.ts'
import type { SubscriptionRecord } from './subscription.ts'
import type { SubscriptionStore } from './subscription-store.ts'
import { wishOf } from './wanted-events.ts'

interface Needs {
  subscriptions: Pick<SubscriptionStore, 'activeOf'>
  deliveries: Pick<DeliveryStore, 'add'>
  permissions: Pick<Permissions, 'roleOf'>
  /** Events, each whole, in their order. */
  readWhole: (events: readonly BriefRecord[]) => Promise<EventRecord[]>
  clock: Clock
}

/** A subscription, and the question whether it asks for an event. */
interface Wish {
  subscription: SubscriptionRecord
  isWanted: ReturnType<typeof wishOf>
}

/**
 * Makes a delivery of each event for each active subscription of its workspace that asks for it. Subscriptions are
 * asked for with every batch, not cached: one that was just made misses nothing. Idempotent: a delivery's id is
 * derived from event and subscription.
 */
export const fanOutEvents =
  (deps: Needs) =>
  async (events: readonly BriefRecord[]): Promise<void> => {
    const ids = events.flatMap(({ source }) => (source.workspaceId === undefined ? [] : [source.workspaceId]))
    if (ids.length === 0) return
    const subscriptions = await deps.subscriptions.activeOf([...new Set(ids)])
    if (subscriptions.length === 0) return

    const wanted: NewDelivery[] = []
    const slice = new TimeSlice()
    const wishes = Map.groupBy(
      subscriptions.map((subscription) => ({ subscription, isWanted: wishOf(subscription) })),
      ({ subscription }) => subscription.workspaceId,
    )
    const ofSubscribers = events.filter(({ source }) => wishes.has(source.workspaceId ?? ''))
    for (const event of await deps.readWhole(ofSubscribers)) {
      const ofWorkspace = wishes.get(event.source.workspaceId ?? '') ?? []
      wanted.push(...(await deliveriesOf(deps.permissions, event, ofWorkspace, slice)))
    }

    if (wanted.length > 0) await deps.deliveries.add(wanted, deps.clock.now())
  }

async function deliveriesOf(
  permissions: Needs['permissions'],
  event: EventRecord,
  wishes: readonly Wish[],
  slice: TimeSlice,
): Promise<NewDelivery[]> {
  const wanted: NewDelivery[] = []
  const asked = new AskedDocument(event)
  for (const { subscription, isWanted } of wishes) {
    if (slice.isOver) await slice.yield()
    if (!isWanted(event, asked)) continue
    if (await mayReceive(permissions, subscription, event)) wanted.push(deliveryOf(event, subscription.id))
  }
  return wanted
}
