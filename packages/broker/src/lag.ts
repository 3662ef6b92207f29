import { type Queries, sql } from '@platform/database'
import { uuidv7Ms } from '@platform/kernel'

/** How far one reader of the log of events is behind. */
export interface Lag {
  /** A group, or `relay`: what all groups of a broker outside of the database have yet to handle. */
  group: string
  /** Age of the oldest event it has yet to handle, in milliseconds; 0 when there is none. */
  ageMs: number
}

/** Asks how far each reader of the log is behind, at the price of one index look-up a reader. */
export async function readLags(queries: Queries): Promise<Lag[]> {
  const rows = await queries.many<{ group: string; id: string | null }>(sql`
    select consumers.name as "group", next.id
    from outbox.consumers
    left join lateral outbox.events_after(consumers.xid, consumers.position, 1) next on true`)
  return rows.map(({ group, id }) => ({
    group,
    ageMs: id === null ? 0 : Math.max(0, Date.now() - uuidv7Ms(id)),
  }))
}
