import type { EventRecord } from '@platform/contracts'
import { type Database, join, type Queries, type Sql, sql } from '@platform/database'
import { insertEvents, wakeReaders } from '@platform/outbox'
import type { QueuedRun } from '../automations/model.ts'
import type { Schedule, ScheduleAddress, StartingSchedule } from './schedule.ts'

export type ScheduleStore = ReturnType<typeof scheduleStore>

/** A schedule whose time has come. */
export interface DueSchedule extends StartingSchedule {
  readonly nextAt: Date
  /** The database's clock, which is that of all processes. */
  readonly now: Date
  /** False when what is saved says otherwise by now. */
  readonly isCurrent: boolean
  /** Its workspace is suspended: it starts nothing. */
  readonly isSuspended: boolean
}

/** What a tick did: the runs it started, and when the schedule fires next. */
export interface Ticked extends ScheduleAddress {
  readonly nextAt: Date | null
  readonly lastAt: Date | null
  readonly missedTicks: number
  readonly runs: readonly QueuedRun[]
  readonly events: readonly EventRecord[]
}

/** Where what is stored is not what was saved. */
export interface Difference extends Schedule {
  /** The automation, or its schedule at this position, is gone. */
  readonly isGone: boolean
  /** The schedule itself is another one, or new. */
  readonly isChanged: boolean
}

/** A saved schedule with what is known of its times. */
export interface KnownSchedule extends StartingSchedule {
  readonly lastAt: Date | null
  readonly missedTicks: number
}

const address = sql`workspace_id as "workspaceId", automation_slug as "automationSlug", position`
/** Comparing everything reads the schedules of all workspaces; nobody waits for it. */
const COMPARING_MS = 30_000

/** What other stores know. */
export interface OtherStores {
  /** Queues runs, as part of a larger statement. */
  readonly queueRuns: (runs: readonly QueuedRun[]) => Sql
  /** Says it plainly when the views of the workspaces service are not there yet. */
  readonly whenMigrated: <T>(answer: Promise<T>) => Promise<T>
}

export const scheduleStore = (database: Database, { queueRuns, whenMigrated }: OtherStores) => ({
  /** Workspaces with a schedule that is not stored as it was saved. */
  async listDiffering(limit: number): Promise<string[]> {
    const rows = await whenMigrated(
      database.many<{ workspaceId: string }>(
        sql`select distinct "workspaceId" from (${differences(sql`true`)}) d limit ${limit}`,
        { timeoutMs: COMPARING_MS },
      ),
    )
    return rows.map(({ workspaceId }) => workspaceId)
  },

  /** Changes what is stored, one process after another: each sees what was saved before it began. */
  change: <T>(work: (change: ScheduleChange) => Promise<T>): Promise<T> =>
    whenMigrated(
      database.transaction(async (tx) => {
        await tx.many(sql`select pg_advisory_xact_lock(hashtext('runtime.schedules'))`)
        return await work(scheduleChange(tx))
      }),
    ),

  /** Milliseconds until the next schedule is due, none when there is none. */
  async msToNext(): Promise<number | undefined> {
    const [row] = await database.many<{ ms: number | null }>(sql`
      select (extract(epoch from min(next_at) - now()) * 1000)::float8 as ms from runtime.schedules
      where next_at is not null`)
    return row?.ms ?? undefined
  },

  /**
   * Locks schedules that are due and writes what `tick` makes of them, in one transaction. Those that another process
   * works on are left to it.
   */
  tick: (
    limit: number,
    tick: (due: readonly DueSchedule[]) => readonly Ticked[],
  ): Promise<readonly Ticked[]> =>
    whenMigrated(
      database.transaction(async (tx) => {
        const ticked = tick(await tx.many<DueSchedule>(lockDue(limit)))
        if (ticked.length > 0) await tx.many(writeTicked(ticked, queueRuns))
        wakeReaders(tx)
        return ticked
      }),
    ),

  /** The saved schedules of a workspace, by automation and position. */
  list: (
    workspaceId: string,
    { automation, offset, limit }: { automation?: string | undefined; offset: number; limit: number },
  ): Promise<KnownSchedule[]> =>
    whenMigrated(
      database.many<KnownSchedule>(sql`
        ${known} where l.workspace_id = ${workspaceId}
          and (${automation ?? null}::text is null or l.automation_slug = ${automation ?? null})
        order by l.automation_slug, l.position limit ${limit} offset ${offset}`),
    ),

  async find({ workspaceId, automationSlug, position }: ScheduleAddress): Promise<KnownSchedule | undefined> {
    const [row] = await whenMigrated(
      database.many<KnownSchedule>(sql`
        ${known} where l.workspace_id = ${workspaceId} and l.automation_slug = ${automationSlug}
          and l.position = ${position}`),
    )
    return row
  },

  /** Queues a run that was asked for, and reports it. */
  async enqueue(run: QueuedRun, event: EventRecord): Promise<void> {
    await database.many(sql`with queued as (${queueRuns([run])}) ${insertEvents([event])}`)
    wakeReaders(database)
  },
})

