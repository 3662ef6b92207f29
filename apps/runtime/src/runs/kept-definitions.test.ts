import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { effectWriters, endedRun } from '../../test/runs.ts'
import {
  runtimeDatabaseUrl,
  startRuntime,
  type TestAutomations,
  type TestRuntime,
  type TestWorkspace,
} from '../../test/testing.ts'
import { type RunStore, runStore } from './run-store.ts'

/** Works on nothing, so that a test can claim runs as a process that dies. */
let idle: TestRuntime
let databaseUrl: string
let runs: RunStore
beforeAll(async () => {
  databaseUrl = await runtimeDatabaseUrl()
  idle = await startRuntime({ databaseUrl, env: { RUN_CONCURRENCY: '0' } })
  runs = runStore(idle.database, effectWriters)
})
afterAll(() => idle[Symbol.asyncDispose]())

const saying = (who: string, text: string) => ({ do: [{ emit: { event: 'said', payload: { who, text } } }] })
const calling = (text: string) => ({
  do: [...saying('main', text).do, { helper: {} }, { runWorkflow: { workflow: 'late' } }],
})
const began: TestAutomations = {
  main: calling('began'),
  helper: saying('helper', 'began'),
  late: saying('late', 'began'),
}

/** Queues a run of `main`; the process that claims it dies at once. */
async function beginAndDie(workspace: TestWorkspace): Promise<string> {
  const id = uuidv7()
  await runs.enqueue([
    {
      ...{ id, workspaceId: workspace.id, automationSlug: 'main', correlationId: id },
      trigger: { type: 'event', value: 'x' },
      input: { payload: {}, caller: {}, depth: 0 },
    },
  ])
  expect(await runs.claimQueued('dies', 0, 1)).toMatchObject([{ id }])
  return id
}

/** Takes the run over, and hands it to a process that works. */
async function handOver(id: string): Promise<TestRuntime> {
  const claimed = await runs.claimAbandoned('another', 10, 1, { gone: [], expired: true })
  expect(claimed).toMatchObject([{ id }])
  await runs.release(claimed)
  return await startRuntime({ databaseUrl })
}

/** Answers what the run has said, once it was taken over and has ended. */
async function takeOver(workspace: TestWorkspace, id: string) {
  await using other = await handOver(id)
  const { status, error } = await endedRun(other, workspace.id, id)
  const said = (await other.events(workspace.id, 'said')).map(({ payload }) => payload)
  return { status, error, said }
}

describe('a run whose process died', () => {
  test('goes on with what it began with after saves, a rename and a deletion', async () => {
    const workspace = await idle.workspace(began)
    const id = await beginAndDie(workspace)
    for (const text of ['one', 'two', 'three'])
      await workspace.save({ ...began, main: calling(text), helper: saying('helper', text) })
    await workspace.save({ renamed: calling('three'), helper: saying('helper', 'three') })

    const { status, said } = await takeOver(workspace, id)
    expect([status, said]).toEqual([
      'succeeded',
      ['main', 'helper', 'late'].map((who) => ({ who, text: 'began' })),
    ])
  })

  test('does not see what was made after it began', async () => {
    const workspace = await idle.workspace({ main: began.main ?? {}, late: began.late ?? {} })
    const id = await beginAndDie(workspace)
    await workspace.save(began)
    expect(await takeOver(workspace, id)).toMatchObject({
      status: 'failed',
      error: { message: 'There is no automation "helper" in this workspace.' },
    })
  })

  test('does not run any more once its workspace is deleted', async () => {
    const workspace = await idle.workspace(began)
    const id = await beginAndDie(workspace)
    await workspace.delete()
    await using other = await handOver(id)
    await expect.poll(async () => await statusOf(other, id), { timeout: 10_000 }).toBe('cancelled')
    expect(await other.events(workspace.id, 'said')).toEqual([])
  })

  test('that began before revisions were kept takes what there is, and keeps that', async () => {
    const workspace = await idle.workspace(began)
    const id = await beginAndDie(workspace)
    await idle.database.many(sql`update runtime.runs set revision = null where id = ${id}`)
    await workspace.save({ ...began, main: calling('now') })
    const { said } = await takeOver(workspace, id)
    expect(said[0]).toEqual({ who: 'main', text: 'now' })
    expect(await idle.database.many(sql`select revision from runtime.runs where id = ${id}`)).toEqual([
      { revision: 2 },
    ])
  })

  test('goes on where nothing is recorded, because the workspaces service is of the version before', async () => {
    const workspace = await idle.workspace(began)
    const id = await beginAndDie(workspace)
    await workspace.save({ ...began, main: calling('now') })
    await idle.database.many(sql`alter table workspaces.recorded_definitions rename to put_aside`)
    const { status, said } = await takeOver(workspace, id)
    await idle.database.many(sql`alter table workspaces.put_aside rename to recorded_definitions`)
    expect([status, said[0]]).toEqual(['succeeded', { who: 'main', text: 'now' }])
  })
})

async function statusOf(runtime: TestRuntime, id: string): Promise<string | undefined> {
  const [run] = await runtime.database.many<{ status: string }>(
    sql`select status from runtime.runs where id = ${id}`,
  )
  return run?.status
}
