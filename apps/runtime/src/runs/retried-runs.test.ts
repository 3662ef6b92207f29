import { cancelRun, listRuns, type Run } from '@platform/contracts'
import { sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { emittedEvent, startRuntime, type TestAutomation, type TestRuntime } from '../../test/testing.ts'

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime()
})
afterAll(() => runtime[Symbol.asyncDispose]())

const fails = { 'no-such-automation': {} }
const when = { events: ['tick'] }

/** A workspace whose one automation an event has just started. */
async function started(automation: TestAutomation) {
  const workspace = await runtime.workspace({ main: { when, ...automation } })
  await runtime.database.many(insertEvents([emittedEvent(workspace.id, 'tick')]))
  const list = async (query: { status?: string; deadLetter?: 'true' } = {}): Promise<Run[]> =>
    (await runtime.as({})(listRuns, { params: { workspaceId: workspace.id }, query })).runs
  const once = (said: (run: Run) => unknown): Promise<Run> =>
    vi.waitFor(
      async () => {
        const [run] = await list()
        if (run === undefined || !said(run)) throw new Error(`not yet: ${JSON.stringify(run)}`)
        return run
      },
      { timeout: 10_000, interval: 20 },
    )
  const levels = async () =>
    (await runtime.events(workspace.id, 'error')).map(({ error }) => error?.level).sort()
  return { workspace, list, once, levels }
}

describe('a run that fails, of an automation with retry', () => {
  test('is tried again until it succeeds, keeps its id, and what each try did stays', async () => {
    const { workspace, once, list, levels } = await started({
      retry: { attempts: 5, backoff: '20ms' },
      do: [
        { emit: { event: 'tried' } },
        {
          conditions: {
            'global.second == true': [],
            'global.first == true': [{ set: { name: 'global.second', value: true } }, fails],
            default: [{ set: { name: 'global.first', value: true } }, fails],
          },
        },
      ],
    })
    const run = await once(({ finishedAt }) => finishedAt)
    expect(run).toMatchObject({ status: 'succeeded', try: 2, error: null, deadLetter: false, waitsFor: null })
    expect(await list()).toHaveLength(1)
    expect(await runtime.events(workspace.id, 'tried')).toHaveLength(3)
    expect(await levels()).toEqual(['error', 'error'])
  })

  test('is a dead letter after its last try, and an event says so', async () => {
    const { workspace, once, list, levels } = await started({
      retry: { attempts: 3, backoff: { initial: '10ms', factor: 1 } },
      do: [fails],
    })
    const run = await once(({ finishedAt }) => finishedAt)
    expect(run).toMatchObject({
      ...{ status: 'failed', try: 2, deadLetter: true },
      error: {
        error: 'ObjectNotFoundError',
        automationSlug: 'main',
        instruction: 'do[0].no-such-automation',
      },
    })
    expect((await list({ deadLetter: 'true' })).map(({ id }) => id)).toEqual([run.id])
    expect(await levels()).toEqual(['error', 'error', 'error', 'fatal'])
    const last = (await runtime.events(workspace.id, 'error')).find(({ error }) => error?.level === 'fatal')
    expect(last?.error?.details).toEqual({
      ...{ automationSlug: 'main', instruction: 'do[0].no-such-automation' },
      runId: run.id,
    })
  })

  test('is not tried again for a failure that is not named', async () => {
    const retry = { attempts: 3, backoff: 0, on: ['5xx', 'timeout'] }
    const { once } = await started({ retry, do: [fails] })
    expect(await once(({ finishedAt }) => finishedAt)).toMatchObject({
      status: 'failed',
      try: 0,
      deadLetter: true,
    })
  })

  test('is queued while it waits, says for what, and can be cancelled', async () => {
    const { workspace, once, list } = await started({ retry: { attempts: 3, backoff: '100s' }, do: [fails] })
    const run = await once(({ waitsFor }) => waitsFor)
    expect(run).toMatchObject({ status: 'queued', try: 1, error: { error: 'ObjectNotFoundError' } })
    expect(run.waitsFor?.kind).toBe('retry')
    const inMs = Date.parse(String(run.waitsFor?.until)) - Date.now()
    expect(inMs).toBeGreaterThan(40_000)
    expect(inMs).toBeLessThan(100_000)
    expect(await list({ status: 'queued' })).toHaveLength(1)
    expect(await list({ status: 'running,failed' })).toEqual([])

    const params = { workspaceId: workspace.id, runId: run.id }
    const { run: ended } = await runtime.as({})(cancelRun, { params, body: { reason: 'enough' } })
    expect(ended).toMatchObject({ status: 'cancelled', waitsFor: null, error: { error: 'RunEnded' } })
    expect(ended.finishedAt).not.toBeNull()
  })

  test('is stored so that the version before leaves it alone while it waits', async () => {
    const { once } = await started({ retry: { attempts: 2, backoff: '100s' }, do: [fails] })
    const { id } = await once(({ waitsFor }) => waitsFor)
    const rows = await runtime.database.many(sql`
      select status, deaths, worker is null or leased_until is null as free from runtime.runs where id = ${id}`)
    expect(rows).toEqual([{ status: 'waiting', deaths: 0, free: true }])
  })
})
