import type { EventContract, EventRecord, EventSource, PayloadInputOf } from '@platform/contracts'
import type { Queries } from '@platform/database'

/**
 * Events committed with the change that caused them (architecture 5.7). What was added is delivered once the
 * transaction commits, and never when it does not.
 */
export interface Outbox {
  /**
   * Adds a native event inside `tx`, its payload checked against its contract. Answers the record as it will be
   * delivered.
   */
  add<C extends EventContract>(
    tx: Queries,
    contract: C,
    payload: PayloadInputOf<C>,
    source: EventSource,
  ): Promise<EventRecord>
  /** Adds finished records inside `tx` with one statement; an id that is there already is left as it is. */
  addRecords(tx: Queries, records: readonly EventRecord[]): Promise<void>
  /**
   * Commits records whose ids were chosen by somebody who may send them again, all or none, and answers them as they
   * are kept: an event that is there already, of the same workspace and with the same content, is its own answer.
   * Throws `IdempotencyKeyReused` when an id belongs to anything else.
   */
  commitOnce(records: readonly EventRecord[]): Promise<EventRecord[]>
  /** Commits records in a transaction of their own, together with those of other callers (group commit). */
  commit(records: readonly EventRecord[]): Promise<void>
}
