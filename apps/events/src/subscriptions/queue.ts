import type { DeliveryStatus, DeliveryTry } from '@platform/contracts'
import type { SubscriptionRecord } from './subscription.ts'

/** What is sent is read again for every turn, so that a change holds from the next request on. */
export type Sending = Pick<
  SubscriptionRecord,
  | 'id'
  | 'workspaceId'
  | 'name'
  | 'url'
  | 'ordered'
  | 'maxConcurrency'
  | 'headers'
  | 'secret'
  | 'previousSecret'
  | 'previousSecretUntil'
  | 'active'
  | 'createdBy'
  | 'updatedBy'
  | 'seesAll'
  | 'failingSince'
>

/** A delivery whose time has come. */
export interface WaitingDelivery {
  deliveryId: string
  /** JSON text of the event. */
  event: string
  /** Before this one. */
  tries: number
  begunAt: Date
}

/** What a holder of a queue does next. */
export interface Turn {
  subscription: Sending
  /** Requests it may have under way. */
  atOnce: number
  /** Where the count of news stood. */
  news: number
  deliveries: WaitingDelivery[]
  /** Nothing else was due. */
  isLast: boolean
}

/** One try as it is kept. */
export type TryRecord = Omit<DeliveryTry, 'at'> & { id: string }

/** How a try of a delivery ended, and what comes next. */
export interface TriedDelivery {
  deliveryId: string
  tries: number
  at: Date
  status: DeliveryStatus
  dueAt: Date
  /** Until then the endpoint asked to be left alone. */
  notBefore: Date | null
  log: TryRecord
  /** False when the endpoint was not asked: it did not fail. */
  isSent: boolean
}
