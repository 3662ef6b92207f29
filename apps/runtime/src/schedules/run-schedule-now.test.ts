import { listSchedules, runScheduleNow } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime
let workspace: TestWorkspace

beforeAll(async () => {
  runtime = await startRuntime()
  workspace = await runtime.workspace({
    'tools/report': {
      when: { schedules: ['0 9 1 1 *'] },
      do: [{ emit: { event: 'reported', payload: { trigger: '{{run.trigger}}' } } }],
    },
    off: { disabled: true, when: { schedules: ['0 9 1 1 *'] } },
  })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const on = (automationSlug: string, position = '0', workspaceId = workspace.id) => ({
  params: { workspaceId, automationSlug, position },
  body: {},
})

describe('running a schedule now', () => {
  test('starts a run as the schedule would, and leaves its times as they are', async () => {
    const { run } = await runtime.as({})(runScheduleNow, on('tools/report'))
    expect(run).toMatchObject({
      automationSlug: 'tools/report',
      trigger: { type: 'schedule', value: '0 9 1 1 *' },
    })
    await vi.waitFor(async () => expect(await runtime.events(workspace.id, 'reported')).toHaveLength(1), {
      timeout: 15_000,
    })
    const [row] = await runtime.database.many<{ status: string; type: string }>(sql`
      select status, trigger_type as type from runtime.runs where id = ${run.id}`)
    expect(row).toEqual({ status: 'succeeded', type: 'schedule' })
    const [reported] = await runtime.events(workspace.id, 'reported')
    expect(reported?.payload).toMatchObject({ trigger: { type: 'schedule', value: '0 9 1 1 *' } })
    expect(await runtime.events(workspace.id, 'runtime.schedules.triggered')).toMatchObject([
      {
        payload: { automation: 'tools/report', trigger: { type: 'schedule' } },
        source: { correlationId: run.correlationId },
      },
    ])
    const [listed] = await runtime.as({})(listSchedules, {
      params: { workspaceId: workspace.id },
      query: { automation: 'tools/report' },
    })
    expect(listed).toMatchObject({ lastAt: null, missedTicks: 0 })
  })

  test('refuses a position that is no number', async () => {
    const attempt = runtime.as({})(runScheduleNow, on('tools/report', 'first'))
    await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError', status: 400 })
  })

  test.each([
    ['nothing', '0', 'There is no automation "nothing" with a schedule at position 0'],
    ['tools/report', '1', 'There is no automation "tools/report" with a schedule at position 1'],
    ['off', '0', 'The automation "off" is disabled'],
  ])('%s at %s is not there', async (slug, position, message) => {
    const attempt = runtime.as({})(runScheduleNow, on(slug, position))
    await expect(attempt).rejects.toMatchObject({
      name: 'ObjectNotFoundError',
      message: expect.stringContaining(message),
    })
  })

  test('needs a credential', async () => {
    const attempt = runtime.nobody(runScheduleNow, on('tools/report'))
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
  })

  test('is for members, though everybody may call a URL: to others the workspace is not there', async () => {
    const eve = runtime.as({ userId: 'eve' })
    const foreign = await eve(runScheduleNow, on('tools/report')).catch((error: unknown) => error)
    const missing = await eve(runScheduleNow, on('tools/report', '0', 'w0000000000000000')).catch(
      (error: unknown) => error,
    )
    expect(foreign).toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
    expect(JSON.stringify(foreign)).toBe(JSON.stringify(missing))
  })
})
