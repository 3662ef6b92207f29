import { type EventRecord, nativeEvents } from '@platform/contracts'
import { type Database, type Queries, type Sql, sql, textArray, vectorArray } from '@platform/database'
import { type BriefRecord, isWhole } from './broker.ts'
import { keepRecordText, recordText } from './record-text.ts'
import { rememberTrace, traceOf } from './traces.ts'

/** A position in the log: after the event with this `position` in transaction `xid`. */
export interface LogCursor {
  xid: string
  position: number
}

/** An event of the log with its position. */
export interface LogEvent extends LogCursor {
  id: string
  /** True when it is announced to every instance. */
  announce: boolean
  /** Where it was asked for so: a `BriefRecord`. */
  record: EventRecord
}

/** Before everything. */
export const LOG_START: LogCursor = { xid: '0', position: 0 }

/** What stands in the log behind a cursor. */
export interface LogPage {
  events: LogEvent[]
  /**
   * True while a transaction is under way: what others have committed since it began is held back until it ends, of
   * which nothing may tell.
   */
  isHeldBack: boolean
}

/**
 * The next `limit` events after a cursor, in the order of the log; no later commit can come before one of them. Those
 * of `briefTypes` come as a `BriefRecord`.
 */
export async function readLog(
  queries: Queries,
  after: LogCursor,
  limit: number,
  briefTypes: readonly string[] = [],
): Promise<LogPage> {
  const rows = await queries.many<LogRow>(sql`
    select next.id, next.xid, next.position, next.announce, next.record::text as text, next.traceparent,
      next.type, next.workspace_id as "workspaceId", pg_snapshot_xmin(now) < pg_snapshot_xmax(now) as "isHeldBack"
    from pg_current_snapshot() as now
    left join lateral outbox.read_events(
      ${after.xid}::xid8, ${after.position}::bigint, ${limit}::int, ${briefTypes}::text[]) as next on true`)
  return { events: rows.filter(isEvent).map(toEvent), isHeldBack: rows[0]?.isHeldBack === true }
}

function toEvent(row: EventRow): LogEvent {
  const { id, xid, position, announce } = row
  return { id, xid, position, announce, record: recordIn(row) }
}

/** The text of a record is kept beside it: who stores events elsewhere need not write it once more. */
function recordIn({ id, type, workspaceId, text, traceparent }: EventRow): EventRecord {
  const record =
    text === null ? briefRecord(id, type, workspaceId) : keepRecordText(JSON.parse(text) as EventRecord, text)
  rememberTrace(record, traceparent)
  return record
}

function briefRecord(id: string, type: string, workspaceId: string | null): EventRecord {
  const brief: BriefRecord = { id, type, source: workspaceId === null ? {} : { workspaceId } }
  return brief as EventRecord
}

interface EventRow extends Omit<LogEvent, 'record'> {
  /** Null where the event is brief. */
  text: string | null
  type: string
  workspaceId: string | null
  traceparent: string | null
  isHeldBack: boolean
}
/** Where nothing follows, there is a row without an event. */
type LogRow = EventRow | { id: null; isHeldBack: boolean }

const isEvent = (row: LogRow): row is EventRow => row.id !== null

/** Where the event with this id is; undefined when the log doesn't have it (any more). */
export async function findCursor(queries: Queries, id: string): Promise<LogCursor | undefined> {
  const [cursor] = await queries.many<LogCursor>(
    sql`select xid, position from outbox.events where id = ${id}::uuid`,
  )
  return cursor
}

/** The record of the event with this id, as it was committed; undefined when the log doesn't have it (any more). */
export async function readRecord(queries: Queries, id: string): Promise<EventRecord | undefined> {
  const [record] = await readRecords(queries, [id])
  return record
}

/** The records with these ids that the log still has, in no order. */
export async function readRecords(queries: Queries, ids: readonly string[]): Promise<EventRecord[]> {
  const rows = await queries.many<{ record: EventRecord }>(
    sql`select record from outbox.events where id = any(${ids}::uuid[])`,
  )
  return rows.map(({ record }) => record)
}

/** Events, each whole, in their order: those that are brief are read; one that is gone from the log is left out. */
export async function readWhole(queries: Queries, events: readonly BriefRecord[]): Promise<EventRecord[]> {
  const brief = events.filter((event) => !isWhole(event))
  const read =
    brief.length === 0
      ? []
      : await readRecords(
          queries,
          brief.map(({ id }) => id),
        )
  const records = new Map(read.map((record) => [record.id, record]))
  return events.flatMap((event) => (isWhole(event) ? event : (records.get(event.id) ?? [])))
}

