import type { EventRecord } from '@platform/contracts'
import { type Database, type Queries, type Sql, sql } from '@platform/database'
import { type BriefRecord, readWhole } from '@platform/outbox'
import type { LogPlace, NewWait, Received } from '../automations/wait-inbox.ts'
import { storableJson } from '../contexts/storable.ts'
import { WOKEN_RUNS } from '../runs/run.ts'
import { keyOf, type WaitFilters } from './wait-filter.ts'

export type WaitStore = ReturnType<typeof waitStore>

/** Where in events of a type somebody waits for a value. */
export interface WaitedPath {
  readonly workspaceId: string
  readonly event: string
  readonly path: string
}

export interface WaitProbe extends WaitedPath {
  readonly hash: number
}

/** A wait that an event may end. */
export interface OpenWait extends WaitedPath {
  readonly runId: string
  readonly number: number
  readonly alternative: number
  readonly valueHash: number
  readonly filters: WaitFilters | null
  readonly cancelTriggers: boolean
  /** Events behind this place of the log count; null: all do. */
  readonly afterXid: string | null
  readonly afterPosition: string
  /** The transaction that it was kept in: who handles later events sees it. */
  readonly keptIn: string
  /** True once the log was searched for what came before it was kept. */
  readonly hasLookedBack: boolean
}

/** A wait before the log was searched for it. */
export interface UnseenWait extends OpenWait {
  /** False where it is over already. */
  readonly isOpen: boolean
}

/** Where the log is to be searched for events of a type. */
export interface SearchedType {
  readonly workspaceId: string
  readonly type: string
  readonly after: LogPlace
}

/**
 * An event and its place. Places are void in a database that was restored into another server: they are about
 * transactions of the one before.
 */
const openColumns = sql`
  w.run_id as "runId", w.number, w.alternative, w.workspace_id as "workspaceId", w.event, w.path,
  w.value_hash as "valueHash", w.filters, w.cancel_triggers as "cancelTriggers", w.kept_in::text as "keptIn",
  w.looked_back as "hasLookedBack",
  case when w.after_xid <= pg_snapshot_xmax(pg_current_snapshot()) then w.after_xid::text
    when w.since <= pg_snapshot_xmax(pg_current_snapshot()) then w.since::text end as "afterXid",
  case when w.after_xid <= pg_snapshot_xmax(pg_current_snapshot()) then w.after_position else 0 end::text
    as "afterPosition"`

const horizon = sql`pg_snapshot_xmin(pg_current_snapshot())::text as horizon`

export const waitStore = (database: Database) => ({
  listWaited: (types: readonly { workspaceId: string; type: string }[]): Promise<WaitedPath[]> =>
    database.many<WaitedPath>(sql`
      select workspace_id as "workspaceId", event, path from runtime.list_waited(
        ${types.map(({ workspaceId }) => workspaceId)}::text[], ${types.map(({ type }) => type)}::text[])`),

  find: (probes: readonly WaitProbe[]): Promise<OpenWait[]> =>
    database.many<OpenWait>(sql`
      select ${openColumns} from runtime.find_waits(
        ${probes.map((one) => one.workspaceId)}::text[], ${probes.map((one) => one.event)}::text[],
        ${probes.map(({ path }) => path)}::text[], ${probes.map(({ hash }) => hash)}::int[]) w`),

  /** Events that the log still has, each whole. */
  readWhole: (events: readonly BriefRecord[]): Promise<EventRecord[]> => readWhole(database, events),

  /** Where events are in the log; those that it does not have any more are left out. */
  listPlaces: (ids: readonly string[]): Promise<({ id: string } & LogPlace)[]> =>
    database.many(sql`
      select id, xid::text as xid, position::text as position from outbox.events where id = any(${ids}::uuid[])`),

  /** Runs with waits for which the log was not searched yet. */
  async listUnseen(limit: number): Promise<string[]> {
    const rows = await database.many<{ id: string }>(
      sql`select distinct run_id as id from runtime.waits where not looked_back limit ${limit}`,
    )
    return rows.map(({ id }) => id)
  },

  /** The waits of these runs for which the log was not searched yet. */
  listUnseenWaits: (runIds: readonly string[]): Promise<UnseenWait[]> =>
    database.many<UnseenWait>(sql`
      select ${openColumns}, w.record is null and not w.closed as "isOpen" from runtime.waits w
      where w.run_id = any(${runIds}::uuid[]) and not w.looked_back`),

  /** In the order of the log; of all types those behind a place. */
  listEventsBehind: (
    after: LogPlace,
    types: readonly SearchedType[],
    limit: number,
  ): Promise<(LogPlace & { record: EventRecord })[]> =>
    database.many(
      sql`
        select xid::text as xid, position::text as position, record from runtime.events_behind(
          ${types.map(({ workspaceId }) => workspaceId)}::text[], ${types.map(({ type }) => type)}::text[],
          ${types.map((one) => one.after.xid)}::text[]::xid8[],
          ${types.map((one) => one.after.position)}::text[]::bigint[],
          ${after.xid}::xid8, ${after.position}::bigint, ${limit})`,
      { timeoutMs: 30_000 },
    ),

  markSeen: (waits: readonly Pick<OpenWait, 'runId' | 'number'>[]): Promise<unknown> =>
    database.many(sql`
      update runtime.waits w set looked_back = true
      from ${numbers(waits)} s (run_id, number)
      where w.run_id = s.run_id and w.number = s.number and not w.looked_back`),

  async list(runId: string): Promise<Received> {
    return received(await database.many<ReceivedRow>(sql`${receivedRows(runId)}`))
  },

  async close(runId: string, number: number): Promise<Received> {
    return await database.transaction(async (tx) => {
      await tx.many(sql`
        update runtime.waits set closed = true where run_id = ${runId} and number = ${number} and record is null`)
      return received(await tx.many<ReceivedRow>(receivedRows(runId)))
    })
  },

  insert: (waits: readonly NewWait[]): Promise<unknown> => database.many(insertion(waits)),

  forget: (runId: string): Promise<unknown> =>
    database.many(sql`delete from runtime.waits where run_id = ${runId}`),

  async horizon(): Promise<string> {
    const [row] = await database.many<{ horizon: string }>(sql`select ${horizon}`)
    return row?.horizon ?? '0'
  },

  /** Those of the given runs for which an event came. */
  async listFulfilled(runIds: readonly string[]): Promise<string[]> {
    const rows = await database.many<{ id: string }>(sql`
      select distinct run_id as id from runtime.waits
      where run_id = any(${runIds}::uuid[]) and record is not null`)
    return rows.map(({ id }) => id)
  },

  /** Waits of runs that have ended without saying so, an hour after their time. Answers how many. */
  async deleteOrphans(limit: number): Promise<number> {
    const rows = await database.many(sql`
      with orphans as materialized (
        select w.run_id, w.number, w.alternative from runtime.waits w
        where w.ends_at < now() - interval '1 hour' and not exists (
          select from runtime.runs r where r.id = w.run_id and r.status in ('queued', 'running', 'waiting'))
        limit ${limit})
      delete from runtime.waits w using orphans o
      where w.run_id = o.run_id and w.number = o.number and w.alternative = o.alternative returning w.run_id`)
    return rows.length
  },
})

