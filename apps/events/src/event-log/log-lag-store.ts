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

/** Of so many events that were committed last, by all workspaces, it is known whether the log has them. */
const LAST_EVENTS = 10_000

/** Ids of the events of a workspace, created before an instant, that are committed and the log does not have yet. */
export async function listLacking(
  queries: Queries,
  { workspaceId, before, relayReader }: { workspaceId: string; before: Date; relayReader: string },
): Promise<string[]> {
  const rows = await queries.many<{ id: string }>(sql`
    select last.id from (
      select e.id, e.workspace_id, e.record from outbox.events e
      where (e.xid, e.position) > (
        select c.xid, c.position from (
          select xid, position from outbox.consumers where name in (${LOG_GROUP}, ${relayReader})
          union all select '0'::xid8, 0 where not exists (select from outbox.consumers where name = ${LOG_GROUP})
        ) c order by c.xid, c.position limit 1)
      order by e.xid desc, e.position desc limit ${LAST_EVENTS}
    ) last
    where last.workspace_id = ${workspaceId} and (last.record->>'createdAt')::timestamptz < ${before}
      and coalesce(last.record->'options'->>'persist', 'true') <> 'false'
      and not exists (select from search.documents d where d.id = last.id)`)
  return rows.map(({ id }) => id)
}

/** Those of the events that the log still does not have. */
export async function withoutLogged(queries: Queries, ids: readonly string[]): Promise<string[]> {
  const rows = await queries.many<{ id: string }>(sql`
    select lacking.id::text as id from unnest(${ids}::uuid[]) as lacking (id)
    where not exists (select from search.documents d where d.id = lacking.id)`)
  return rows.map(({ id }) => id)
}