const priorityOf = (schedule: Sql): Sql => sql`coalesce((
  select p.priority from workspaces.live_priorities p
  where (p.workspace_id, p.automation_slug) = (${schedule}.workspace_id, ${schedule}.automation_slug)), 0)`

const known = sql`
  select l.workspace_id as "workspaceId", l.automation_slug as "automationSlug", l.position, l.cron, l.timezone,
    l.missed, l.disabled, ${priorityOf(sql`l`)} as priority, s.last_at as "lastAt",
    coalesce(s.missed_ticks, 0) as "missedTicks"
  from workspaces.live_schedules l left join runtime.schedules s
    on (s.workspace_id, s.automation_slug, s.position) = (l.workspace_id, l.automation_slug, l.position)
    and (s.cron, s.timezone) = (l.cron, l.timezone)`

/** What a change of the stored schedules may ask and write. */
export interface ScheduleChange {
  now(): Promise<Date>
  listDifferences(workspaceIds: readonly string[]): Promise<Difference[]>
  /** Those of the automations that there are, with all their schedules. */
  listSaved(automations: readonly AutomationAddress[]): Promise<SavedSchedules[]>
  remove(schedules: readonly ScheduleAddress[]): Promise<void>
  write(schedules: readonly (Difference & { readonly nextAt: Date | null })[]): Promise<void>
  addEvents(events: readonly EventRecord[]): Promise<void>
}

export type AutomationAddress = Omit<ScheduleAddress, 'position'>

export interface SavedSchedules extends AutomationAddress {
  readonly schedules: readonly Pick<Schedule, 'cron' | 'timezone' | 'missed'>[]
}

const scheduleChange = (tx: Queries): ScheduleChange => ({
  async now() {
    const [row] = await tx.many<{ now: Date }>(sql`select now()`)
    return row?.now ?? new Date()
  },

  listDifferences: (workspaceIds) =>
    tx.many<Difference>(differences(sql`workspace_id = any(${workspaceIds}::text[])`)),

  listSaved: (automations) =>
    tx.many<SavedSchedules>(sql`
      select a.workspace_id as "workspaceId", a.slug as "automationSlug", coalesce((
          select json_agg(
            json_build_object('cron', l.cron, 'timezone', l.timezone, 'missed', l.missed) order by l.position)
          from workspaces.live_schedules l where (l.workspace_id, l.automation_slug) = (a.workspace_id, a.slug)
        ), '[]') as schedules
      from unnest(${automations.map((one) => one.workspaceId)}::text[],
        ${automations.map((one) => one.automationSlug)}::text[]) as c (workspace_id, slug)
      join workspaces.live_automations a on (a.workspace_id, a.slug) = (c.workspace_id, c.slug)`),

  async remove(schedules) {
    if (schedules.length === 0) return
    await tx.many(sql`
      delete from runtime.schedules s using jsonb_to_recordset(${JSON.stringify(schedules)}::jsonb)
        as g ("workspaceId" text, "automationSlug" text, position smallint)
      where (s.workspace_id, s.automation_slug, s.position) = (g."workspaceId", g."automationSlug", g.position)`)
  },

  async write(schedules) {
    if (schedules.length === 0) return
    await tx.many(sql`
      insert into runtime.schedules as s (workspace_id, automation_slug, position, cron, timezone, missed, disabled,
        next_at)
      select "workspaceId", "automationSlug", position, cron, timezone, missed, disabled, "nextAt"
      from jsonb_to_recordset(${JSON.stringify(schedules)}::jsonb) as g ("workspaceId" text, "automationSlug" text,
        position smallint, cron text, timezone text, missed text, disabled boolean, "nextAt" timestamptz)
      on conflict (workspace_id, automation_slug, position) do update set
        cron = excluded.cron, timezone = excluded.timezone, missed = excluded.missed, disabled = excluded.disabled,
        next_at = case when (s.cron, s.timezone, s.disabled) = (excluded.cron, excluded.timezone, excluded.disabled)
          then s.next_at else excluded.next_at end,
        last_at = case when (s.cron, s.timezone) = (excluded.cron, excluded.timezone) then s.last_at end,
        missed_ticks = case when (s.cron, s.timezone) = (excluded.cron, excluded.timezone) then s.missed_ticks
          else 0 end`)
  },

  async addEvents(events) {
    if (events.length === 0) return
    await tx.many(insertEvents(events))
    wakeReaders(tx)
  },
})

