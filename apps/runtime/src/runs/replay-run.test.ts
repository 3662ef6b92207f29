import { getRun, listRuns, type Run, replayRun } from '@platform/contracts'
import { sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { json, startOutside } from '../../test/outside.ts'
import { endedRun, insertRuns } from '../../test/runs.ts'
import { emittedEvent, startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime

beforeAll(async () => {
  runtime = await startRuntime()
})
afterAll(() => runtime[Symbol.asyncDispose]())

const made = ({ run }: { run?: Run | undefined }): Run => {
  if (run === undefined) throw new Error('There must be a run.')
  return run
}

const replay = (
  workspaceId: string,
  runId: string,
  body?: { definition: 'original' | 'current' },
  userId = 'ada',
) =>
  runtime.as({ userId })(replayRun, {
    params: { workspaceId, runId },
    ...(body === undefined ? {} : { body }),
  })

const ended = (workspaceId: string, runId: string) => endedRun(runtime, workspaceId, runId)

const says = (word: string) => ({
  main: {
    when: { events: ['go'] },
    do: [{ emit: { event: 'said', payload: { word, n: '{{payload.n}}' } } }],
  },
})

/** A run of an event that has ended. */
async function endedByEvent(workspace: TestWorkspace, at = runtime): Promise<Run> {
  await at.database.many(insertEvents([emittedEvent(workspace.id, 'go', { n: 7 })]))
  return await vi.waitFor(
    async () => {
      const { runs } = await at.as({})(listRuns, { params: { workspaceId: workspace.id }, query: {} })
      expect(runs[0]?.finishedAt).toEqual(expect.any(String))
      return runs[0] as Run
    },
    { timeout: 10_000 },
  )
}

const input = { payload: {}, caller: {}, depth: 0 }

describe('replaying a run', () => {
  test('runs it again from its beginning with the automations it had, or with those of now', async () => {
    const workspace = await runtime.workspace(says('before'))
    const first = await endedByEvent(workspace)
    await workspace.save(says('after'))

    const original = made(await replay(workspace.id, first.id))
    expect(original).toMatchObject({
      status: 'queued',
      trigger: first.trigger,
      correlationId: first.correlationId,
      origin: { runId: first.id, kind: 'replay' },
    })
    await ended(workspace.id, original.id)
    const current = made(await replay(workspace.id, first.id, { definition: 'current' }))
    await ended(workspace.id, current.id)

    const said = await runtime.events(workspace.id, 'said')
    expect(said.map(({ payload }) => payload)).toEqual([
      { word: 'before', n: 7 },
      { word: 'before', n: 7 },
      { word: 'after', n: 7 },
    ])
    expect(await ended(workspace.id, first.id)).toMatchObject({ ...first })
    const subject = `run:${first.id}`
    expect(
      await runtime.database.many(sql`select action, actor from audit.entries where subject = ${subject}`),
    ).toEqual([
      { action: 'run.replayed', actor: 'user:ada' },
      { action: 'run.replayed', actor: 'user:ada' },
    ])
  })

  test('also takes a durable run of a request that failed', async () => {
    const workspace = await runtime.workspace({
      main: {
        when: { endpoint: true },
        durable: true,
        do: [{ '{{body.call}}': {} }],
        output: '{{body.call}}',
      },
      there: {},
    })
    const answer = await runtime.call(workspace.id, 'main', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"call":"missing"}',
    })
    const runId = answer.headers.get('x-platform-run-id') ?? ''
    const run = made(await replay(workspace.id, runId))
    expect(await ended(workspace.id, run.id)).toMatchObject({
      status: 'failed',
      error: { error: 'ObjectNotFoundError', message: expect.stringContaining('"missing"') },
    })
  })

  test('is refused with the automations of now where its own is gone: 410', async () => {
    const workspace = await runtime.workspace(says('then'))
    const { id: runId } = await endedByEvent(workspace)
    await workspace.save({})
    await expect(replay(workspace.id, runId, { definition: 'current' })).rejects.toMatchObject({
      name: 'RunExpired',
      status: 410,
      message: expect.stringContaining('"main" of the run is not there any more'),
    })
    const run = made(await replay(workspace.id, runId, { definition: 'original' }))
    expect(await ended(workspace.id, run.id)).toMatchObject({ status: 'succeeded' })
  })

  test('waits for the end of the run: 409, and for its input: 410', async () => {
    const { id } = await runtime.workspace({ work: {} })
    const [running = '', forgotten = ''] = await insertRuns(runtime.database, id, [
      { status: 'running', input },
      { status: 'succeeded' },
    ])
    await expect(replay(id, running)).rejects.toMatchObject({ name: 'RunNotEnded', status: 409 })
    await expect(replay(id, forgotten)).rejects.toMatchObject({ name: 'RunExpired', status: 410 })
  })

  test('is 404 alike for what is missing, of another workspace, or no id, and for who may not', async () => {
    const { id } = await runtime.workspace({})
    const other = await runtime.workspace({})
    const [foreign = ''] = await insertRuns(runtime.database, other.id, [{ input }])
    const refusalOf = (workspaceId: string, runId: string, userId = 'ada') =>
      replay(workspaceId, runId, undefined, userId).catch((error: unknown) => JSON.stringify(error))
    const refusals = await Promise.all(
      [foreign, '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33', 'x'].map((one) => refusalOf(id, one)),
    )
    expect(refusals[0]).toContain('ObjectNotFoundError')
    expect(new Set(refusals).size).toBe(1)
    expect(await refusalOf(other.id, foreign, 'eve')).toBe(
      await refusalOf('w0000000000000000', foreign, 'eve'),
    )
  })
})

test('of a run of which no details are kept, plan and steps say that they end there', async () => {
  await using outside = await startOutside((_, response) => json(response, { n: 1 }))
  await using careful = await startRuntime({
    env: { RUN_DETAILS: 'failed', FETCH_ALLOWED_HOSTS: '127.0.0.0/8' },
  })
  const workspace = await careful.workspace({
    main: {
      when: { events: ['go'] },
      do: [
        { set: { name: 'a', value: 1 } },
        { fetch: { url: outside.url, output: 'r' } },
        { set: { name: 'global.b', value: '{{r.n}}' } },
      ],
    },
  })
  const { id: runId } = await endedByEvent(workspace, careful)
  const params = { workspaceId: workspace.id, runId }
  const planned = await careful.as({ userId: 'ada' })(replayRun, { params, body: { plan: true } })
  expect(planned).toEqual({ effects: [], stoppedAt: { reason: 'notKept', number: 0 } })
  const shown = await careful.as({})(getRun, { params })
  expect(shown).toMatchObject({ status: 'succeeded', stoppedAt: { reason: 'notKept' } })
  expect(shown.steps?.map(({ instruction, status }) => [instruction, status])).toEqual([
    ['set', 'done'],
    ['fetch', 'running'],
  ])
})
