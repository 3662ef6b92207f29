import { cancelRun } from '@platform/contracts'
import { sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { endedRun, insertRuns } from '../../test/runs.ts'
import {
  emittedEvent,
  runtimeDatabaseUrl,
  startRuntime,
  type TestAutomations,
  type TestRuntime,
} from '../../test/testing.ts'

/** Takes calls and works on nothing; `worker` works on what is triggered there. */
let runtime: TestRuntime
let worker: TestRuntime
/** Nobody works on what is queued here. */
let idle: TestRuntime

beforeAll(async () => {
  const databaseUrl = await runtimeDatabaseUrl()
  const env = { RUN_CONCURRENCY: '0' }
  runtime = await startRuntime({ databaseUrl, env })
  worker = await startRuntime({ databaseUrl })
  idle = await startRuntime({ env })
})
afterAll(async () => {
  await idle[Symbol.asyncDispose]()
  await worker[Symbol.asyncDispose]()
  await runtime[Symbol.asyncDispose]()
})

const cancel = (at: TestRuntime, workspaceId: string, runId: string, reason?: string, userId = 'ada') =>
  at.as({ userId })(cancelRun, {
    params: { workspaceId, runId },
    body: reason === undefined ? {} : { reason },
  })

const endless = { repeat: { until: 'false', do: [{ set: { name: 'n', value: 1 } }] } }

/** A run that is at work in another process, and has told so by an event. */
async function atWork(automations: TestAutomations): Promise<{ workspaceId: string; runId: string }> {
  const { id: workspaceId } = await runtime.workspace(automations)
  await runtime.database.many(insertEvents([emittedEvent(workspaceId, 'go')]))
  await vi.waitFor(async () => expect(await runtime.events(workspaceId, 'begun')).toHaveLength(1), {
    timeout: 10_000,
  })
  const [row] = await runtime.database.many<{ id: string }>(
    sql`select id from runtime.runs where workspace_id = ${workspaceId}`,
  )
  return { workspaceId, runId: row?.id ?? '' }
}

const ended = (workspaceId: string, runId: string) => endedRun(runtime, workspaceId, runId)

describe('cancelling a run', () => {
  test('ends one that is queued at once, and tells who did it', async () => {
    const { id } = await idle.workspace({ work: {} })
    const [runId = ''] = await insertRuns(idle.database, id, [{ status: 'queued' }])
    const { run } = await cancel(idle, id, runId, 'started twice')
    expect(run).toMatchObject({
      id: runId,
      status: 'cancelled',
      finishedAt: expect.any(String),
      error: { error: 'RunEnded', message: 'The run was cancelled: started twice' },
    })
    expect(
      await idle.database.many(
        sql`select action, actor, subject, details from audit.entries where subject = ${`run:${runId}`}`,
      ),
    ).toEqual([
      {
        action: 'run.cancelled',
        actor: 'user:ada',
        subject: `run:${runId}`,
        details: JSON.stringify({ workspaceId: id }),
      },
    ])
  })

  test('ends one at work elsewhere at its next instruction: what it did is kept, its finally runs', async () => {
    const { workspaceId, runId } = await atWork({
      main: {
        when: { events: ['go'] },
        do: [
          { set: { name: 'global.seen', value: 'yes' } },
          { emit: { event: 'begun' } },
          {
            try: {
              do: [{ all: [endless, endless] }],
              catch: [{ emit: { event: 'caught' } }],
              finally: [
                { emit: { event: 'cleaned.up' } },
                { repeat: { until: 20, do: [{ helper: {} }] } },
                { emit: { event: 'cleaned.all' } },
              ],
            },
          },
          { emit: { event: 'never' } },
        ],
      },
      helper: { do: [{ set: { name: 'a', value: 1 } }, { set: { name: 'a', value: 2 } }] },
    })

    const startedAt = performance.now()
    expect((await cancel(runtime, workspaceId, runId)).run.status).toMatch(/running|cancelled/)
    const run = await ended(workspaceId, runId)

    expect(performance.now() - startedAt).toBePrompt(3000)
    expect(run).toMatchObject({
      status: 'cancelled',
      error: { error: 'RunEnded', message: 'The run was cancelled.', automationSlug: 'main' },
    })
    const types = (await runtime.events(workspaceId)).map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['begun', 'cleaned.up', 'cleaned.all']))
    expect(types).not.toEqual(expect.arrayContaining(['never']))
    expect(types).not.toEqual(expect.arrayContaining(['caught']))
    expect(types).not.toEqual(expect.arrayContaining(['error']))
    const stored = await runtime.database.many(
      sql`select content from runtime.contexts where workspace_id = ${workspaceId} and context = 'global'`,
    )
    expect(stored).toEqual([{ content: { seen: 'yes' } }])
  })

  test('asked for twice ends the finally as well', async () => {
    const { workspaceId, runId } = await atWork({
      main: {
        when: { events: ['go'] },
        do: [
          {
            try: {
              do: [{ emit: { event: 'begun' } }, endless],
              finally: [{ emit: { event: 'cleaning' } }, endless],
            },
          },
        ],
      },
    })
    await cancel(runtime, workspaceId, runId)
    await vi.waitFor(async () => expect(await runtime.events(workspaceId, 'cleaning')).toHaveLength(1), {
      timeout: 10_000,
    })
    await cancel(runtime, workspaceId, runId)
    expect(await ended(workspaceId, runId)).toMatchObject({ status: 'cancelled' })
  })

  test('reaches a worker that has missed the notice', async () => {
    const { workspaceId, runId } = await atWork({
      main: { when: { events: ['go'] }, do: [{ emit: { event: 'begun' } }, endless] },
    })
    await runtime.database.many(
      sql`update runtime.runs set cancel_requests = 1, cancel_reason = '' where id = ${runId}`,
    )
    expect(await ended(workspaceId, runId)).toMatchObject({ status: 'cancelled' })
  })

  test('leaves a run alone that has ended: 409', async () => {
    const { id } = await idle.workspace({})
    const [done = '', queued = ''] = await insertRuns(idle.database, id, [{}, { status: 'queued' }])
    await expect(cancel(idle, id, done)).rejects.toMatchObject({
      name: 'RunEnded',
      status: 409,
      message: expect.stringContaining('succeeded'),
    })
    const twice = await Promise.allSettled([cancel(idle, id, queued), cancel(idle, id, queued)])
    expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('answers a repeated call with the same key with the first answer', async () => {
    const { id } = await idle.workspace({})
    const [runId = ''] = await insertRuns(idle.database, id, [{ status: 'queued' }])
    const send = () =>
      fetch(`${idle.url}/v2/workspaces/${id}/runs/${runId}/cancel`, {
        method: 'POST',
        headers: { ...idle.headersOf({ kind: 'internal' }), 'idempotency-key': `cancel-${runId}` },
      })
    const first = await send()
    expect(first.status).toBe(200)
    const again = await send()
    expect([again.status, await again.text()]).toEqual([200, await first.text()])
  })

  test.each([{ reason: 1 }, { reason: 'x'.repeat(501) }, { colour: 'red' }])('refuses %j', async (body) => {
    const { id } = await idle.workspace({})
    const [runId = ''] = await insertRuns(idle.database, id, [{ status: 'queued' }])
    const attempt = idle.as({})(cancelRun, { params: { workspaceId: id, runId }, body: body as never })
    await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError', status: 400 })
  })

  test('needs a credential', async () => {
    const { id } = await idle.workspace({})
    const [runId = ''] = await insertRuns(idle.database, id, [{ status: 'queued' }])
    const attempt = idle.nobody(cancelRun, { params: { workspaceId: id, runId }, body: {} })
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
  })

  test('is 404 alike for what is missing, of another workspace, or no id', async () => {
    const { id } = await idle.workspace({})
    const other = await idle.workspace({})
    const [foreign = ''] = await insertRuns(idle.database, other.id, [{ status: 'queued' }])
    const refusals = await Promise.all(
      [foreign, '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33', 'x'].map((runId) =>
        cancel(idle, id, runId).catch((error: unknown) => error),
      ),
    )
    expect(refusals[0]).toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
    expect(new Set(refusals.map((one) => JSON.stringify(one))).size).toBe(1)
  })

  test('is for members and their keys, though everybody may execute automations', async () => {
    const { id } = await idle.workspace({})
    const [runId = ''] = await insertRuns(idle.database, id, [{ status: 'queued' }])
    const refusalOf = (workspaceId: string) =>
      cancel(idle, workspaceId, runId, undefined, 'eve').catch((error: unknown) => JSON.stringify(error))
    expect(await refusalOf(id)).toContain('ObjectNotFoundError')
    expect(await refusalOf(id)).toBe(await refusalOf('w0000000000000000'))
    expect((await cancel(idle, id, runId)).run.status).toBe('cancelled')
  })
})