/** The cursor of a reader. A new reader begins before everything; from now on only what it has read is deleted. */
export async function loadCursor(queries: Queries, reader: string): Promise<LogCursor> {
  await queries.many(sql`insert into outbox.consumers (name) values (${reader}) on conflict do nothing`)
  const [cursor] = await queries.many<LogCursor>(
    sql`select xid, position from outbox.consumers where name = ${reader}`,
  )
  return cursor ?? LOG_START
}

/**
 * Moves the cursor of a reader forward, never back. Nobody waits for the disk: a server that crashes within the next
 * second may forget how far the reader had come, which then gets the last events again.
 */
export async function storeCursor(queries: Queries, reader: string, cursor: LogCursor): Promise<void> {
  await queries.many(sql`
    with hurried as materialized (select set_config('synchronous_commit', 'off', true))
    update outbox.consumers
    set xid = ${cursor.xid}::xid8, position = ${cursor.position}::bigint, updated_at = now()
    from hurried
    where name = ${reader} and (xid, position) < (${cursor.xid}::xid8, ${cursor.position}::bigint)`)
}

/** The types of native events that are announced to every instance; only the platform can emit a native type. */
const announcedTypes: ReadonlySet<string> = new Set(
  [...nativeEvents.values()].flatMap(({ type, everyInstance }) => (everyInstance === true ? [type] : [])),
)

/**
 * An `insert … returning` that appends records to the log. It runs alone, in a transaction, or as a part of a
 * statement that writes other rows as well:
 *
 *     sql`with run_rows as (insert into runtime.runs …), events as (${insertEvents(records)}) select 1`
 *
 * At least one record; an id that is there already is left as it is. The commit announces what every instance is to
 * know; `wakeReaders` tells the readers. The records must have passed `capEvent` of the outbox. `wordsOf` tells by
 * what an event is to be found in the log of its workspace, where that is worked out here.
 */
export function insertEvents(
  records: readonly EventRecord[],
  isAnnounced = ({ type }: EventRecord): boolean => announcedTypes.has(type),
  wordsOf?: WordsOf,
): Sql {
  const ids = records.map(({ id }) => id)
  const workspaceIds = records.map(({ source }) => source.workspaceId ?? null)
  const types = records.map(({ type }) => type)
  const announced = records.map(isAnnounced)
  const texts = textArray(records.map(recordText))
  const traceparents = records.map((record) => traceOf(record) ?? null)
  const words = wordsOf === undefined ? [] : records.map(wordsOf)
  const vocabularies = words.map((one) => one?.vocabulary ?? null)
  return sql`
    insert into outbox.events (id, workspace_id, type, announce, record, traceparent, words, vocabulary)
    select input.id, input.workspace_id, input.type, input.announce, input.record::json, input.traceparent, input.words,
      input.vocabulary
    from unnest(${ids}::uuid[], ${workspaceIds}::text[], ${types}::text[], ${announced}::boolean[], ${texts}::text[],
        ${traceparents}::text[], ${vectorArray(words.map((one) => one?.own))}::tsvector[], ${vocabularies}::uuid[])
      as input (id, workspace_id, type, announce, record, traceparent, words, vocabulary)
    on conflict do nothing
    returning case when announce then outbox.announce(type, workspace_id, record->'payload') end`
}

/** Works out by what an event is found in the log of its workspace; undefined where the log is to do that itself. */
export type WordsOf = (record: EventRecord) => EventWords | undefined

/** By what an event is found: lexemes, a `tsvector` in its binary form, and those of the vocabulary with this id. */
export interface EventWords {
  readonly own: Uint8Array
  readonly vocabulary: string | undefined
}

/**
 * A `select` of these events, for who copies them within the database: `place` in the list, counted from 1, `id`,
 * `record`, and `words` and `vocabulary` as `insertEvents` got them. What isn't there (any more) is left out.
 */
export const selectEvents = (ids: readonly string[]): Sql =>
  sql`select place, id, record, words, vocabulary from outbox.events_of(${ids}::uuid[])`

const CHANNEL = 'outbox'

/** Tells the readers of the log what was inserted, once it is committed. */
export const wakeReaders = (queries: Queries): void => queries.notify(CHANNEL)

/** Calls `wake` when the log may have something new. */
export const listenToLog = (database: Database, wake: () => void): Promise<AsyncDisposable> =>
  database.listen(CHANNEL, wake, wake)

/**
 * The only reader of the log where the transport is another system; where the log is the queue, each group reads it.
 * Opening deletes the readers of the other kind, because a reader that stands still keeps every partition. Should they
 * come back, they read what is left once more, which their handlers are made for.
 */
export const RELAY_READER = 'relay'
