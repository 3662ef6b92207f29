import { getRunState, listRuns } from '@platform/contracts'
import { insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { endedRun, insertRuns } from '../../test/runs.ts'
import { emittedEvent, startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime
let workspace: TestWorkspace
let runId: string

const tell = { emit: { event: 'told' } }

beforeAll(async () => {
  runtime = await startRuntime({ env: { RUN_DETAILS: 'all' } })
  workspace = await runtime.workspace({
    main: {
      when: { events: ['go'] },
      do: [
        { set: { name: 'a', value: 1 } },
        tell,
        { set: { name: 'global.seen', value: '{{a}}' } },
        { repeat: { until: 2, do: [{ set: { name: 'a', value: '{% {{a}} + 10 %}' } }, tell] } },
      ],
    },
  })
  await runtime.database.many(insertEvents([emittedEvent(workspace.id, 'go')]))
  runId = await vi.waitFor(async () => {
    const { runs } = await runtime.as({})(listRuns, { params: { workspaceId: workspace.id }, query: {} })
    expect(runs).toHaveLength(1)
    return runs[0]?.id ?? ''
  })
  await endedRun(runtime, workspace.id, runId)
})
afterAll(() => runtime[Symbol.asyncDispose]())

const stateAt = (at: string, userId = 'ada', id = runId) =>
  runtime.as({ userId })(getRunState, { params: { workspaceId: workspace.id, runId: id }, query: { at } })

describe('the state of a run', () => {
  test.each([
    ['0', { number: 0, path: 'do[1].emit', locals: { a: 1 }, contexts: { global: {} } }],
    ['1', { number: 1, path: 'do[2].set', locals: { a: 1 }, contexts: { global: {} } }],
    [
      '2',
      {
        number: 2,
        path: 'do[3].repeat.do[1].emit',
        locals: { a: 11, $index: 0 },
        contexts: { global: { seen: 1 } },
      },
    ],
    ['3', { number: 3, path: 'do[3].repeat.do[1].emit', locals: { a: 21, $index: 1 } }],
    ['99', { path: null }],
  ])('after effect %s is what its variables held', async (at, expected) => {
    expect(await stateAt(at)).toMatchObject(expected)
  })

  test('of a run of which nothing is kept is refused', async () => {
    const [bare = ''] = await insertRuns(runtime.database, workspace.id, [{ automationSlug: 'main' }])
    await expect(stateAt('1', 'ada', bare)).rejects.toMatchObject({ name: 'RunExpired', status: 410 })
  })

  test('needs a number', async () => {
    await expect(stateAt('x')).rejects.toMatchObject({ name: 'RequestValidationError', status: 400 })
  })

  test('is 404 for a run that is missing', async () => {
    const missing = stateAt('1', 'ada', '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33')
    await expect(missing).rejects.toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
  })

  test('needs a credential, and is for members', async () => {
    const nobody = runtime.nobody(getRunState, {
      params: { workspaceId: workspace.id, runId },
      query: { at: '1' },
    })
    await expect(nobody).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
    await expect(stateAt('1', 'eve')).rejects.toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
  })
})
