import type { EventRecord } from '@platform/contracts'
import { type Database, sql } from '@platform/database'
import { type Delivery, deliver, throughOutages } from './deliver.ts'

const LOOK_EVERY_MS = 1000
const BATCH = 100

/**
 * What the active process of a group calls between two batches: delivers the dead letters of the group that somebody asked for again.
 * Looks at most once a second.
 */
export function replayer(database: Database, delivery: Delivery): () => Promise<void> {
  const { group } = delivery
  let lookAt = 0
  return async () => {
    if (performance.now() < lookAt) return
    const records = await throughOutages(delivery, () =>
      database.many<{ record: EventRecord }>(sql`
        select record from outbox.dead_letters
        where group_name = ${group} and replay_asked_at is not null order by number limit ${BATCH}`),
    )
    if (records.length > 0) await replay(records.map(({ record }) => record))
    // A full page has more behind it.
    lookAt = records.length < BATCH ? performance.now() + LOOK_EVERY_MS : 0
  }

  async function replay(events: EventRecord[]): Promise<void> {
    const ids = events.map(({ id }) => id)
    await deliver(events, delivery)
    // What was given up again is no longer asked for.
    await throughOutages(delivery, () =>
      database.many(sql`
        delete from outbox.dead_letters
        where group_name = ${group} and event_id = any(${ids}::text[]) and replay_asked_at is not null`),
    )
  }
}
