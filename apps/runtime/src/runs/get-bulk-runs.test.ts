import { bulkRuns, getBulkRuns } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertRuns } from '../../test/runs.ts'
import { startRuntime, type TestRuntime } from '../../test/testing.ts'

/** Takes what is asked and does nothing of it: its jobs run once an hour. */
let idle: TestRuntime

beforeAll(async () => {
  idle = await startRuntime({ everyMs: { 'change-many-runs': 3_600_000 }, env: { RUN_CONCURRENCY: '0' } })
})
afterAll(() => idle[Symbol.asyncDispose]())

const progress = (workspaceId: string, jobId: string, userId = 'ada') =>
  idle.as({ userId })(getBulkRuns, { params: { workspaceId, jobId } })

describe('what was asked for many runs', () => {
  test('tells how far it is, to those who may read the automations of its workspace', async () => {
    const { id: workspaceId } = await idle.workspace({ work: {} })
    const other = await idle.workspace({ work: {} })
    await insertRuns(idle.database, workspaceId, [{ status: 'queued' }, { status: 'queued' }])
    const body = { action: 'cancel', filter: {} } as const
    const { jobId = '' } = await idle.as({ userId: 'ada' })(bulkRuns, { params: { workspaceId }, body })

    expect(await progress(workspaceId, jobId)).toEqual({
      action: 'cancel',
      total: 2,
      done: 0,
      failed: 0,
      createdAt: expect.any(String),
      finishedAt: null,
    })
    await expect(progress(other.id, jobId)).rejects.toMatchObject({
      name: 'ObjectNotFoundError',
      status: 404,
    })
    await expect(progress(workspaceId, 'x')).rejects.toMatchObject({ name: 'ObjectNotFoundError' })
    await expect(progress(workspaceId, jobId, 'eve')).rejects.toMatchObject({ status: 404 })
  })
})
