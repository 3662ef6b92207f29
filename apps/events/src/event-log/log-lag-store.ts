import { type Queries, sql } from '@platform/database'

/** The group that appends events to the log. */
export const LOG_GROUP = 'events'

/**
 * Age of the oldest committed event that the log does not have yet, 0 where it has all. Behind a relay only what all
 * groups have handled is known, and a cursor may be one of a driver that was used before: what the log has is never
 * late. (A log that is behind what another group has yet to handle shows as the lag of that group.)
 */
export async function logLagMs(queries: Queries, relayReader: string): Promise<number> {
  const rows = await queries.many<{ createdAt: string }>(sql`
    select next.record->>'createdAt' as "createdAt"
    from outbox.consumers
    cross join lateral outbox.events_after(consumers.xid, consumers.position, 1) next
    where consumers.name in (${LOG_GROUP}, ${relayReader})
      and coalesce(next.record->'options'->>'persist', 'true') <> 'false'
      and not exists (select from search.documents where documents.id = next.id)`)
  return Math.max(0, ...rows.map(({ createdAt }) => Date.now() - Date.parse(createdAt) || 0))
}
