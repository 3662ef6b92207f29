import type { DeliveryStatus, EventRecord, SubscriptionDelivery } from '@platform/contracts'
import { derivedUuidv7, Failure, isUuid, lowestUuidv7 } from '@platform/kernel'

/** A delivery as it is stored, without the event. */
export interface DeliveryRecord {
  id: string
  eventId: string
  eventType: string
  status: DeliveryStatus
  tries: number
  dueAt: Date
  lastStatus: number | null
  lastError: string | null
  createdAt: Date
  deliveredAt: Date | null
}

/** An event for a subscription. */
export interface NewDelivery {
  id: string
  subscriptionId: string
  event: EventRecord
}

/** The delivery of an event to a subscription: always the same id, so that it can't be doubled. */
export function deliveryOf(event: EventRecord, subscriptionId: string): NewDelivery {
  const hasTime = isUuid(event.id) && event.id[14] === '7'
  const timeOf = hasTime ? event.id : timeOfInstant(event.createdAt)
  return { id: derivedUuidv7(timeOf, event.id, subscriptionId), subscriptionId, event }
}

/** A UUIDv7 of an instant, for events whose own id has none. */
function timeOfInstant(createdAt: string): string {
  const lowest = lowestUuidv7(Date.parse(createdAt))
  return `${lowest.slice(0, 14)}7${lowest.slice(15)}`
}

/** The body of a delivery as Standard Webhooks has it; of one event always the same text. */
export const bodyOf = (
  { type, createdAt }: Pick<EventRecord, 'type' | 'createdAt'>,
  eventText: string,
): string => `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(createdAt)},"data":${eventText}}`

/** A delivery as it is answered. */
export const describedDelivery = (record: DeliveryRecord): SubscriptionDelivery => ({
  id: record.id,
  eventId: record.eventId,
  eventType: record.eventType,
  status: record.status,
  tries: record.tries,
  nextTryAt: record.status === 'pending' ? record.dueAt.toISOString() : null,
  lastStatus: record.lastStatus,
  lastError: record.lastError,
  createdAt: record.createdAt.toISOString(),
  deliveredAt: record.deliveredAt?.toISOString() ?? null,
})

export const deliveryNotFound = (): Failure =>
  new Failure('ObjectNotFoundError', 'There is no such delivery of this subscription: check its id.')
