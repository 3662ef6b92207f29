import { type Database, openDatabase, sql } from '@platform/database'
import { permissionStore } from '@platform/permissions'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  runtimeDatabaseUrl,
  startRuntime,
  type TestAutomations,
  type TestRuntime,
} from '../../test/testing.ts'
import { whenMigrated } from '../definitions/definition-store.ts'
import { insertQueued } from '../runs/run-effect-store.ts'
import { ScheduleTimes } from './next-time.ts'
import { type DueSchedule, scheduleStore, type Ticked } from './schedule-store.ts'
import { syncSchedules } from './sync-schedules.ts'
import { tick, tickOnce } from './tick-schedules.ts'

let runtime: TestRuntime
let databases: Database[]

/** A service whose own jobs do not tick, so that a test sees what its ticks do, and three pools that tick. */
beforeAll(async () => {
  const databaseUrl = await runtimeDatabaseUrl()
  runtime = await startRuntime({ databaseUrl, everyMs: { 'tick-schedules': 3_600_000 } })
  databases = await Promise.all([1, 2, 3].map(() => openDatabase(databaseUrl, { allowWeakDurability: true })))
})
afterAll(async () => {
  for (const database of databases) await database[Symbol.asyncDispose]()
  await runtime[Symbol.asyncDispose]()
})

const times = new ScheduleTimes()

/** What one process does for its ticks. */
function ticker(database: Database) {
  const schedules = scheduleStore(database, { queueRuns: insertQueued, whenMigrated })
  const sync = syncSchedules({ schedules, times })
  return { schedules, times, sync, holdBackWorkers: () => () => undefined }
}

const saved = async (automations: TestAutomations) => {
  const workspace = await runtime.workspace(automations)
  await ticker(runtime.database).sync([workspace.id])
  return workspace
}

const every = (cron: string, more: object = {}) => ({ when: { schedules: [{ cron, ...more }] }, do: [] })

/** Makes all schedules of a workspace due, as if nobody had ticked since then. */
const dueSince = (workspaceId: string, since: Date) =>
  runtime.database.many(
    sql`update runtime.schedules set next_at = ${since} where workspace_id = ${workspaceId}`,
  )

interface Row {
  nextAt: Date
  lastAt: Date | null
  missedTicks: number
}

const rowsOf = (workspaceId: string) =>
  runtime.database.many<Row>(sql`
    select next_at as "nextAt", last_at as "lastAt", missed_ticks as "missedTicks" from runtime.schedules
    where workspace_id = ${workspaceId} order by automation_slug, position`)

const runsOf = (workspaceId: string) =>
  runtime.database.many<{ slug: string; type: string; value: string; id: string; status: string }>(sql`
    select automation_slug as slug, trigger_type as type, trigger_value as value, trigger_id as id, status
    from runtime.runs where workspace_id = ${workspaceId} order by trigger_id, automation_slug`)

async function tickAll(database: Database = runtime.database): Promise<void> {
  while (await tickOnce(ticker(database)));
}

async function shownLateness(): Promise<number> {
  const page = await fetch(`${runtime.url}/metrics`, { headers: runtime.headersOf({ kind: 'internal' }) })
  return Number(/^platform_schedules_late_seconds\S* (\S+)$/m.exec(await page.text())?.[1])
}

const quarter = (ms: number) => new Date(Math.floor(ms / 900_000) * 900_000)

describe('a schedule that is due', () => {
  test('starts a run, tells of it, and is due at its next time', async () => {
    const workspace = await saved({ report: every('*/15 * * * *') })
    const at = quarter(Date.now())
    await dueSince(workspace.id, at)
    await tickAll()
    await vi.waitFor(
      async () => expect(await runsOf(workspace.id)).toMatchObject([{ status: 'succeeded' }]),
      {
        timeout: 15_000,
      },
    )
    expect(await runsOf(workspace.id)).toMatchObject([
      { slug: 'report', type: 'schedule', value: '*/15 * * * *', id: at.toISOString() },
    ])
    const trigger = { type: 'schedule', value: '*/15 * * * *', id: at.toISOString() }
    expect(await runtime.events(workspace.id, 'runtime.schedules.triggered')).toMatchObject([
      { payload: { workspaceId: workspace.id, automation: 'report', trigger } },
    ])
    expect(await runtime.events(workspace.id, 'runtime.automations.executed')).toMatchObject([
      { payload: { slug: 'report', trigger } },
    ])
    expect(await rowsOf(workspace.id)).toEqual([
      { nextAt: new Date(at.getTime() + 900_000), lastAt: at, missedTicks: 0 },
    ])
  })

  test('starts one run though three processes tick, and though the same tick comes again', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`a${index}`, every('*/15 * * * *')]),
    )
    const workspace = await saved(many)
    const at = quarter(Date.now())
    await dueSince(workspace.id, at)
    await Promise.all(databases.map(tickAll))
    expect(await runsOf(workspace.id)).toHaveLength(300)
    await dueSince(workspace.id, at)
    await Promise.all(databases.map(tickAll))
    expect(await runsOf(workspace.id)).toHaveLength(300)
    expect(await runtime.events(workspace.id, 'runtime.schedules.triggered')).toHaveLength(300)
  })
})

