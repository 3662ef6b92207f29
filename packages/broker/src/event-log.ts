import type { EventRecord } from '@platform/contracts'
import { type Queries, type Sql, sql } from '@platform/database'
import { rememberTrace, traceOf } from './traces.ts'

/** A place in the log: after the event that was position `position` of transaction `xid`. */
export interface LogCursor {
  xid: string
  position: number
}

/** An event of the log with its place. */
export interface LogEvent extends LogCursor {
  id: string
  /** True when every instance is to hear of it. */
  announce: boolean
  record: EventRecord
}

/** Before everything. */
export const LOG_START: LogCursor = { xid: '0', position: 0 }

/** The next `limit` events after a cursor, in the one order of the log, none of which anything can precede any more. */
export async function readEvents(queries: Queries, after: LogCursor, limit: number): Promise<LogEvent[]> {
  const rows = await queries.many<LogEvent & { traceparent: string | null }>(sql`
    select id, xid, position, announce, record, traceparent
    from outbox.events_after(${after.xid}::xid8, ${after.position}::bigint, ${limit}::int)`)
  for (const { record, traceparent } of rows) rememberTrace(record, traceparent)
  return rows
}

/** Where the event with this id is; undefined when the log doesn't hold it (any more). */
export async function findCursor(queries: Queries, id: string): Promise<LogCursor | undefined> {
  const [cursor] = await queries.many<LogCursor>(
    sql`select xid, position from outbox.events where id = ${id}::uuid`,
  )
  return cursor
}

/** The record of the event with this id, as it was committed; undefined when the log doesn't hold it (any more). */
export async function readRecord(queries: Queries, id: string): Promise<EventRecord | undefined> {
  const [record] = await readRecords(queries, [id])
  return record
}

/** The records with these ids that the log still holds, in no order. */
export async function readRecords(queries: Queries, ids: readonly string[]): Promise<EventRecord[]> {
  const rows = await queries.many<{ record: EventRecord }>(
    sql`select record from outbox.events where id = any(${ids}::uuid[])`,
  )
  return rows.map(({ record }) => record)
}

/** The cursor of a reader; a reader nobody knew begins before everything and holds back from now on what is deleted. */
export async function loadCursor(queries: Queries, reader: string): Promise<LogCursor> {
  await queries.many(sql`insert into outbox.consumers (name) values (${reader}) on conflict do nothing`)
  const [cursor] = await queries.many<LogCursor>(
    sql`select xid, position from outbox.consumers where name = ${reader}`,
  )
  return cursor ?? LOG_START
}

/** Moves the cursor of a reader forward, never back. */
export async function storeCursor(queries: Queries, reader: string, cursor: LogCursor): Promise<void> {
  await queries.many(sql`
    update outbox.consumers
    set xid = ${cursor.xid}::xid8, position = ${cursor.position}::bigint, updated_at = now()
    where name = ${reader} and (xid, position) < (${cursor.xid}::xid8, ${cursor.position}::bigint)`)
}

/**
 * The body of an insert that appends records to the log: run it alone, in a transaction, or as a CTE of a larger
 * statement. An id that is there already is left as it is. Readers are woken, and instances told of announced events,
 * when it commits.
 */
export function insertEvents(
  records: readonly EventRecord[],
  isAnnounced: (record: EventRecord) => boolean,
): Sql {
  const ids = records.map(({ id }) => id)
  const workspaceIds = records.map(({ source }) => source.workspaceId ?? null)
  const types = records.map(({ type }) => type)
  const announced = records.map(isAnnounced)
  const texts = records.map((record) => JSON.stringify(record))
  const traceparents = records.map((record) => traceOf(record) ?? null)
  return sql`
    insert into outbox.events (id, workspace_id, type, announce, record, traceparent)
    select input.id, input.workspace_id, input.type, input.announce, input.record::json, input.traceparent
    from unnest(${ids}::uuid[], ${workspaceIds}::text[], ${types}::text[], ${announced}::boolean[], ${texts}::text[],
      ${traceparents}::text[]) as input (id, workspace_id, type, announce, record, traceparent)
    on conflict (id) do nothing
    returning pg_notify('outbox', ''),
      case when announce then outbox.announce(type, workspace_id, record->'payload') end`
}

/**
 * The only reader of the log where the transport is another system; where it is the log itself, the groups are. The
 * readers of the other kind are forgotten at each opening: one that stands still for ever would keep every partition.
 * Should they come back, they read again what is left, which their handlers don't mind.
 */
export const RELAY_READER = 'relay'
