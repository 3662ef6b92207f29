import { listSchedules } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime
let workspace: TestWorkspace

beforeAll(async () => {
  runtime = await startRuntime()
  workspace = await runtime.workspace({
    report: {
      when: {
        schedules: [{ cron: '0 9 1 1 *', timezone: 'Asia/Tokyo', missed: 'all' }, '0 0 29 2 *'],
      },
    },
    'tools/off': { disabled: true, when: { schedules: ['0 9 * * *'] } },
    plain: { do: [] },
  })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const params = () => ({ workspaceId: workspace.id })

describe('the schedules of a workspace', () => {
  test('are those that are saved at this moment, with the next five times of each', async () => {
    const schedules = await runtime.as({})(listSchedules, { params: params() })
    expect(schedules).toMatchObject([
      {
        automationSlug: 'report',
        position: 0,
        timezone: 'Asia/Tokyo',
        missed: 'all',
        lastAt: null,
        lastRunId: null,
      },
      {
        automationSlug: 'report',
        position: 1,
        cron: '0 0 29 2 *',
        timezone: 'UTC',
        missed: 'once',
        missedTicks: 0,
      },
      { automationSlug: 'tools/off', position: 0, disabled: true, next: [] },
    ])
    const [report] = schedules
    expect(report?.next).toHaveLength(5)
    for (const [index, time] of (report?.next ?? []).entries()) {
      expect(time).toMatch(/-01-01T00:00:00\.000Z$/)
      expect(Number(time.slice(0, 4))).toBe(Number(report?.next[0]?.slice(0, 4)) + index)
    }
  })

  test('are those of one automation, and come in pages', async () => {
    const client = runtime.as({})
    const some = await client(listSchedules, { params: params(), query: { automation: 'tools/off' } })
    expect(some.map(({ automationSlug }) => automationSlug)).toEqual(['tools/off'])
    const page = await client(listSchedules, { params: params(), query: { limit: '1', page: '1' } as never })
    expect(page).toMatchObject([{ automationSlug: 'report', position: 1 }])
  })

  test('refuses a page of nothing', async () => {
    const attempt = runtime.as({})(listSchedules, { params: params(), query: { limit: '0' } as never })
    await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError', status: 400 })
  })

  test('need a credential', async () => {
    const attempt = runtime.nobody(listSchedules, { params: params() })
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
  })

  test('are for members: to others the workspace is not there', async () => {
    const eve = runtime.as({ userId: 'eve' })
    const foreign = await eve(listSchedules, { params: params() }).catch((error: unknown) => error)
    const missing = await eve(listSchedules, { params: { workspaceId: 'w0000000000000000' } }).catch(
      (error: unknown) => error,
    )
    expect(foreign).toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
    expect(JSON.stringify(foreign)).toBe(JSON.stringify(missing))
  })
})
