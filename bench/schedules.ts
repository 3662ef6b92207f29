import { rmSync } from 'node:fs'
import { type Database, openDatabase, sql, startEmbedded } from '@platform/database'
import { freshDirectory, startAllInOne } from '@platform/testing/platform'
import type { Figure } from './measure/figure.ts'
import { workspaceToCall } from './measure/signed-in.ts'

const WORKSPACES = 20
const SCHEDULES_EACH = 500
/** What is installed beside it, so that a look at all schedules has something to pass over. */
const OTHERS_EACH = 1000
const LEAD_MS = 10_000
const PATIENCE_S = 180

/** 10,000 schedules of 20 workspaces that are due at the same moment: how late their runs are queued and begin. */
export async function schedules(): Promise<Figure[]> {
  const directory = freshDirectory('bench-schedules-')
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  const server = await startEmbedded(`${directory}/postgres`)
  stack.defer(() => server.stop())
  const platform = stack.use(await startAllInOne({ LOG_LEVEL: 'info', DATABASE_URL: server.url }))
  const { workspaceId } = await workspaceToCall(platform)
  const database = stack.use(await openDatabase(server.url, {}))
  await copyWorkspace(database, workspaceId)

  const at = new Date(Date.now() + LEAD_MS)
  await makeDue(database, at)
  const count = WORKSPACES * SCHEDULES_EACH
  await untilEnded(database, count)
  const [late] = await database.many<{ queued: number; begun: number; ended: number; events: number }>(sql`
    select percentile_cont(0.99) within group (order by extract(epoch from created_at - ${at}))::float8 as queued,
      percentile_cont(0.99) within group (order by extract(epoch from started_at - ${at}))::float8 as begun,
      max(extract(epoch from finished_at - ${at}))::float8 as ended,
      (select count(*)::int from outbox.events where type = 'runtime.schedules.triggered') as events
    from runtime.runs where trigger_type = 'schedule'`)
  if (late?.events !== count) throw new Error(`${late?.events} events tell of ${count} ticks.`)
  const name = `schedules: ${count} due at once,`
  return [
    { name: `${name} p99 queued late by`, value: late.queued, unit: 's', goal: 1, needed: 3 },
    { name: `${name} p99 begun late by`, value: late.begun, unit: 's' },
    { name: `${name} all runs ended after`, value: late.ended, unit: 's' },
  ]
}

/** Workspaces as the first, each with automations of which some have a schedule. */
async function copyWorkspace(database: Database, workspaceId: string): Promise<void> {
  const long = { timeoutMs: 120_000 }
  await database.many(
    sql`
      insert into workspaces.workspaces (id, slug, name, created_at, updated_at, created_by, updated_by)
      select 'sched' || lpad(n::text, 11, '0'), 'scheduled-' || n, name, now(), now(), created_by, updated_by
      from workspaces.workspaces, generate_series(1, ${WORKSPACES}) n where id = ${workspaceId}`,
    long,
  )
  await database.many(
    sql`
      insert into workspaces.automations (workspace_id, slug, definition, index_entry, checksum, created_at, updated_at,
        created_by, updated_by)
      select w.id, named.slug, made.definition, made.definition, named.slug, now(), now(), w.created_by, w.updated_by
      from workspaces.workspaces w, generate_series(1, ${SCHEDULES_EACH + OTHERS_EACH}) n,
        lateral (select 'report-' || n as slug) named,
        lateral (select json_build_object('slug', named.slug, 'name', named.slug, 'do', '[]'::json, 'when',
          case when n <= ${SCHEDULES_EACH}
            then json_build_object('schedules', json_build_array('0 9 * * *')) else '{}' end) as definition) made
      where w.slug like 'scheduled-%'`,
    long,
  )
}

async function makeDue(database: Database, at: Date): Promise<void> {
  await database.many(
    sql`
      insert into runtime.schedules (workspace_id, automation_slug, position, cron, timezone, missed, disabled, next_at)
      select workspace_id, automation_slug, position, cron, timezone, missed, disabled, ${at}
      from workspaces.live_schedules
      on conflict (workspace_id, automation_slug, position) do update set next_at = excluded.next_at`,
    { timeoutMs: 60_000 },
  )
}

async function untilEnded(database: Database, count: number): Promise<void> {
  let found: { runs: number; ended: number } | undefined
  for (let tries = 0; tries < PATIENCE_S; tries += 1) {
    const [row] = await database.many<{ runs: number; ended: number }>(sql`
      select count(*)::int as runs, count(finished_at)::int as ended from runtime.runs where trigger_type = 'schedule'`)
    if (row?.ended === count) return
    found = row
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  throw new Error(
    `Of ${count} runs ${found?.runs} were queued and ${found?.ended} ended within ${PATIENCE_S} s.`,
  )
}
