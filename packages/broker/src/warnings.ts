import { type Queries, sql } from '@platform/database'
import { countDeadLetters } from './dead-letters.ts'

/** A group that is further behind is reported. */
const LAG_MS = 60_000

/**
 * What an operator should look at: groups that are more than a minute behind, and events that were given up. Both are
 * no reason to take a service out of rotation.
 */
export async function deliveryWarnings(queries: Queries): Promise<string[]> {
  const lags = await readLags(queries)
  const letters = await countDeadLetters(queries)
  return [
    ...lags
      .filter(({ ageMs }) => ageMs > LAG_MS)
      .map(
        ({ group, ageMs }) => `"${group}" has events to handle that are ${Math.round(ageMs / 1000)} s old.`,
      ),
    ...letters.map(
      ({ group, letters: count }) =>
        `${count} event${count === 1 ? ' was' : 's were'} given up by "${group}": look at the dead letters.`,
    ),
  ]
}

/** How far one reader of the log of events is behind. */
export interface Lag {
  /** A group, or `relay`: what all groups of a broker outside of the database have yet to handle. */
  group: string
  /** Age of the oldest event it has yet to handle, in milliseconds; 0 when there is none. */
  ageMs: number
}

/** Asks how far each reader of the log is behind, at the price of one index look-up a reader. */
export async function readLags(queries: Queries): Promise<Lag[]> {
  const rows = await queries.many<{ group: string; createdAt: string | null }>(sql`
    select consumers.name as "group", next.record->>'createdAt' as "createdAt"
    from outbox.consumers
    left join lateral outbox.events_after(consumers.xid, consumers.position, 1) next on true`)
  return rows.map(({ group, createdAt }) => ({
    group,
    // Not the instant of its id: that is the one of its cause, or what a client chose.
    ageMs: createdAt === null ? 0 : Math.max(0, Date.now() - Date.parse(createdAt)),
  }))
}
