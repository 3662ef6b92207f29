import { sql } from '@platform/database'
import { buildRecord, insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  startRuntime,
  type TestAutomation,
  type TestRuntime,
  type TestWorkspace,
} from '../../test/testing.ts'
import { whenMigrated } from '../definitions/definition-store.ts'
import { insertQueued } from '../runs/run-effect-store.ts'
import { ScheduleTimes } from './next-time.ts'
import { scheduleStore } from './schedule-store.ts'
import { compareSchedules, syncSchedules } from './sync-schedules.ts'

let runtime: TestRuntime

beforeAll(async () => {
  runtime = await startRuntime({
    everyMs: { 'tick-schedules': 3_600_000, 'compare-schedules': 3_600_000 },
  })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const deps = () => ({
  schedules: scheduleStore(runtime.database, { queueRuns: insertQueued, whenMigrated }),
  times: new ScheduleTimes(),
})
const sync = (workspace: TestWorkspace) => syncSchedules(deps())([workspace.id])
const compare = () => compareSchedules(deps()).run(new AbortController().signal)

const at = (...schedules: (string | object)[]): TestAutomation => ({
  when: { schedules: schedules as string[] },
  do: [],
})
const tokyo = { cron: '30 9 * * *', timezone: 'Asia/Tokyo', missed: 'skip' }

interface Row {
  slug: string
  position: number
  cron: string
  nextAt: Date | null
  lastAt: Date | null
}

const rowsOf = (workspace: TestWorkspace) =>
  runtime.database.many<Row>(sql`
    select automation_slug as slug, position, cron, next_at as "nextAt", last_at as "lastAt" from runtime.schedules
    where workspace_id = ${workspace.id} order by automation_slug, position`)

const createdIn = async (workspace: TestWorkspace) =>
  (await runtime.events(workspace.id, 'runtime.schedules.created')).map(({ payload }) => payload)

const publish = (workspaceId: string, type: string) =>
  runtime.database.many(
    insertEvents([buildRecord({ type, payload: {}, source: { workspaceId, correlationId: 'correlation' } })]),
  )

describe('saved schedules', () => {
  test('are stored with their next times, in their time zones', async () => {
    const workspace = await runtime.workspace({ report: at('0 9 1 1 *', tokyo), other: { do: [] } })
    await sync(workspace)
    const [first, second] = await rowsOf(workspace)
    expect(first?.nextAt?.toISOString()).toMatch(/-01-01T09:00:00\.000Z$/)
    expect(second?.nextAt?.toISOString()).toMatch(/T00:30:00\.000Z$/)
    expect(await createdIn(workspace)).toEqual([
      { slug: 'report', schedules: [{ cron: '0 9 1 1 *', timezone: 'UTC', missed: 'once' }, tokyo] },
    ])
  })

  test.each(['workspaces.automations.created', 'workspaces.automations.updated', 'workspaces.restored'])(
    'are stored as soon as %s is told',
    async (type) => {
      const workspace = await runtime.workspace({ report: at('0 9 1 1 *') })
      await publish(workspace.id, type)
      await vi.waitFor(async () => expect(await rowsOf(workspace)).toHaveLength(1), { timeout: 15_000 })
    },
  )

  test('are found without any event', async () => {
    const workspace = await runtime.workspace({ report: at('0 9 1 1 *') })
    await compare()
    expect(await rowsOf(workspace)).toHaveLength(1)
    await workspace.delete()
    await compare()
    expect(await rowsOf(workspace)).toEqual([])
  })

  test('keep their times when they are saved again as they were', async () => {
    const workspace = await runtime.workspace({ report: at('0 9 1 1 *') })
    await sync(workspace)
    await runtime.database.many(sql`
      update runtime.schedules set next_at = '2030-01-01', last_at = '2020-01-01' where workspace_id = ${workspace.id}`)
    await workspace.save({ report: { ...at({ cron: '0 9 1 1 *', missed: 'all' }), output: 'more' } })
    await sync(workspace)
    expect(await rowsOf(workspace)).toMatchObject([
      { nextAt: new Date('2030-01-01'), lastAt: new Date('2020-01-01') },
    ])
  })

  test('move with a save, once for all who see it', async () => {
    const workspace = await runtime.workspace({ report: at('0 9 1 1 *') })
    await sync(workspace)
    await workspace.save({ report: at('0 9 2 1 *', '0 9 1 1 *'), late: at('0 9 3 1 *') })
    await Promise.all([sync(workspace), sync(workspace), compare()])
    expect((await rowsOf(workspace)).map(({ slug, cron }) => [slug, cron])).toEqual([
      ['late', '0 9 3 1 *'],
      ['report', '0 9 2 1 *'],
      ['report', '0 9 1 1 *'],
    ])
    const created = (await createdIn(workspace)) as { slug: string }[]
    expect(created.map(({ slug }) => slug).sort()).toEqual(['late', 'report', 'report'])
  })

  test('go with the last of them, which is told, and with their automation, which another event tells', async () => {
    const workspace = await runtime.workspace({ one: at('0 9 1 1 *'), two: at('0 9 1 1 *') })
    await sync(workspace)
    await workspace.save({ one: { do: [] } })
    await sync(workspace)
    expect(await rowsOf(workspace)).toEqual([])
    expect((await createdIn(workspace)).slice(2)).toEqual([{ slug: 'one', schedules: [] }])
  })

  test('rest while their automation is disabled, and go on when it is enabled', async () => {
    const workspace = await runtime.workspace({ report: at('0 9 1 1 *') })
    await sync(workspace)
    await workspace.save({ report: { ...at('0 9 1 1 *'), disabled: true } })
    await sync(workspace)
    expect(await rowsOf(workspace)).toMatchObject([{ nextAt: null }])
    await workspace.save({ report: at('0 9 1 1 *') })
    await sync(workspace)
    expect((await rowsOf(workspace))[0]?.nextAt?.getTime()).toBeGreaterThan(Date.now())
    expect(await createdIn(workspace)).toHaveLength(1)
  })

  test('that were saved before anybody checked them never fire, and are no reason to look again', async () => {
    const workspace = await runtime.workspace({
      report: at('nonsense', '0 0 30 2 *', { cron: '0 9 * * *', timezone: 'Mars' }),
    })
    await compare()
    expect((await rowsOf(workspace)).map(({ nextAt }) => nextAt)).toEqual([null, null, null])
    expect(await deps().schedules.listDiffering(10)).toEqual([])
  })
})