describe('times that were missed', () => {
  const at = (text: string) => new Date(`2026-03-26T${text}Z`)
  const due = (missed: 'once' | 'skip' | 'all', now: Date, cron = '*/15 * * * *'): DueSchedule => ({
    workspaceId: 'w',
    automationSlug: 'a',
    position: 0,
    timezone: 'UTC',
    disabled: false,
    priority: 0,
    nextAt: at('09:00:00'),
    isCurrent: true,
    isSuspended: false,
    ...{ cron, missed, now },
  })
  const startedBy = ({ runs }: Ticked) => runs.map(({ trigger }) => trigger.id?.slice(11, 16))

  test.each([
    ['once', '10:07:00', ['10:00'], 4, '10:15'],
    ['all', '10:07:00', ['09:00', '09:15', '09:30', '09:45', '10:00'], 0, '10:15'],
    ['skip', '10:07:00', [], 5, '10:15'],
    // The last of them is not late.
    ['skip', '10:00:30', ['10:00'], 4, '10:15'],
    ['skip', '09:00:59', ['09:00'], 0, '09:15'],
    ['skip', '09:01:01', [], 1, '09:15'],
    ['once', '09:01:01', ['09:00'], 0, '09:15'],
  ] as const)('with "%s" at %s start runs of %j; %i are counted', (missed, now, started, counted, next) => {
    const ticked = tick(due(missed, at(now)), times)
    expect(startedBy(ticked)).toEqual(started)
    expect(ticked).toMatchObject({ missedTicks: counted, nextAt: at(`${next}:00`) })
    expect(ticked.lastAt).toEqual(started.length === 0 ? null : at(`${started.at(-1)}:00`))
  })

  test('with "all" are made up for a hundred times at most, the latest', () => {
    const now = new Date(at('09:00:00').getTime() + 5 * 86_400_000)
    const started = startedBy(tick(due('all', now), times))
    expect(started).toHaveLength(100)
    expect(started.at(-1)).toBe('09:00')
  })

  test('of a schedule that never fires again leave it at rest', () => {
    expect(tick(due('once', at('09:00:10'), '0 0 30 2 *'), times)).toMatchObject({ nextAt: null })
  })

  test('of a suspended workspace start nothing, and are counted', async () => {
    expect(tick({ ...due('all', at('10:07:00')), isSuspended: true }, times)).toMatchObject({
      runs: [],
      missedTicks: 5,
      nextAt: at('10:15:00'),
    })
    const workspace = await saved({ report: every('*/15 * * * *', { missed: 'all' }) })
    const suspension = { reason: 'It floods.', at: new Date(), by: 'root' }
    await permissionStore(runtime.database).setSuspension(workspace.id, suspension)
    await dueSince(workspace.id, new Date(Date.now() - 3_600_000))
    await tickAll()
    const runs = await runtime.database.many(
      sql`select id from runtime.runs where workspace_id = ${workspace.id}`,
    )
    expect(runs).toEqual([])
  })

  test('are shown to operators for as long as nobody ticks', async () => {
    const workspace = await saved({ report: every('*/15 * * * *') })
    await dueSince(workspace.id, new Date(Date.now() - 3_600_000))
    expect(await shownLateness()).toBeGreaterThanOrEqual(3600)
    await tickAll()
    expect(await shownLateness()).toBe(0)
  })

  test('while no process was up are found by the first that is', async () => {
    const workspace = await saved({ report: every('*/15 * * * *', { missed: 'all' }) })
    const since = new Date(quarter(Date.now()).getTime() - 3_600_000)
    await dueSince(workspace.id, since)
    await Promise.all(databases.map(tickAll))
    const [row] = await rowsOf(workspace.id)
    expect(row?.nextAt.getTime()).toBeGreaterThan(Date.now() - 5000)
    expect(await runsOf(workspace.id)).toHaveLength(
      ((row?.nextAt.getTime() ?? 0) - since.getTime()) / 900_000,
    )
  })
})

describe('what was saved a moment ago', () => {
  test('counts: a schedule that is gone, disabled or another one by now does not fire', async () => {
    const workspace = await saved({
      gone: every('*/15 * * * *'),
      disabled: every('*/15 * * * *'),
      moved: every('*/15 * * * *'),
      same: every('*/15 * * * *'),
    })
    await dueSince(workspace.id, quarter(Date.now()))
    await workspace.save({
      disabled: { ...every('*/15 * * * *'), disabled: true },
      moved: every('0 0 1 1 *'),
      same: every('*/15 * * * *'),
    })
    await tickAll()
    expect((await runsOf(workspace.id)).map(({ slug }) => slug)).toEqual(['same'])
    const [disabled, moved] = await rowsOf(workspace.id)
    expect(disabled?.nextAt).toBeNull()
    expect(moved?.nextAt.toISOString()).toMatch(/-01-01T00:00:00\.000Z$/)
    expect(await rowsOf(workspace.id)).toHaveLength(3)
  })
})

describe('a service', () => {
  test('ticks by itself, within a second', async () => {
    await using other = await startRuntime({ databaseUrl: runtime.env.DATABASE_URL ?? '' })
    const workspace = await saved({ report: every('*/15 * * * *') })
    const at = new Date(Date.now() + 2000)
    await dueSince(workspace.id, at)
    await vi.waitFor(
      async () => expect(await other.events(workspace.id, 'runtime.schedules.triggered')).toHaveLength(1),
      { timeout: 20_000, interval: 50 },
    )
    const [event] = await other.events(workspace.id, 'runtime.schedules.triggered')
    const lateMs = new Date(event?.createdAt ?? 0).getTime() - at.getTime()
    expect(lateMs).toBeGreaterThanOrEqual(0)
    expect(lateMs).toBeLessThan(1500)
  })
})
