import { durabilityExample, listRuns, type Run, runScheduleNow } from '@platform/contracts'
import { insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { emittedEvent, startRuntime, type TestRuntime } from '../../test/testing.ts'

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime({ env: { RUN_CONCURRENCY: '1' } })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const publish = (workspaceId: string, type: string, payload: unknown = {}) =>
  runtime.database.many(insertEvents([emittedEvent(workspaceId, type, payload)]))

/** The runs of a workspace once so many have ended, in the order in which they were begun. */
const ended = (workspaceId: string, count: number): Promise<Run[]> =>
  vi.waitFor(
    async () => {
      const { runs } = await runtime.as({})(listRuns, { params: { workspaceId } })
      expect(runs.filter(({ finishedAt }) => finishedAt !== null)).toHaveLength(count)
      return runs.sort((a, b) => Date.parse(String(a.startedAt)) - Date.parse(String(b.startedAt)))
    },
    { timeout: 10_000, interval: 30 },
  )

describe('the queued runs of a workspace', () => {
  test('begin by the priority of their automations', async () => {
    const when = { events: ['tick'] }
    const workspace = await runtime.workspace({
      low: { when, priority: -1, do: [] },
      plain: { when, do: [] },
      high: { when, priority: 100, do: [] },
    })
    await publish(workspace.id, 'tick')
    const runs = await ended(workspace.id, 3)
    expect(runs.map(({ automationSlug, priority }) => [automationSlug, priority])).toEqual([
      ['high', 100],
      ['plain', 0],
      ['low', -1],
    ])
  })

  test('have it also when a schedule or another run starts them', async () => {
    const workspace = await runtime.workspace({
      daily: {
        when: { schedules: ['0 9 * * *'] },
        priority: 7,
        do: [{ runWorkflow: { workflow: 'child', wait: false } }],
      },
      child: { priority: -20, do: [] },
    })
    const params = { workspaceId: workspace.id, automationSlug: 'daily', position: '0' }
    const { run } = await runtime.as({})(runScheduleNow, { params })
    expect(run.priority).toBe(7)
    expect((await ended(workspace.id, 2)).map(({ priority }) => priority)).toEqual([7, -20])
  })

  test('are treated as the documents show', async () => {
    const { slug, name: _, when, do: steps, ...rest } = durabilityExample
    const workspace = await runtime.workspace({
      [slug]: { ...rest, when: { events: [...when.events] }, do: [...steps] },
    })
    await publish(workspace.id, 'order.placed', { id: 5 })
    expect(await ended(workspace.id, 1)).toMatchObject([{ status: 'succeeded', priority: 10 }])
    expect(await runtime.events(workspace.id, 'order.charged')).toMatchObject([{ payload: { id: 5 } }])
  })
})