const numbers = (waits: readonly { runId: string; number: number }[]): Sql => sql`
  unnest(${waits.map(({ runId }) => runId)}::uuid[], ${waits.map(({ number }) => number)}::int[])`

interface ReceivedRow {
  readonly horizon: string
  readonly number: number | null
  readonly record: EventRecord | null
  readonly xid: string | null
  readonly position: string | null
}

/** One row where there is nothing, for the horizon. One alternative of a wait at most has an event. */
const receivedRows = (runId: string): Sql => sql`
  select ${horizon}, r.number, r.record, e.xid::text as xid, e.position::text as position
  from (select 1) one
  left join (
    select distinct on (w.number) w.number, w.record from runtime.waits w
    where w.run_id = ${runId} and (w.record is not null or w.closed)
    order by w.number, w.record is null) r on true
  left join lateral (
    select o.xid, o.position from outbox.events o where o.id = (r.record ->> 'id')::uuid limit 1) e on true
  order by r.number`

const received = (rows: readonly ReceivedRow[]): Received => ({
  horizon: rows[0]?.horizon ?? '0',
  answers: rows.flatMap(({ number, record: event, xid, position }) => {
    if (number === null) return []
    return xid === null || position === null
      ? [{ number, event }]
      : [{ number, event, place: { xid, position } }]
  }),
})

/**
 * A row for each event that is waited for; `since` of a run with a journal is the first of its commits that counts.
 * The version before goes by it also where a place is known.
 */
export function insertion(waits: readonly NewWait[]): Sql {
  const rows = waits.flatMap(({ oneOf, origin, after, ...wait }) =>
    oneOf.map(({ event, filters, cancelTriggers }, alternative) => {
      const { path, valueHash } = keyOf(filters)
      const behind = {
        afterId: after?.id,
        afterXid: after?.place?.xid,
        afterPosition: after?.place?.position,
      }
      return { ...wait, ...origin, ...behind, alternative, event, path, valueHash, filters, cancelTriggers }
    }),
  )
  return sql`
    insert into runtime.waits (run_id, number, alternative, workspace_id, event, path, value_hash, filters,
      cancel_triggers, since, after_xid, after_position, ends_at)
    select w."runId", w.number, w.alternative, w."workspaceId", w.event, w.path, w."valueHash", w.filters,
      w."cancelTriggers", least(w.since::xid8, j.horizon, pg_snapshot_xmin(pg_current_snapshot())),
      coalesce(a.xid, w."afterXid"::xid8), coalesce(a.position, w."afterPosition"::bigint),
      clock_timestamp() + w."leftMs" * interval '1 millisecond'
    from json_to_recordset(${storableJson(rows)}::json) as w ("runId" uuid, number int, alternative smallint,
      "workspaceId" text, event text, path text, "valueHash" int, filters json, "cancelTriggers" boolean, since text,
      "leftMs" float8, try smallint, "sinceSegment" int, "looksFarBack" boolean, "afterId" uuid, "afterXid" text,
      "afterPosition" text)
    left join lateral (
      select j.horizon from runtime.journal j
      where j.run_id = w."runId" and j.try = w.try and j.segment >= w."sinceSegment"
        and (w."looksFarBack" or j.written_at > now() - interval '15 minutes')
      order by j.segment limit 1) j on true
    left join lateral (
      select o.xid, o.position from outbox.events o where o.id = w."afterId" limit 1) a on true
    on conflict (run_id, number, alternative) do nothing`
}

export const deleteWaits = (
  tx: Queries,
  over: readonly { runId: string; number: number }[],
): Promise<unknown> =>
  tx.many(sql`
    delete from runtime.waits w
    using ${numbers(over)} o (run_id, number)
    where w.run_id = o.run_id and w.number = o.number`)

export const deleteWaitsOf = (tx: Queries, runIds: readonly string[]): Promise<unknown> =>
  tx.many(sql`delete from runtime.waits where run_id = any(${runIds}::uuid[])`)

/** Ids in a notice. */
const NOTICE = 150

export function announceWoken(queries: Queries, runIds: readonly string[]): void {
  for (let at = 0; at < runIds.length; at += NOTICE)
    queries.notify(WOKEN_RUNS, runIds.slice(at, at + NOTICE).join())
}