const differences = (which: Sql): Sql => sql`
  select ${address}, coalesce(l.cron, s.cron) as cron, coalesce(l.timezone, s.timezone) as timezone,
    coalesce(l.missed, s.missed) as missed, coalesce(l.disabled, s.disabled) as disabled, l.cron is null as "isGone",
    (l.cron, l.timezone, l.missed) is distinct from (s.cron, s.timezone, s.missed) as "isChanged"
  from (select * from workspaces.live_schedules where ${which}) l
  full join (select * from runtime.schedules where ${which}) s using (workspace_id, automation_slug, position)
  where (l.cron, l.timezone, l.missed, l.disabled) is distinct from (s.cron, s.timezone, s.missed, s.disabled)`

/**
 * What was saved is asked once more: a change of this moment need not have been told yet. Asked laterally, row by row:
 * as `exists` the planner would read the schedules of everybody for each batch.
 */
const lockDue = (limit: number): Sql => sql`
  with due as materialized (
    select * from runtime.schedules where next_at <= now() order by next_at limit ${limit} for update skip locked
  )
  select due.workspace_id as "workspaceId", due.automation_slug as "automationSlug", due.position, due.cron,
    due.timezone, due.missed, due.disabled, ${priorityOf(sql`due`)} as priority, due.next_at as "nextAt",
    now() as now, saved.found is not null as "isCurrent",
    coalesce((select p.suspended_at is not null from permissions.workspaces p where p.id = due.workspace_id), false)
      as "isSuspended"
  from due left join lateral (
    select true as found from workspaces.live_schedules l
    where (l.workspace_id, l.automation_slug, l.position) = (due.workspace_id, due.automation_slug, due.position)
      and (l.cron, l.timezone, l.missed, l.disabled) = (due.cron, due.timezone, due.missed, due.disabled) limit 1
  ) saved on true
  order by due.next_at`

function writeTicked(ticked: readonly Ticked[], queueRuns: OtherStores['queueRuns']): Sql {
  const runs = ticked.flatMap((one) => one.runs)
  const events = ticked.flatMap((one) => one.events)
  const times = ticked.map(({ runs: _runs, events: _events, ...rest }) => rest)
  const parts = [
    sql`moved as (
      update runtime.schedules s set next_at = t."nextAt", last_at = coalesce(t."lastAt", s.last_at),
        missed_ticks = s.missed_ticks + t."missedTicks"
      from jsonb_to_recordset(${JSON.stringify(times)}::jsonb) as t ("workspaceId" text, "automationSlug" text,
        position smallint, "nextAt" timestamptz, "lastAt" timestamptz, "missedTicks" int)
      where (s.workspace_id, s.automation_slug, s.position) = (t."workspaceId", t."automationSlug", t.position))`,
    ...(runs.length > 0 ? [sql`queued as (${queueRuns(runs)})`] : []),
    ...(events.length > 0 ? [sql`events as (${insertEvents(events)})`] : []),
  ]
  return sql`with ${join(parts, ', ')} select 1 where false`
}
