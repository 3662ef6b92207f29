import type { EventRecord } from '@platform/contracts'

/** What a handler does with a batch: resolve when every event's work is committed, reject to get the batch again. */
export type BatchHandler = (events: EventRecord[]) => Promise<void>

/**
 * Durable delivery of committed events: each event reaches one instance of a group, at least once, in order per
 * workspace. Handlers are idempotent by event id. A failing batch is tried again with growing pauses, then event by
 * event; an event that fails alone `maxDeliveries` times goes to the dead letters with its reason and the rest goes
 * on.
 */
export interface Queue {
  /**
   * Hands events to the transport. Resolves when they are durable there; the relay calls it with what PostgreSQL
   * committed.
   */
  publish(events: EventRecord[]): Promise<void>
  /** Consumes as one of the instances of `group`. Disposing stops after the batch in hand. */
  consume(
    group: string,
    handle: BatchHandler,
    options?: { maxBatch?: number; maxDeliveries?: number },
  ): Promise<AsyncDisposable>
}
