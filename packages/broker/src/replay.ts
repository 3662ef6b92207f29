import type { EventRecord } from '@platform/contracts'
import { type Database, sql } from '@platform/database'
import { type Delivery, deliver, throughOutages } from './deliver.ts'

const LOOK_EVERY_MS = 1000
const BATCH = 100

/** A letter that was asked for, and when: whoever asks for it anew while it is delivered asks for another delivery. */
interface Asked {
  record: EventRecord
  eventId: string
  askedAt: string
}

/**
 * What the active process of a group calls between two batches: delivers the dead letters of the group that somebody asked for again.
 * Looks at most once a second.
 */
export function replayer(database: Database, delivery: Delivery): () => Promise<void> {
  const { group } = delivery
  let lookAt = 0
  return async () => {
    if (performance.now() < lookAt) return
    const asked = await throughOutages(delivery, () =>
      database.many<Asked>(sql`
        select record, event_id as "eventId", replay_asked_at::text as "askedAt" from outbox.dead_letters
        where group_name = ${group} and replay_asked_at is not null order by number limit ${BATCH}`),
    )
    if (asked.length > 0) await replay(asked)
    // A full page has more behind it.
    lookAt = asked.length < BATCH ? performance.now() + LOOK_EVERY_MS : 0
  }

  async function replay(asked: Asked[]): Promise<void> {
    const ids = asked.map(({ eventId }) => eventId)
    const times = asked.map(({ askedAt }) => askedAt)
    await deliver(
      asked.map(({ record }) => record),
      delivery,
    )
    // What was given up again is no longer asked for, and what was given up and then asked for anew is not what was delivered.
    await throughOutages(delivery, () =>
      database.many(sql`
        delete from outbox.dead_letters
        where group_name = ${group} and (event_id, replay_asked_at) in (
          select * from unnest(${ids}::text[], ${times}::timestamptz[]))`),
    )
  }
}
