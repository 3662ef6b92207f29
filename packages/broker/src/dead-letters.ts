import { type Queries, sql } from '@platform/database'

/** An event that a group gave up, and why. `record` is missing when what came was no event at all. */
export interface DeadLetter {
  group: string
  eventId: string
  record: unknown
  reason: string
}

/** Keeps a dead letter; one that is there already is left as it is. */
export async function keepDeadLetter(queries: Queries, letter: DeadLetter): Promise<void> {
  const record = letter.record === undefined ? null : JSON.stringify(letter.record)
  await queries.many(sql`
    insert into outbox.dead_letters (group_name, event_id, record, reason)
    values (${letter.group}, ${letter.eventId}, ${record}::json, ${letter.reason})
    on conflict do nothing`)
}
