import type { EventRecord } from '@platform/contracts'
import { type Queries, sql } from '@platform/database'

/** Committed events that are in no log. */
export const outboxRecordStore = (queries: Queries) => ({
  /** Undefined when it was committed too long ago. */
  async findRecord(id: string): Promise<EventRecord | undefined> {
    const [row] = await queries.many<{ record: EventRecord }>(
      sql`select record from outbox.events where id = ${id}::uuid`,
    )
    return row?.record
  },
})
